import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { parseAvmUtxo } from '../../src/avalanche/avm/codec/output.js';
import { unpackAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { defaultXChainRecording } from '../../sandbox/x-chain/default-recording.js';
import { advanceToTip, digestTables } from '../support/indexer.js';
import { createIndexer, startPChain } from '../support/p-chain/p-chain-index.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { createXIndexer } from '../support/x-chain/x-chain-index.js';

const recording = defaultXChainRecording();
const upgrades = Object.fromEntries(
  Object.entries(recording.platform.upgrades).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  ),
);

/** The X-chain as the sandbox serves it, and the P-chain of the same network. */
describe('the index of the recorded X-chain', () => {
  let sandbox: Sandbox;
  let database: DataSource;

  const indexX = (target: DataSource): Promise<void> =>
    advanceToTip(createXIndexer(target, [sandbox.url]).indexer);

  const indexP = async (target: DataSource): Promise<void> => {
    const blocks = recording.platform.blocks.map((hex) => ({ bytes: fromHex(hex) }));
    const node = await startPChain(blocks, { upgrades });
    await advanceToTip(createIndexer(target, [node.url], { batchBlocks: 1 }).indexer);
  };

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 2 });
    database = await createMigratedDatabase();
    await indexX(database);
    await indexP(database);
  });

  afterAll(() => sandbox.stop());

  /** Ids of what is listed as unspent for an address. */
  const listed = async (chain: string, address: string, createdOn: string): Promise<string[]> => {
    const rows = await database.query<{ id: string }[]>(
      `SELECT encode(utxo_id, 'hex') AS id FROM utxo_listings JOIN utxos USING (network, utxo_id)
        WHERE chain = $1 AND address = $2 AND NOT is_spent AND (created_on_chain_id = spendable_on_chain_id) = $3
          AND ($4 = '' OR created_on_chain_id IN (SELECT blockchain_id FROM blockchains WHERE left(name, 1) = $4))`,
      [chain, Buffer.from(unpackAddress(`X-${address}`).bytes), createdOn === '', createdOn],
    );
    return rows.map(({ id }) => id).sort();
  };
  const idsOf = (utxos: readonly string[] | undefined): string[] =>
    (utxos ?? [])
      .map((hex) => parseAvmUtxo(fromHex(hex)))
      .map(({ txId, outputIndex }) => utxoId(txId, outputIndex))
      .sort();

  it.each(recording.addresses)(
    'lists for %s what the node reports it can spend and what waits',
    async (address) => {
      expect(await listed('X', address, '')).toEqual(idsOf(recording.utxos[address]));
      expect(await listed('X', address, 'P')).toEqual(idsOf(recording.atomicUtxos[`P ${address}`]));
      expect(await listed('P', address, 'X')).toEqual(idsOf(recording.exportedUtxos[`P ${address}`]));
    },
  );

  it('is the same whichever of the two chains is indexed first', async () => {
    const other = await createMigratedDatabase();
    await indexP(other);
    await indexX(other);
    expect(await digestTables(other)).toEqual(await digestTables(database));
  });
});
