import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import type { Id } from '../../src/avalanche/platformvm/ids.js';
import { BlockReplay } from '../../src/avalanche/platformvm/state/block-replay.js';
import type { StateChanges } from '../../src/avalanche/platformvm/state/changes.js';
import { genesisState } from '../../src/avalanche/platformvm/state/genesis-state.js';
import { PChainState } from '../../src/avalanche/platformvm/state/p-chain-state.js';
import type { CreatedUtxo } from '../../src/avalanche/platformvm/state/records.js';
import { projectFolder } from '../../src/embedded/project-folder.js';
import { chainLetters } from '../../src/p-chain-index/indexed-chain.js';
import { PChainStateRepository } from '../../src/p-chain-index/p-chain-state.repository.js';
import { PChainWriter } from '../../src/p-chain-index/p-chain-writer.js';
import { readPChainRecording, type PChainRecording } from '../../src/sandbox/recording/p-chain-recording.js';
import { compareEnd, comparePChain } from '../support/compare-p-chain.js';
import { readDatabaseLedger } from '../support/p-chain-database-ledger.js';
import { createMigratedDatabase, digestTables } from '../support/p-chain-index.js';
import { chainOf } from '../support/p-chain-ledger.js';

const FOLDERS = [join('src', 'sandbox', 'recording'), join('test', 'recordings')];
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(join(projectFolder(), folder))
    .filter((name) => /^p-chain.*\.json\.br$/.test(name))
    .map((name) => join(folder, name)),
);

/** The recorded chains as an index keeps them: what avalanchego answered has to follow from the rows alone. */
describe.each(FILES)('recorded P-chain %s in Postgres', (file) => {
  const recording = readPChainRecording(join(projectFolder(), file));
  let rowsBlockByBlock: Record<string, string>;

  beforeAll(async () => {
    const database = await createMigratedDatabase();
    const answersByHeight = new Map(recording.answers.map((answers) => [answers.height, answers]));
    let compared = 0;
    await index(recording, database, async (replay, write) => {
      await write();
      const { tip } = replay.state;
      const answers = answersByHeight.get(tip.height.toString());
      if (answers === undefined || replay.isUndecided) return;
      const ledger = await readDatabaseLedger(database, tip);
      const { ours, nodes } = comparePChain(ledger, answers, recording.networkId);
      expect({ step: answers.step, ...ours }).toEqual({ step: answers.step, ...nodes });
      compared += 1;
    });
    expect(compared).toBe(recording.answers.length);
    rowsBlockByBlock = await digestTables(database);
  });

  it('block by block, equals the node at every height', () => {
    expect(Object.values(rowsBlockByBlock).every((digest) => !digest.startsWith('0 '))).toBe(true);
  });

  it('all at once, equals the node at the end, and has the same rows', async () => {
    const database = await createMigratedDatabase();
    const { height } = recording.blocks.at(-1) ?? { height: '' };
    await index(recording, database, async (replay, write) => {
      if (replay.height.toString() !== height) return;
      await write();
      const { ours, nodes } = compareEnd(await readDatabaseLedger(database, replay.state.tip), recording);
      expect(ours).toEqual(nodes);
    });
    expect(await digestTables(database)).toEqual(rowsBlockByBlock);
  });

  it('goes on from the rows after every block as it does from memory', async () => {
    const database = await createMigratedDatabase();
    const repository = new PChainStateRepository(database);
    await index(recording, database, async (replay, write) => {
      if (replay.isUndecided) return undefined;
      await write();
      const loaded = await repository.load('fuji');
      if (loaded === null) throw new Error('nothing was written');
      return new PChainState(loaded.snapshot, replay.state.rules);
    });
    expect(await digestTables(database)).toEqual(rowsBlockByBlock);
  });
});

/** A node accepts no input that is not the output: whatever was spent proves the amount that was worked out. */
describe('a reward that is one nano-unit off', () => {
  it.each(FILES)('stops the index at the block that spends it: %s', async (file) => {
    const recording = readPChainRecording(join(projectFolder(), file));
    const spent = await findSpentReward(recording);
    if (spent === undefined) return; // a chain on which no reward was spent
    const database = await createMigratedDatabase();
    const repository = new PChainStateRepository(database);
    let isOff = false;
    const indexing = index(recording, database, async (replay, write) => {
      await write();
      const staker = replay.state.getStaker(spent.stakerTxId);
      if (isOff || replay.isUndecided || staker === undefined || staker.potentialReward === 0n)
        return undefined;
      isOff = true;
      await database.query(
        `UPDATE ${staker.kind}s SET potential_reward = potential_reward + 1 WHERE tx_id = $1`,
        [Buffer.from(spent.stakerTxId, 'hex')],
      );
      const loaded = await repository.load('fuji');
      if (loaded === null) throw new Error('nothing was written');
      return new PChainState(loaded.snapshot, replay.state.rules);
    });
    await expect(indexing).rejects.toMatchObject({
      code: 'STATE_MISMATCH',
      message: expect.stringMatching(
        new RegExp(`which holds ${spent.amount + 1n} of .* as ${spent.amount} of`),
      ),
    });
    expect((await repository.findCheckpoint('fuji'))?.tip.height).toBeLessThan(spent.height);
  });

  it('is seen on some of them', async () => {
    const found = await Promise.all(
      FILES.map((file) => findSpentReward(readPChainRecording(join(projectFolder(), file)))),
    );
    expect(found.filter((spent) => spent !== undefined).length).toBeGreaterThan(0);
  });
});

/** The first whole reward of a staker's own that was spent, and the block that did. */
async function findSpentReward(
  recording: PChainRecording,
): Promise<{ stakerTxId: Id; amount: bigint; height: bigint } | undefined> {
  const { genesis, rules } = await chainOf(recording);
  const replay = new BlockReplay(genesisState(genesis, rules).state);
  const rewards = new Map<Id, CreatedUtxo>();
  for (const { bytes } of recording.blocks) {
    replay.apply(parseBlock(fromHex(bytes)));
    const changes = replay.takeChanges();
    for (const { utxoId, blockHeight } of changes?.consumedUtxos ?? []) {
      const reward = rewards.get(utxoId);
      if (reward === undefined) continue;
      return { stakerTxId: reward.txId, amount: reward.output.amount, height: blockHeight };
    }
    for (const utxo of changes?.createdUtxos ?? []) {
      if (utxo.rewardType === 'VALIDATOR') rewards.set(utxo.utxoId, utxo);
    }
  }
  return undefined;
}

/** Replays the recording; `afterBlock` decides what is written when, and may give a state to go on with. */
async function index(
  recording: PChainRecording,
  database: DataSource,
  afterBlock: (replay: BlockReplay, write: () => Promise<void>) => Promise<PChainState | void>,
): Promise<void> {
  const { genesis, rules } = await chainOf(recording);
  const begun = genesisState(genesis, rules);
  const writer = new PChainWriter(database);
  let replay = new BlockReplay(begun.state);
  let written: StateChanges['tip'] | null = null;
  const write = async (changes = replay.takeChanges()): Promise<void> => {
    if (changes === null) return;
    await writer.write({
      ...{ network: 'fuji', after: written, changes, letters: chainLetters(genesis) },
      ...{ identity: { networkId: recording.networkId, genesisId: genesis.id }, upgrades: rules.upgrades },
      ...{ avaxAssetId: rules.avaxAssetId, getSubnet: (id) => replay.state.getSubnet(id) },
    });
    written = changes.tip;
  };
  await write(begun.changes);
  for (const { bytes } of recording.blocks) {
    replay.apply(parseBlock(fromHex(bytes)));
    const state = await afterBlock(replay, () => write());
    if (state instanceof PChainState) replay = new BlockReplay(state);
  }
}
