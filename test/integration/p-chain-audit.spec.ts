import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { unpackAddress } from '../../src/avalanche/ids/address.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { PRIMARY_NETWORK, type ShortId } from '../../src/avalanche/platformvm/ids.js';
import type { Network } from '../../src/platform/networks/network.js';
import { AuditRepository } from '../../src/indexes/p-chain/audit/audit.repository.js';
import { PChainAuditor } from '../../src/indexes/p-chain/audit/p-chain-auditor.js';
import { PChainStateRepository } from '../../src/indexes/p-chain/p-chain-state.repository.js';
import { Geolocator } from '../../src/indexes/p-chain/observations/geolocator.js';
import { ObservationRepository } from '../../src/indexes/p-chain/observations/observation.repository.js';
import { ValidatorPoller } from '../../src/indexes/p-chain/validator-poller.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { DEPRECATED_METHODS } from '../support/sandbox/deprecated-methods.js';
import { advanceToTip } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { eventually } from '../support/harness/eventually.js';
import { withChange } from '../support/harness/with-change.js';
import { OpenPeers } from '../../src/platform/networks/open-peers.js';
import { networkAt } from '../support/network.js';

/** The sandbox answers what real nodes answered at the end of the recorded chain. */
describe('an index of a recorded chain', () => {
  let sandbox: Sandbox;
  let network: Network;
  let database: DataSource;
  const signal = new AbortController().signal;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5, blockIntervalMs: 0 });
    database = await createMigratedDatabase();
    await advanceToTip(createIndexer(database, [sandbox.url]).indexer);
    network = networkAt([sandbox.url]);
  });

  afterAll(async () => {
    network.close();
    await sandbox.stop();
  });

  /** The nodes were asked for some addresses; all of those are compared. */
  class RecordedOwners extends AuditRepository {
    override async sampleOwners(): Promise<ShortId[]> {
      return defaultRecording().addresses.map((address) => toHex(unpackAddress(address).bytes));
    }

    override async sampleRewardOwners(): Promise<ShortId[]> {
      return [];
    }
  }

  const audit = () =>
    new PChainAuditor(
      new PChainStateRepository(new Database(database)),
      new RecordedOwners(new Database(database)),
    ).audit(network, signal);

  it('equals what the nodes report', async () => {
    const report = await audit();
    expect(report?.differences).toEqual([]);
    expect(report?.skipped).toEqual([]);
    expect(report?.comparisons).toBeGreaterThan(50);
  });

  it('does without the methods that nodes will lose', async () => {
    sandbox.setNodeBehaviour({ without: [...DEPRECATED_METHODS] });
    try {
      const report = await audit();
      expect(report?.differences).toEqual([]);
      expect(report?.skipped).toEqual([]);
    } finally {
      sandbox.setNodeBehaviour({});
    }
  });

  it('looks at owners of rewards that are not spent', async () => {
    const rows = await database.query<{ address: string }[]>(
      `SELECT encode(unnest(owner_addresses), 'hex') AS address FROM utxos
        WHERE reward_type IS NOT NULL AND consuming_tx_id IS NULL`,
    );
    const rewarded = new Set(rows.map(({ address }) => address));
    expect(rewarded.size).toBeGreaterThan(0);
    const repository = new AuditRepository(new Database(database));
    const seen = new Set<string>();
    await eventually('every owner has had its turn', async () => {
      for (const address of await repository.sampleRewardOwners('fuji', 1_000)) seen.add(address);
      return seen.size >= rewarded.size;
    });
    expect(seen).toEqual(rewarded);
  });

  it('leaves out owners of more than anybody could compare', async () => {
    const other = await createMigratedDatabase();
    const repository = new AuditRepository(new Database(other));
    const [few, many] = ['aa'.repeat(20), 'bb'.repeat(20)];
    for (const [owner, count] of [
      [few, 10_000],
      [many, 10_001],
    ] as const) {
      await other.query(
        `WITH made AS (
           INSERT INTO utxos (network, utxo_id, tx_id, output_index, asset_id, amount, created_on_chain_id, spendable_on_chain_id,
             block_height, block_time, reward_type, owner_locktime, owner_threshold, owner_addresses)
           SELECT 'fuji', sha256(id), sha256(id), 0, $2, 1, $2, $2, 1, 1, 'VALIDATOR', 0, 1, ARRAY[$1::bytea]
             FROM (SELECT $1::bytea || int4send(i) AS id FROM generate_series(1, $3::int) i) each
           RETURNING utxo_id
         )
         INSERT INTO utxo_listings (network, chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold, is_reward)
         SELECT 'fuji', 'P', $1, false, 1, 1, utxo_id, $2, 1, true FROM made`,
        [Buffer.from(owner, 'hex'), Buffer.alloc(32), count],
      );
    }
    expect(await repository.sampleOwners('fuji', 8)).toEqual([few]);
    await eventually('the reward of either owner was drawn', async () => {
      expect(await repository.sampleRewardOwners('fuji', 8)).not.toContain(many);
      return (await repository.sampleRewardOwners('fuji', 8)).includes(few);
    });
  });

  const subnet = `subnet_id = '\\x${PRIMARY_NETWORK}'`;
  it.each([
    {
      what: 'a supply',
      change: `UPDATE subnet_stakes SET supply = supply + 1 WHERE ${subnet}`,
      undo: `UPDATE subnet_stakes SET supply = supply - 1 WHERE ${subnet}`,
      found: /^stake of 1{32}LpoYY: supply: database \d+, node \d+$/,
    },
    {
      what: 'a potential reward',
      change: `UPDATE validators SET potential_reward = potential_reward + 1 WHERE status = 'active' AND ${subnet}`,
      undo: `UPDATE validators SET potential_reward = potential_reward - 1 WHERE status = 'active' AND ${subnet}`,
      found: /^validator [0-9a-f]{64} potentialReward: database \d+, node \d+$/,
    },
    {
      what: 'a validator too few',
      change: `UPDATE validators SET status = 'completed' WHERE status = 'active' AND ${subnet}`,
      undo: `UPDATE validators SET status = 'active' WHERE status = 'completed' AND end_tx_id IS NULL AND ${subnet}`,
      found: /^(number of validators: database 0, node \d+|validator [0-9a-f]{64}: only the node has it)$/,
    },
    {
      what: 'UTXOs',
      change: 'UPDATE utxos SET amount = amount + 1',
      undo: 'UPDATE utxos SET amount = amount - 1',
      found: /^UTXO .*: database [0-9a-f]+, node [0-9a-f]+$/,
    },
    {
      what: 'a stake whose transaction is not listed',
      change: `UPDATE validators SET status = 'completed' WHERE status = 'active' AND NOT ${subnet}`,
      undo: `UPDATE validators SET status = 'active' WHERE status = 'completed' AND end_tx_id IS NULL AND NOT ${subnet}`,
      found: /^staking transaction [0-9a-f]{64}: only the database has it$/,
    },
    {
      what: 'the bytes of staking transactions',
      change: `UPDATE staking_transactions SET unsigned = unsigned || '\\x00'`,
      undo: `UPDATE staking_transactions SET unsigned = substr(unsigned, 1, length(unsigned) - 1)`,
      found: /^staking transaction [0-9a-f]{64}: database [0-9a-f]+00, node [0-9a-f]+$/,
    },
    {
      what: 'whom staking transactions have to do with',
      change: `UPDATE staking_transactions SET addresses = addresses || '\\x00'::bytea`,
      undo: `UPDATE staking_transactions SET addresses = trim_array(addresses, 1)`,
      found: /^staking transaction [0-9a-f]{64} addresses: database [0-9a-f+]+, node [0-9a-f+]+$/,
    },
    {
      what: 'entries of the lists of staking transactions',
      change: 'UPDATE staking_listings SET block_time = block_time + 1',
      undo: 'UPDATE staking_listings SET block_time = block_time - 1',
      found: /^entries of lists of staking transactions: database \d+, node 0$/,
    },
    ...[
      'withdrawn_validation_reward',
      'compounded_delegatee_reward',
      'weight',
      'delegator_count',
      'end_time',
    ].map((column) => ({
      what: `${column} of cycles`,
      change: `UPDATE validation_cycles SET ${column} = ${column} + 1`,
      undo: `UPDATE validation_cycles SET ${column} = ${column} - 1`,
      found: /^cycles? .*: database \d+, node \d+$/,
    })),
    {
      what: 'the transactions that settled cycles',
      change: 'UPDATE validation_cycles SET reward_tx_id = sha256(reward_tx_id)',
      undo: `UPDATE validation_cycles SET reward_tx_id = t.tx_id FROM p_chain_transactions t
              WHERE t.type = 'RewardAutoRenewedValidator' AND sha256(t.tx_id) = reward_tx_id`,
      found: /^cycle \d+ of [0-9a-f]{64}: settled (validation|end): database [0-9a-f]+, node nothing$/,
    },
  ])('is found to differ: $what', async ({ change, undo, found }) => {
    await withChange(database, { change, undo }, async () => {
      const report = await audit();
      expect(report?.differences).toEqual(expect.arrayContaining([expect.stringMatching(found)]));
      expect(report?.differences.length).toBeLessThanOrEqual(20);
    });
  });

  it('has nothing to compare before the genesis', async () => {
    const empty = await createMigratedDatabase();
    const auditor = new PChainAuditor(
      new PChainStateRepository(new Database(empty)),
      new AuditRepository(new Database(empty)),
    );
    expect(await auditor.audit(network, signal)).toBeNull();
  });

  it('gets uptime, reachability and version of active validators from nodes', async () => {
    const observations = new ObservationRepository(new Database(database));
    const result = await new ValidatorPoller(observations, new Geolocator(), new OpenPeers()).poll(
      network,
      signal,
    );
    expect(result.nodesAsked).toBe(1);
    expect(result.validators).toBeGreaterThan(0);
    const rows = await database.query<{ status: string; validators: number; polled: number; seen: number }[]>(
      `SELECT status, count(*)::int AS validators, count(uptime_performance)::int AS polled, count(version)::int AS seen
         FROM validators LEFT JOIN observed_nodes USING (network, node_id) GROUP BY status`,
    );
    for (const { status, validators, polled, seen } of rows) {
      expect(polled).toBe(status === 'active' ? validators : 0);
      if (status === 'active') expect(seen).toBe(validators);
    }
  });
});
