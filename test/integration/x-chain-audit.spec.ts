import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { unpackAddress } from '../../src/avalanche/ids/address.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import type { ShortId } from '../../src/avalanche/platformvm/ids.js';
import { Database } from '../../src/platform/database/database.js';
import type { Network } from '../../src/platform/networks/network.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { defaultXChainRecording } from '../../sandbox/x-chain/default-recording.js';
import { XChainAuditRepository } from '../../src/indexes/x-chain/audit/x-chain-audit.repository.js';
import { XChainAuditor } from '../../src/indexes/x-chain/audit/x-chain-auditor.js';
import { XChainWriter } from '../../src/indexes/x-chain/x-chain-writer.js';
import { advanceToTip } from '../support/indexer.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { createXIndexer } from '../support/x-chain/x-chain-index.js';
import { withChange } from '../support/harness/with-change.js';
import { networkAt } from '../support/network.js';

const recording = defaultXChainRecording();

/** The sandbox answers what a real node answered at the end of the recorded chain. */
describe('the audit of an index of the recorded X-chain', () => {
  let sandbox: Sandbox;
  let network: Network;
  let dataSource: DataSource;
  let database: Database;
  const signal = new AbortController().signal;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    dataSource = await createMigratedDatabase();
    database = new Database(dataSource);
    await advanceToTip(createXIndexer(dataSource, [sandbox.url]).indexer);
    network = networkAt([sandbox.url]);
  });

  afterAll(async () => {
    network.close();
    await sandbox.stop();
  });

  /** The node was asked for some addresses; all of those are compared. */
  class RecordedOwners extends XChainAuditRepository {
    override async sampleOwners(): Promise<ShortId[]> {
      return Promise.resolve(
        recording.addresses.map((address) => toHex(unpackAddress(`X-${address}`).bytes)),
      );
    }
  }

  const audit = () =>
    new XChainAuditor(new XChainWriter(database), new RecordedOwners(database)).audit(network, signal);

  it('finds that assets and UTXOs of every kind equal what the node reports', async () => {
    const report = await audit();
    expect(report).toMatchObject({
      height: BigInt(recording.blocks.length - 1),
      skipped: [],
      differences: [],
    });
    expect(report?.comparisons).toBeGreaterThan(50);
  });

  it.each([
    {
      what: 'the name of an asset',
      change: `UPDATE assets SET name = name || '!'`,
      undo: `UPDATE assets SET name = left(name, -1)`,
      found: /^asset \w+ name: database .+!, node .+$/,
    },
    {
      what: 'an amount',
      change: 'UPDATE utxos SET amount = amount - 1 WHERE output_kind IS NULL AND amount > 0',
      undo: 'UPDATE utxos SET amount = amount + 1 WHERE output_kind IS NULL',
      found: /^UTXO [0-9a-f]{64}: database [0-9a-f]+, node [0-9a-f]+$/,
    },
    {
      what: 'an output that is missing',
      change: 'UPDATE utxo_listings SET is_spent = true WHERE NOT is_spent AND threshold = 2',
      undo: `UPDATE utxo_listings l SET is_spent = false FROM utxos u
               WHERE u.utxo_id = l.utxo_id AND l.threshold = 2 AND u.consuming_tx_id IS NULL
                 AND u.created_on_chain_id = u.spendable_on_chain_id`,
      found: /^(number of UTXOs: database \d+, node \d+|UTXO [0-9a-f]{64}: only the node has it)$/,
    },
  ])('notices $what', async ({ change, undo, found }) => {
    await withChange(dataSource, { change, undo }, async () => {
      const report = await audit();
      expect(report?.differences).toEqual(expect.arrayContaining([expect.stringMatching(found)]));
      expect(report?.differences.length).toBeLessThanOrEqual(20);
    });
    expect((await audit())?.differences).toEqual([]);
  });

  it('compares nothing with a node that is at another height, and reports it', async () => {
    sandbox.setXChainBehaviour({ kind: 'tip', height: 3 });
    const owners = class extends RecordedOwners {
      override async sampleAssets(): Promise<[]> {
        return Promise.resolve([]);
      }
      override async sampleOwners(): Promise<ShortId[]> {
        return (await super.sampleOwners()).slice(0, 1);
      }
    };
    const auditor = new XChainAuditor(new XChainWriter(database), new owners(database));
    const report = await auditor.audit(network, signal);
    sandbox.setXChainBehaviour({ kind: 'honest' });
    expect(report).toMatchObject({ comparisons: 0, skipped: [expect.stringMatching(/^X-chain UTXOs of /)] });
  });

  it('chooses owners and assets among those that are listed', async () => {
    const rows = new XChainAuditRepository(database);
    const owners = await rows.sampleOwners('fuji', 3);
    expect(new Set(owners).size).toBe(3);
    expect(owners.every((owner) => /^[0-9a-f]{40}$/.test(owner))).toBe(true);
    expect(await rows.sampleAssets('fuji', 2)).toHaveLength(2);
    expect((await rows.sampleAssets('fuji', 100)).length).toBe(Object.keys(recording.assets).length);
  });

  it('reports that there is nothing to compare before the genesis', async () => {
    const empty = new Database(await createMigratedDatabase());
    const auditor = new XChainAuditor(new XChainWriter(empty), new XChainAuditRepository(empty));
    expect(await auditor.audit(network, signal)).toBeNull();
  });
});
