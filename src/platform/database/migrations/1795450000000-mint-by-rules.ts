import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a chain's genesis and upgrades give to addresses is among its rows now, and so are mints that were not logged. Ranges of before
 * have an older version and are made again in the background, except for chains that have none of it: those of the C-chains whose
 * genesis allocates nothing, and traces of any C-chain.
 */
export class MintByRules1795450000000 implements MigrationInterface {
  readonly name = 'MintByRules1795450000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await move(queryRunner, { facet: 'base', from: 2, to: 3, chains: WITHOUT_ALLOCATIONS });
    await move(queryRunner, { facet: 'traces', from: 1, to: 2, chains: C_CHAINS });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await move(queryRunner, { facet: 'base', from: 3, to: 2, chains: WITHOUT_ALLOCATIONS });
    await move(queryRunner, { facet: 'traces', from: 2, to: 1, chains: C_CHAINS });
  }
}

const WITHOUT_ALLOCATIONS = ['evm-43114', 'evm-43113'];
const C_CHAINS = [...WITHOUT_ALLOCATIONS, 'evm-43112'];

async function move(
  queryRunner: QueryRunner,
  { facet, from, to, chains }: { facet: string; from: number; to: number; chains: readonly string[] },
): Promise<void> {
  await queryRunner.query(
    'UPDATE index_coverage SET version = $1 WHERE facet = $2 AND version = $3 AND chain = ANY ($4)',
    [to, facet, from, chains],
  );
}
