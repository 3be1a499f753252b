import { createHash } from 'node:crypto';
import type { Block, OptionBlock } from '../../../src/avalanche/platformvm/block.js';
import { PRIMARY_NETWORK, type Id, type ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type {
  OutputOwners,
  TransferableInput,
  TransferableOutput,
} from '../../../src/avalanche/platformvm/output.js';
import { PlatformVmError } from '../../../src/avalanche/platformvm/platformvm.error.js';
import type { Transaction, UnsignedTx } from '../../../src/avalanche/platformvm/transaction.js';
import { BlockReplay } from '../../../src/avalanche/platformvm/state/block-replay.js';
import { makeChainRules, AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';
import type { StateChanges } from '../../../src/avalanche/platformvm/state/changes.js';
import { PChainState } from '../../../src/avalanche/platformvm/state/p-chain-state.js';
import type { Staker, Validator } from '../../../src/avalanche/platformvm/state/records.js';
import type { UpgradeTimes } from '../../../src/avalanche/platformvm/state/upgrade-times.js';
import { codesOf } from '../code-of.js';

export const AVAX_ASSET: Id = 'a5'.repeat(32);
export const GENESIS_TIME = 1_600_000_000;
export const DAY = 24 * 60 * 60;

/** Times far enough apart for a test to live in the span it wants; Helicon never. */
export const UPGRADES: UpgradeTimes = {
  banff: GENESIS_TIME + 100 * DAY,
  cortina: GENESIS_TIME + 200 * DAY,
  durango: GENESIS_TIME + 300 * DAY,
  etna: GENESIS_TIME + 400 * DAY,
  helicon: GENESIS_TIME + 4_000 * DAY,
};

export function idOf(name: string): Id {
  return createHash('sha256').update(name).digest('hex');
}

export function nodeOf(name: string): ShortId {
  return idOf(name).slice(0, 40);
}

export function ownedBy(...names: string[]): OutputOwners {
  return { locktime: 0n, threshold: 1, addresses: names.map(nodeOf) };
}

export function output(amount: bigint, owners: OutputOwners = ownedBy('alice')): TransferableOutput {
  return { assetId: AVAX_ASSET, amount, stakeableLocktime: null, owners };
}

export function input(amount: bigint, from = 'somewhere'): TransferableInput {
  return {
    txId: idOf(from),
    outputIndex: 0,
    assetId: AVAX_ASSET,
    amount,
    stakeableLocktime: null,
    signatureIndices: [0],
  };
}

/** The fields in front of most transactions; nothing moves by default. */
export function base(moves: { inputs?: TransferableInput[]; outputs?: TransferableOutput[] } = {}) {
  return {
    networkId: 12345,
    blockchainId: PRIMARY_NETWORK,
    inputs: moves.inputs ?? [],
    outputs: moves.outputs ?? [],
    memo: new Uint8Array(),
  };
}

/** A chain of blocks without bytes or signatures, for the rules alone. */
export class TestChain {
  readonly replay: BlockReplay;
  private lastBlockId: Id;
  private height: bigint;
  private transactions = 0;

  constructor(options: { time?: number; upgrades?: Partial<UpgradeTimes>; supply?: bigint } = {}) {
    const rules = makeChainRules({
      networkId: 12345,
      avaxAssetId: AVAX_ASSET,
      upgrades: { ...UPGRADES, ...options.upgrades },
    });
    const blockId = idOf('genesis');
    const tip = {
      height: -1n,
      blockId,
      time: options.time ?? GENESIS_TIME,
      accruedFees: 0n,
      validatorExcess: 0n,
    };
    const supply = options.supply ?? 360_000_000n * AVAX;
    const stakes = [{ subnetId: PRIMARY_NETWORK, supply, totalWeight: 0n }];
    this.replay = new BlockReplay(
      new PChainState({ tip, stakers: [], stakes, subnets: [], l1Validators: [] }, rules),
    );
    this.lastBlockId = blockId;
    this.height = tip.height;
  }

  get state(): PChainState {
    return this.replay.state;
  }

  get time(): number {
    return this.state.tip.time;
  }

  transaction(unsigned: UnsignedTx): Transaction {
    return { id: idOf(`transaction ${++this.transactions}`), unsigned, credentials: [] };
  }

  /** A Banff standard block; returns what it did. */
  accept(time: number, ...unsigned: UnsignedTx[]): StateChanges & { ids: Id[] } {
    const transactions = unsigned.map((tx) => this.transaction(tx));
    this.apply({ type: 'BanffStandard', time: BigInt(time), transactions });
    return { ...this.take(), ids: transactions.map(({ id }) => id) };
  }

  /** An Apricot proposal and its option. */
  decideApricot(unsigned: UnsignedTx, decision: 'commit' | 'abort' = 'commit'): StateChanges & { id: Id } {
    const transaction = this.transaction(unsigned);
    this.apply({ type: 'ApricotProposal', transaction });
    this.apply({ type: decision === 'commit' ? 'ApricotCommit' : 'ApricotAbort' });
    return { ...this.take(), id: transaction.id };
  }

  /** A Banff proposal and its option. */
  decide(
    time: number,
    unsigned: UnsignedTx,
    decision: 'commit' | 'abort' = 'commit',
  ): StateChanges & { id: Id } {
    const transaction = this.transaction(unsigned);
    const type: OptionBlock['type'] = decision === 'commit' ? 'BanffCommit' : 'BanffAbort';
    this.apply({ type: 'BanffProposal', time: BigInt(time), transactions: [], transaction });
    this.apply({ type, time: BigInt(time) });
    return { ...this.take(), id: transaction.id };
  }

  apply(fields: DistributiveOmit<Block, 'id' | 'parentId' | 'height'>): void {
    const height = this.height + 1n;
    const id = idOf(`block ${height}`);
    this.replay.apply({ ...fields, id, parentId: this.lastBlockId, height });
    this.height = height;
    this.lastBlockId = id;
  }

  take(): StateChanges {
    const changes = this.replay.takeChanges();
    if (changes === null) throw new Error('nothing was decided');
    return changes;
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export function stakerIn(changes: StateChanges, txId: Id | undefined): Staker {
  const staker = txId === undefined ? undefined : changes.stakers.get(txId);
  if (staker === undefined) throw new Error(`no change of staker ${txId}`);
  return staker;
}

export function validatorIn(changes: StateChanges, txId: Id | undefined): Validator {
  const staker = stakerIn(changes, txId);
  if (staker.kind !== 'validator') throw new Error(`${txId} is no validator`);
  return staker;
}

export function burnedBy(transactions: StateChanges['transactions']): bigint[] {
  return [...transactions.values()].map(({ burned }) => burned);
}

/** Why it was refused. */
export const codeOf = codesOf(PlatformVmError);
