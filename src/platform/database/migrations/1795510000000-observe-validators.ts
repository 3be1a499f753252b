import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the configured nodes see of validators over time, and what follows of it for the lists. */
export class ObserveValidators1795510000000 implements MigrationInterface {
  readonly name = 'ObserveValidators1795510000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE validators ADD COLUMN node_version text');
    await queryRunner.query('DROP TABLE observed_nodes');
    await queryRunner.query('DROP TABLE node_observations');
  }
}

const STATEMENTS = [
  // observer: host and port of the configured node that was asked; hour: counted since 1970. Of `looks` at its peers, in how many
  // the validator's node was among them, and in how many it was benched on each chain of the primary network. Rewritten every
  // minute: room for a row's next version on its page.
  `CREATE TABLE node_observations (
    network text NOT NULL,
    node_id bytea NOT NULL,
    observer text NOT NULL,
    hour int NOT NULL,
    looks int NOT NULL,
    connected int NOT NULL,
    benched_p int NOT NULL,
    benched_x int NOT NULL,
    benched_c int NOT NULL,
    CONSTRAINT node_observations_pk PRIMARY KEY (network, node_id, observer, hour)
  ) WITH (fillfactor = 50)`,
  // One row per node with observations. The percentages are those of the hours that are kept; the place is all there or all null.
  `CREATE TABLE observed_nodes (
    network text NOT NULL,
    node_id bytea NOT NULL,
    reachability_percent double precision NOT NULL,
    benched_p_percent double precision NOT NULL,
    benched_x_percent double precision NOT NULL,
    benched_c_percent double precision NOT NULL,
    version text,
    city text,
    country_code text,
    latitude double precision,
    longitude double precision,
    CONSTRAINT observed_nodes_pk PRIMARY KEY (network, node_id)
  ) WITH (fillfactor = 50)`,
  'ALTER TABLE validators DROP COLUMN node_version',
];
