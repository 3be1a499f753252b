import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Most UTXOs of the X-chain hold AVAX, and each index of their listings costs about a sixth of writing them. Those that begin with the
 * asset serve lists of AVAX alone and of everything, so that the others need to hold no AVAX.
 */
export class IndexAvaxOnce1795500000000 implements MigrationInterface {
  readonly name = 'IndexAvaxOnce1795500000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0'); // all listings are looked at once
    for (const statement of UP) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET LOCAL statement_timeout = 0');
    for (const statement of DOWN) await queryRunner.query(statement);
  }
}

/** By network; that of a local network is an asset as any other. */
const AVAX = [
  ['mainnet', '21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff'],
  ['fuji', '3d9bdac0ed1d761330cf680efdeb1a42159eb387d6d2950c96f7d28f61bbe2aa'],
] as const;
const COLUMNS = ['block_time', 'amount'];
const CHAINS = ['P', 'X', 'C'];

const eachPartition = (write: (network: string, partition: string, chain: string) => string): string[] =>
  AVAX.flatMap(([network]) =>
    CHAINS.map((chain) => write(network, `utxo_listings_${network}_${chain.toLowerCase()}`, chain)),
  );

const UP = [
  // An index of the whole table has to have all rows of each partition. By themselves partitions keep those that they have.
  ...eachPartition(
    (network, partition) => `ALTER TABLE utxo_listings_${network} DETACH PARTITION ${partition}`,
  ),
  ...COLUMNS.map((column) => `DROP INDEX utxo_listings_${column}_idx`),
  ...AVAX.flatMap(([network, avax]) =>
    COLUMNS.flatMap((column) => [
      `DROP INDEX utxo_listings_${network}_x_address_is_spent_${column}_utxo_id_idx`,
      `CREATE INDEX utxo_listings_${network}_x_others_${column}_idx
         ON utxo_listings_${network}_x (address, is_spent, ${column}, utxo_id) WHERE asset_id <> '\\x${avax}'`,
    ]),
  ),
  ...eachPartition(
    (network, partition, chain) =>
      `ALTER TABLE utxo_listings_${network} ATTACH PARTITION ${partition} FOR VALUES IN ('${chain}')`,
  ),
];

const DOWN = [
  ...AVAX.flatMap(([network]) =>
    COLUMNS.map((column) => `DROP INDEX utxo_listings_${network}_x_others_${column}_idx`),
  ),
  ...COLUMNS.map(
    (column) =>
      `CREATE INDEX utxo_listings_${column}_idx ON utxo_listings (address, is_spent, ${column}, utxo_id)`,
  ),
];
