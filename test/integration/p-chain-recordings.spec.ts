import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { Database } from '../../src/platform/database/database.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { packBlock, parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { packTransaction, transactionId } from '../../src/avalanche/platformvm/codec/transaction.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { BlockReplay } from '../../src/avalanche/platformvm/state/block-replay.js';
import { genesisState } from '../../src/avalanche/platformvm/state/genesis-state.js';
import { PChainState } from '../../src/avalanche/platformvm/state/p-chain-state.js';
import type { CreatedUtxo } from '../../src/avalanche/platformvm/state/records.js';
import type { UnsignedTx } from '../../src/avalanche/platformvm/transaction.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { PChainStateRepository } from '../../src/indexes/p-chain/p-chain-state.repository.js';
import {
  readPChainRecording,
  type PChainRecording,
  type RecordedBlock,
} from '../../sandbox/recording/p-chain-recording.js';
import { compareEnd, comparePChain } from '../support/p-chain/compare-p-chain.js';
import { readDatabaseLedger } from '../support/p-chain/p-chain-database-ledger.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { digestTables } from '../support/indexer.js';
import { chainOf } from '../support/p-chain/p-chain-ledger.js';
import { indexRecording } from '../support/p-chain/index-recording.js';
import { P_CHAIN_RECORDINGS } from '../support/p-chain/p-chain-recordings.js';

/** The recorded chains as an index keeps them: what avalanchego answered has to follow from the rows alone. */
describe.each(P_CHAIN_RECORDINGS)('recorded P-chain %s in Postgres', (file) => {
  const recording = readPChainRecording(join(projectFolder(), file));
  let rowsBlockByBlock: Record<string, string>;
  let compared = 0;

  beforeAll(async () => {
    const database = await createMigratedDatabase();
    const answersByHeight = new Map(recording.answers.map((answers) => [answers.height, answers]));
    await indexRecording(recording, database, async (replay, write) => {
      await write();
      const { tip } = replay.state;
      const answers = answersByHeight.get(tip.height.toString());
      if (answers === undefined || replay.isUndecided) return;
      const ledger = await readDatabaseLedger(database, tip);
      const { ours, nodes } = comparePChain(ledger, answers, recording.networkId);
      expect({ step: answers.step, ...ours }).toEqual({ step: answers.step, ...nodes });
      compared += 1;
    });
    rowsBlockByBlock = await digestTables(database);
  });

  it('equals the node at every height, block by block', () => {
    expect(compared).toBe(recording.answers.length);
  });

  it('equals the node at the end, all at once, and has the same rows', async () => {
    const database = await createMigratedDatabase();
    const { height } = recording.blocks.at(-1) ?? { height: '' };
    await indexRecording(recording, database, async (replay, write) => {
      if (replay.height.toString() !== height) return;
      await write();
      const { ours, nodes } = compareEnd(await readDatabaseLedger(database, replay.state.tip), recording);
      expect(ours).toEqual(nodes);
    });
    expect(await digestTables(database)).toEqual(rowsBlockByBlock);
  });

  it('goes on from the rows after every block as it does from memory', async () => {
    const database = await createMigratedDatabase();
    const repository = new PChainStateRepository(new Database(database));
    await indexRecording(recording, database, async (replay, write) => {
      if (replay.isUndecided) return undefined;
      await write();
      const loaded = await repository.load('fuji');
      if (loaded === undefined) throw new Error('nothing was written');
      return new PChainState(loaded.snapshot, replay.state.rules);
    });
    expect(await digestTables(database)).toEqual(rowsBlockByBlock);
  });
});

/** A node accepts no input that is not the output: whatever was spent proves the amount that was worked out. */
describe('a reward that is one nano-unit off', () => {
  const recording = readPChainRecording(join(projectFolder(), P_CHAIN_RECORDINGS[0] ?? ''));

  it('stops the index at the block that spends it', async () => {
    const { reward, upTo, spending } = await spendFirstReward(recording);
    const blocks = [...recording.blocks.slice(0, upTo), spending];
    await indexRecording({ ...recording, blocks }, await createMigratedDatabase(), (_replay, write) =>
      write(),
    );

    const database = await createMigratedDatabase();
    const repository = new PChainStateRepository(new Database(database));
    let isOff = false;
    const indexing = indexRecording({ ...recording, blocks }, database, async (replay, write) => {
      await write();
      const staker = replay.state.getStaker(reward.txId);
      if (isOff || replay.isUndecided || staker === undefined) return undefined;
      isOff = true;
      await database.query(
        `UPDATE ${staker.kind}s SET potential_reward = potential_reward + 1 WHERE tx_id = $1`,
        [Buffer.from(reward.txId, 'hex')],
      );
      const loaded = await repository.load('fuji');
      if (loaded === undefined) throw new Error('nothing was written');
      return new PChainState(loaded.snapshot, replay.state.rules);
    });
    const { amount } = reward.output;
    await expect(indexing).rejects.toMatchObject({
      code: 'STATE_MISMATCH',
      message: expect.stringMatching(new RegExp(`which holds ${amount + 1n} of .* as ${amount} of`)),
    });
    expect((await repository.findCheckpoint('fuji'))?.tip.height).toBe(BigInt(upTo - 1));
  });
});

/** The first reward of a recording, and a block that spends it, to follow the first `upTo` recorded ones. */
async function spendFirstReward(
  recording: PChainRecording,
): Promise<{ reward: CreatedUtxo; upTo: number; spending: RecordedBlock }> {
  const { genesis, rules } = await chainOf(recording);
  const replay = new BlockReplay(genesisState(genesis, rules).state);
  for (const [index, { bytes }] of recording.blocks.entries()) {
    replay.apply(parseBlock(fromHex(bytes)));
    const created = replay.takeChanges()?.createdUtxos ?? [];
    const reward = created.find(({ rewardType }) => rewardType === 'VALIDATOR');
    if (reward === undefined) continue;
    const { txId, outputIndex, assetId, output } = reward;
    const input = { txId, outputIndex, assetId, amount: output.amount, stakeableLocktime: null };
    const unsigned: UnsignedTx = {
      type: 'Base',
      networkId: recording.networkId,
      blockchainId: PRIMARY_NETWORK,
      inputs: [{ ...input, signatureIndices: [0] }],
      outputs: [],
      memo: new Uint8Array(),
    };
    const parts = { unsigned, credentials: [{ signatures: [new Uint8Array(65)] }] };
    const { blockId: parentId, height, time } = replay.state.tip;
    const block = packBlock({
      type: 'BanffStandard',
      time: BigInt(time),
      parentId,
      height: height + 1n,
      transactions: [{ id: transactionId(packTransaction(parts)), ...parts }],
    });
    const spending = { height: String(height + 1n), bytes: toHex(block), container: null };
    return { reward, upTo: index + 1, spending };
  }
  throw new Error('nobody was rewarded');
}
