import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import type { Block } from '../../src/avalanche/platformvm/block.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { unwrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import type { Id } from '../../src/avalanche/platformvm/ids.js';
import type { RewardType } from '../../src/avalanche/platformvm/state/records.js';
import type { TxType } from '../../src/avalanche/platformvm/transaction.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { transactionsOf } from '../../tools/localnet/scenario/p-chain-recorder.js';
import { FEE } from '../../tools/localnet/scenario/context.js';
import { readPChainRecording, type PChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { compareEnd, comparePChain } from '../support/p-chain/compare-p-chain.js';
import { startReplay, type LedgerReplay } from '../support/p-chain/p-chain-ledger.js';

/** Put into blocks by nodes, not by anybody who pays. */
const UNPAID = new Set<TxType>(['AdvanceTime', 'RewardValidator', 'RewardAutoRenewedValidator']);

/** Transactions that networks accept since Granite. */
const SINCE_GRANITE: readonly TxType[] = [
  'AddSubnetValidator',
  'CreateChain',
  'CreateSubnet',
  'Import',
  'Export',
  'RewardValidator',
  'RemoveSubnetValidator',
  'AddPermissionlessValidator',
  'AddPermissionlessDelegator',
  'TransferSubnetOwnership',
  'Base',
  'ConvertSubnetToL1',
  'RegisterL1Validator',
  'SetL1ValidatorWeight',
  'IncreaseL1ValidatorBalance',
  'DisableL1Validator',
];
/** Transactions that only a network's past has that lived through the upgrades. */
const OF_THE_PAST: readonly TxType[] = ['AddValidator', 'AddDelegator', 'AdvanceTime', 'TransformSubnet'];

/** Transactions that only networks accept that went through Helicon. */
const SINCE_HELICON: readonly TxType[] = [
  'AddAutoRenewedValidator',
  'SetAutoRenewedValidatorConfig',
  'RewardAutoRenewedValidator',
];
const OF_STAKERS: readonly TxType[] = [
  'AddPermissionlessValidator',
  'AddPermissionlessDelegator',
  'RewardValidator',
  'AddSubnetValidator',
  'RemoveSubnetValidator',
];
const OF_L1_VALIDATORS: readonly TxType[] = [
  'ConvertSubnetToL1',
  'RegisterL1Validator',
  'SetL1ValidatorWeight',
  'IncreaseL1ValidatorBalance',
  'DisableL1Validator',
];

const RECORDINGS = [
  {
    file: join('sandbox', 'recording', 'p-chain.json.br'),
    minAnswers: 60,
    types: [...SINCE_GRANITE, ...SINCE_HELICON],
  },
  { file: join('test', 'recordings', 'p-chain-granite.json.br'), minAnswers: 60, types: SINCE_GRANITE },
  {
    file: join('test', 'recordings', 'p-chain-upgrades.json.br'),
    minAnswers: 150,
    types: [...SINCE_GRANITE, ...OF_THE_PAST],
  },
  {
    file: join('test', 'recordings', 'p-chain-validator-fees.json.br'),
    minAnswers: 30,
    types: OF_L1_VALIDATORS,
  },
  {
    file: join('test', 'recordings', 'p-chain-helicon.json.br'),
    minAnswers: 150,
    types: [...SINCE_HELICON, ...OF_STAKERS],
  },
];

/** Made by `npm run record -- p-chain`. What avalanchego answered then has to follow from its blocks. */
describe.each(RECORDINGS)('recorded P-chain $file', ({ file, minAnswers, types }) => {
  const recording = readPChainRecording(join(projectFolder(), file));
  const answersByHeight = new Map(recording.answers.map((answers) => [answers.height, answers]));

  const expectSameState = async (afterEachBlock: (replay: LedgerReplay) => void): Promise<void> => {
    const replay = await startReplay(recording);
    let compared = 0;
    for (const { height, bytes } of recording.blocks) {
      replay.apply(fromHex(bytes));
      afterEachBlock(replay);
      const answers = answersByHeight.get(height);
      if (answers === undefined) continue;
      const { step } = answers;
      const { ours, nodes } = comparePChain(replay.ledger, answers, recording.networkId);
      expect({ step, ...ours }).toEqual({ step, ...nodes });
      compared += 1;
    }
    expect(compared).toBeGreaterThanOrEqual(minAnswers);
    const { ours, nodes } = compareEnd(replay.ledger, recording);
    expect(ours).toEqual(nodes);
    expect(replay.ledger.tip.height.toString()).toBe(recording.answers.at(-1)?.height);
  };

  it('gives the state of avalanchego at every height', async () => {
    await expectSameState(() => undefined);
  });

  it('gives the same when every block is applied to a state that was stored and loaded again', async () => {
    await expectSameState((replay) => replay.restart());
  });

  it('has every kind of transaction that is expected of it', () => {
    const seen = new Set(listByType(recording).map(({ type }) => type));
    expect(types.filter((type) => !seen.has(type))).toEqual([]);
  });

  it.each(listByType(recording))('compares the state after $compared of $count: $type', (row) => {
    // A VM stands still after every block; a network of nodes goes on.
    if (recording.genesis === null) expect(row.compared).toBeGreaterThan(0);
    else expect(row.compared).toBe(row.count);
  });

  it('holds the same blocks in the containers of the index API', () => {
    for (const { height, bytes, container } of recording.blocks) {
      if (container === null) continue;
      expect({ height, bytes: toHex(unwrapBlock(fromHex(container)).inner) }).toEqual({ height, bytes });
    }
  });

  it('burns what the scenario gave its transactions to burn', async () => {
    const { ledger } = await replayAll(recording);
    const burned = [...ledger.transactions.values()].map(({ type, burned }) => ({ type, burned }));
    const expected = burned.map(({ type }) => ({ type, burned: UNPAID.has(type) ? 0n : FEE }));
    expect(burned).toEqual(expected);
  });

  it('pays stakers what the reward outputs hold', async () => {
    const { ledger } = await replayAll(recording);
    const rewards = [...ledger.utxos.values()].filter(({ rewardType }) => rewardType !== null);
    const sumOf = (type: RewardType, txIds: readonly Id[]): bigint =>
      rewards
        .filter(({ rewardType, txId }) => rewardType === type && txIds.includes(txId))
        .reduce((sum, { output }) => sum + output.amount, 0n);
    const stakers = [...ledger.stakers.values()];
    const delegators = stakers.filter((staker) => staker.kind === 'delegator');
    for (const { txId, paidReward } of delegators) {
      expect({ txId, paid: paidReward }).toEqual({ txId, paid: sumOf('DELEGATOR', [txId]) });
    }
    const cycles = endsOfCycles(recording);
    for (const staker of stakers) {
      if (staker.kind === 'delegator') continue;
      const { txId, paidValidationReward, paidDelegationReward } = staker;
      const own = delegators.filter(({ validatorTxId }) => validatorTxId === txId);
      const paidBy = [txId, ...(cycles.get(txId) ?? [])];
      expect({ txId, paidValidationReward, paidDelegationReward }).toEqual({
        txId,
        paidValidationReward: sumOf('VALIDATOR', paidBy),
        paidDelegationReward: sumOf('VALIDATOR_FEE', [...paidBy, ...own.map((delegator) => delegator.txId)]),
      });
    }
  });

  it('gives who renews itself the weight of its stake and of what it staked again', async () => {
    const { ledger } = await replayAll(recording);
    for (const staker of ledger.stakers.values()) {
      if (staker.kind === 'delegator' || staker.autoRenewal === null) continue;
      const { txId, weight, autoRenewal } = staker;
      const { accruedValidationRewards, accruedDelegateeRewards } = autoRenewal;
      const staked = [...ledger.utxos.values()]
        .filter((utxo) => utxo.txId === txId && utxo.stake !== null)
        .reduce((sum, { output }) => sum + output.amount, 0n);
      expect({ txId, weight }).toEqual({
        txId,
        weight: staked + accruedValidationRewards + accruedDelegateeRewards,
      });
    }
  });

  it('settles the cycles of who renews itself one after the other, with all that was paid and staked again', async () => {
    const { ledger } = await replayAll(recording);
    const ends = endsOfCycles(recording);
    for (const staker of ledger.stakers.values()) {
      if (staker.kind === 'delegator' || staker.autoRenewal === null) continue;
      const { txId, start, status, weight, autoRenewal } = staker;
      const cycles = ledger.settledCycles.filter((cycle) => cycle.txId === txId);
      expect(cycles.map(({ rewardTxId }) => rewardTxId)).toEqual(ends.get(txId) ?? []);
      expect(cycles.map(({ cycleIndex }) => cycleIndex)).toEqual(cycles.map((_, i) => i + 1));
      const isOver = status === 'completed';
      expect(autoRenewal.cycleIndex).toBe(cycles.length + (isOver ? 0 : 1));
      const starts = [...cycles.slice(1), ...(isOver ? [] : [{ start, weight }])];
      for (const [i, cycle] of cycles.entries()) {
        const next = starts[i];
        const compounded = cycle.compoundedValidationReward + cycle.compoundedDelegateeReward;
        if (next === undefined) {
          expect({ outcome: cycle.outcome, compounded }).toEqual({
            outcome: autoRenewal.isAborted ? 'aborted' : 'exited',
            compounded: 0n,
          });
          continue;
        }
        expect({ start: cycle.end, weight: cycle.weight + compounded }).toEqual({
          start: next.start,
          weight: next.weight,
        });
        const paid = [...ledger.utxos.values()].filter((utxo) => utxo.txId === cycle.rewardTxId);
        expect(cycle.outcome).toBe('renewed');
        expect(cycle.withdrawnValidationReward + cycle.withdrawnDelegateeReward).toBe(
          paid.reduce((sum, { output }) => sum + output.amount, 0n),
        );
      }
      const delegations = [...ledger.stakers.values()].filter(
        (other) => other.kind === 'delegator' && other.validatorTxId === txId,
      );
      for (const cycle of cycles) {
        const own = delegations.filter((other) => other.start >= cycle.start && other.start < cycle.end);
        expect(cycle.delegatorCount).toBe(own.length);
        expect(cycle.delegatedWeight).toBe(own.reduce((sum, other) => sum + other.weight, 0n));
      }
    }
  });
});

interface TypeCount {
  readonly type: TxType;
  count: number;
  /** How many of them a state was compared after. */
  compared: number;
}

function listByType({ blocks, answers }: PChainRecording): TypeCount[] {
  const answered = new Set(answers.map(({ height }) => height));
  const counts = new Map<TxType, TypeCount>();
  for (const { bytes } of blocks) {
    const block = parseBlock(fromHex(bytes));
    // A proposal is decided by the block after it.
    const decidedAt = isProposal(block) ? block.height + 1n : block.height;
    for (const { unsigned } of transactionsOf(block)) {
      const row = counts.get(unsigned.type) ?? { type: unsigned.type, count: 0, compared: 0 };
      row.count += 1;
      row.compared += Number(answered.has(decidedAt.toString()));
      counts.set(unsigned.type, row);
    }
  }
  return [...counts.values()];
}

function isProposal({ type }: Block): boolean {
  return type === 'ApricotProposal' || type === 'BanffProposal';
}

/** The transactions that ended cycles, by the transaction that added the validator: what it is paid is theirs. */
function endsOfCycles({ blocks }: PChainRecording): Map<Id, Id[]> {
  const ends = new Map<Id, Id[]>();
  for (const { bytes } of blocks) {
    for (const { id, unsigned } of transactionsOf(parseBlock(fromHex(bytes)))) {
      if (unsigned.type !== 'RewardAutoRenewedValidator') continue;
      ends.set(unsigned.stakerTxId, [...(ends.get(unsigned.stakerTxId) ?? []), id]);
    }
  }
  return ends;
}

async function replayAll(recording: PChainRecording): Promise<LedgerReplay> {
  const replay = await startReplay(recording);
  for (const { bytes } of recording.blocks) replay.apply(fromHex(bytes));
  return replay;
}
