import { z } from 'zod';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../../src/avalanche/ids/id.js';
import { blockId, parseBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import { parseUtxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import type { TransferableOutput } from '../../../src/avalanche/platformvm/output.js';
import type { Transaction } from '../../../src/avalanche/platformvm/transaction.js';
import type { PChainRecording, RecordedAnswers } from '../../../sandbox/recording/p-chain-recording.js';
import { chainOf } from './p-chain-ledger.js';

const StakeSchema = z.object({
  txID: z.string(),
  nodeID: z.string(),
  startTime: z.coerce.number(),
  endTime: z.coerce.number(),
  potentialReward: z.coerce.bigint().default(0n),
});
const ValidatorSchema = StakeSchema.extend({
  delegators: z.array(StakeSchema).nullish(),
  nextPeriod: z.coerce.number().optional(),
  autoCompoundRewardShares: z.coerce.number().optional(),
  delegationFee: z.coerce.number().optional(),
});

/** A transaction whose stake runs, read from its block and from the node's answers. Ids are cb58, addresses hex. */
export interface ExpectedStaking {
  readonly txHash: string;
  readonly txType: string;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly blockTimestamp: number;
  readonly nodeId: string;
  readonly startTimestamp: number;
  readonly endTimestamp: number;
  readonly unsigned: Transaction['unsigned'];
  /** Whoever has to do with it. */
  readonly addresses: ReadonlySet<string>;
  /** `transaction:index` of each. */
  readonly consumed: readonly string[];
  readonly outputs: readonly TransferableOutput[];
  /** As the node promises it: of a delegation with the validator's fee. */
  readonly potentialReward: bigint;
  /** Millionths of it that do not come to the staker; null where nothing is shared. */
  readonly keptShares: number | null;
}

interface Placed {
  readonly transaction: Transaction;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly blockTimestamp: number;
}

/** Transactions that validate or delegate by a node's answers, without L1 validators. */
export function stakingIdsOf({ validators }: Pick<RecordedAnswers, 'validators'>): string[] {
  return Object.values(validators)
    .flat()
    .map((answer) => ValidatorSchema.safeParse(answer).data)
    .filter((validator) => validator !== undefined)
    .flatMap(({ txID, delegators }) => [txID, ...(delegators ?? []).map((delegator) => delegator.txID)]);
}

/** Of the end of a recording, from the oldest block on and then by id. */
export async function expectedStaking(recording: PChainRecording): Promise<ExpectedStaking[]> {
  const final = recording.answers.at(-1);
  if (final === undefined) throw new Error('no answers');
  const placed = await placedTransactions(recording);
  const ownersOf = await outputOwners(recording, placed);
  const expected: ExpectedStaking[] = [];
  const add = (stake: z.output<typeof StakeSchema>, keptShares: number | null): void => {
    const found = placed.get(stake.txID);
    if (found === undefined) throw new Error(`no transaction ${stake.txID}`);
    const { transaction, ...block } = found;
    const { unsigned } = transaction;
    if (!('inputs' in unsigned)) throw new Error(`${unsigned.type} stakes nothing`);
    const consumed = unsigned.inputs.map(({ txId, outputIndex }) => `${txId}:${outputIndex}`);
    const outputs = 'stake' in unsigned ? [...unsigned.outputs, ...unsigned.stake] : unsigned.outputs;
    const owners = [
      ...outputs.map((output) => output.owners),
      ...('rewardsOwner' in unsigned ? [unsigned.rewardsOwner] : []),
      ...('validationRewardsOwner' in unsigned ? [unsigned.validationRewardsOwner] : []),
      ...('delegationRewardsOwner' in unsigned ? [unsigned.delegationRewardsOwner] : []),
      ...('validatorAuthority' in unsigned ? [unsigned.validatorAuthority] : []),
    ].flatMap(({ addresses }) => addresses);
    const spenders = consumed.flatMap((key) => {
      const of = ownersOf.get(key);
      if (of === undefined) throw new Error(`${key} has no owner`);
      return of;
    });
    expected.push({
      ...block,
      txHash: stake.txID,
      txType: `${unsigned.type}Tx`,
      nodeId: stake.nodeID,
      startTimestamp: stake.startTime,
      endTimestamp: stake.endTime,
      unsigned,
      addresses: new Set([...owners, ...spenders]),
      consumed,
      outputs,
      potentialReward: stake.potentialReward,
      keptShares,
    });
  };
  for (const validator of Object.values(final.validators).flat()) {
    const { data } = ValidatorSchema.safeParse(validator);
    if (data === undefined) continue;
    const { delegators, nextPeriod = 0, autoCompoundRewardShares = 0, delegationFee = 0 } = data;
    add(data, nextPeriod > 0 ? autoCompoundRewardShares : null);
    for (const delegator of delegators ?? []) add(delegator, Math.round(delegationFee * 10_000));
  }
  const keyOf = ({ blockTimestamp, txHash }: ExpectedStaking): string =>
    `${String(blockTimestamp).padStart(12, '0')} ${toHex(idFromString(txHash))}`;
  return expected.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** All of the chain by id in cb58, with those of the genesis in block 0. */
async function placedTransactions(recording: PChainRecording): Promise<Map<string, Placed>> {
  const { genesis } = await chainOf(recording);
  const placed = new Map<string, Placed>();
  const place = (transactions: readonly Transaction[], block: Omit<Placed, 'transaction'>): void => {
    for (const transaction of transactions) {
      placed.set(idToString(fromHex(transaction.id)), { transaction, ...block });
    }
  };
  let time = genesis.time;
  for (const { bytes, height } of recording.blocks) {
    const block = parseBlock(fromHex(bytes));
    if ('time' in block) time = Number(block.time);
    const hash = blockId(fromHex(bytes));
    const at = { blockHash: idToString(fromHex(hash)), blockNumber: height, blockTimestamp: time };
    if (height === '0') place(genesis.validators, { ...at, blockTimestamp: genesis.time });
    if ('transactions' in block) place(block.transactions, at);
    if ('transaction' in block) place([block.transaction], at);
  }
  return placed;
}

/** By `transaction:index`. */
async function outputOwners(
  recording: PChainRecording,
  placed: ReadonlyMap<string, Placed>,
): Promise<Map<string, readonly string[]>> {
  const { genesis } = await chainOf(recording);
  const owners = new Map<string, readonly string[]>();
  genesis.utxos.forEach(({ output }, index) =>
    owners.set(`${'00'.repeat(32)}:${index}`, output.owners.addresses),
  );
  for (const { transaction } of placed.values()) {
    const { id, unsigned } = transaction;
    if (!('outputs' in unsigned)) continue;
    const stake = 'stake' in unsigned ? unsigned.stake : [];
    [...unsigned.outputs, ...stake].forEach((output, index) =>
      owners.set(`${id}:${index}`, output.owners.addresses),
    );
  }
  const rewards = recording.answers.flatMap(({ rewardUtxos }) => Object.values(rewardUtxos).flat());
  for (const bytes of new Set(rewards)) {
    const { txId, outputIndex, output } = parseUtxo(fromHex(bytes));
    owners.set(`${txId}:${outputIndex}`, output.owners.addresses);
  }
  return owners;
}
