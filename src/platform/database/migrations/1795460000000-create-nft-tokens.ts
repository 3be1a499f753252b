import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The NFTs that somebody has asked for. */
export class CreateNftTokens1795460000000 implements MigrationInterface {
  readonly name = 'CreateNftTokens1795460000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // What the contract said at read_height; `finding` is why there is no metadata to be fetched.
    // What was fetched from token_uri, which it said at index_height; index_status is null until then.
    // moved_height, updated_height: the newest blocks in which the token moved, or its metadata is said to have changed.
    // Times are UNIX seconds.
    await queryRunner.query(`CREATE TABLE nft_tokens (
      chain_key bigint NOT NULL,
      address bytea NOT NULL,
      token_id numeric(78) NOT NULL,
      erc_type text NOT NULL,
      name text,
      symbol text,
      owner bytea,
      token_uri text,
      finding text,
      read_height bigint NOT NULL,
      read_at bigint NOT NULL,
      index_status text,
      metadata jsonb,
      index_height bigint,
      indexed_at bigint,
      index_again_at bigint,
      failures int NOT NULL DEFAULT 0,
      moved_height bigint NOT NULL DEFAULT -1,
      updated_height bigint NOT NULL DEFAULT -1,
      CONSTRAINT nft_tokens_pk PRIMARY KEY (chain_key, address, token_id)
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE nft_tokens');
  }
}
