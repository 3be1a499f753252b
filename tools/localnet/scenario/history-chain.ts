import type { BlockFields } from '../../../src/avalanche/platformvm/codec/block.js';
import { blockId, packBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import { packTransaction, transactionId } from '../../../src/avalanche/platformvm/codec/transaction.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { Transaction, UnsignedTx } from '../../../src/avalanche/platformvm/transaction.js';
import { BlockRefusedError, type HistoryVm } from './history-vm.js';

/** The VM's error about a block that passes over a change, in Go's form of a time. */
const NEXT_CHANGE = /next staker change time \((\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) /;

export type Decision = 'commit' | 'abort';

interface Head {
  readonly id: Id;
  readonly height: bigint;
  /** UNIX seconds. */
  readonly time: number;
}

/** Settings of a validator that renews itself; a reconfiguration changes them, too. */
export interface Renewal {
  /** Seconds of the next cycle; 0 leaves. */
  period: number;
  /** At the end of each cycle from now on. */
  decision: Decision;
}

/** Whose reward has to be decided, and how. */
type DueStaker =
  { readonly txId: Id; readonly decision: Decision } | { readonly txId: Id; readonly renewal: Renewal };

/** Something that chain time must not pass without a block. */
interface Event {
  readonly time: number;
  /** Null when time alone does it. */
  readonly staker: DueStaker | null;
}

/** Makes the blocks of a P-chain of the past: in the forms of the time, with the decisions that the scenario wants. */
export class HistoryChain {
  private events: Event[] = [];
  private head: Head;
  /** The time before any block has one; since Banff there is none without anything in it. */
  private clock = 0;
  private carried: Transaction[] = [];

  constructor(
    private readonly vm: HistoryVm,
    private readonly options: {
      genesis: Head;
      /** UNIX seconds; before it blocks are of the Apricot forms. */
      banffTime: number;
      /** Called whenever the chain has a new decided state. */
      onDecided: () => Promise<unknown>;
    },
  ) {
    this.head = options.genesis;
  }

  /** Of the next block, UNIX seconds. */
  get time(): number {
    return Math.max(this.head.time, this.clock);
  }

  /** A staker that starts (if later than now) and whose reward will be decided like this. */
  expectStaker(staker: { txId: Id; start?: number; end: number; decision: Decision }): void {
    const { txId, start, end, decision } = staker;
    if (start !== undefined) this.expectChange(start);
    this.events.push({ time: end, staker: { txId, decision } });
  }

  /** A validator that renews itself; `end` of its current cycle. */
  expectRenewals({ txId, end, renewal }: { txId: Id; end: number; renewal: Renewal }): void {
    this.events.push({ time: end, staker: { txId, renewal } });
  }

  /** A start, a permissioned validator's end, or an L1 validator's. */
  expectChange(time: number): void {
    if (time > this.time) this.events.push({ time, staker: null });
  }

  /** Transactions for the block that proposes the next reward. */
  carryWithNextReward(...transactions: Transaction[]): void {
    this.carried.push(...transactions);
  }

  /** For a change that will not come after all. */
  forgetChange(time: number): void {
    const index = this.events.findIndex((event) => event.time === time && event.staker === null);
    if (index >= 0) this.events.splice(index, 1);
  }

  /** Decided at once. */
  async standard(...transactions: Transaction[]): Promise<void> {
    const common = { ...this.next(), transactions };
    await this.accept(
      this.isApricot
        ? { type: 'ApricotStandard', ...common }
        : { type: 'BanffStandard', time: BigInt(this.time), ...common },
    );
    await this.options.onDecided();
  }

  /** A block of its own for an import or export, as before Apricot Phase 5. */
  async atomic(transaction: Transaction): Promise<void> {
    await this.accept({ type: 'ApricotAtomic', ...this.next(), transaction });
    await this.options.onDecided();
  }

  /** A proposal and what becomes of it; with transactions that hold in any case. */
  async propose(
    transaction: Transaction,
    decision: Decision,
    { time = this.time, transactions = [] }: { time?: number; transactions?: readonly Transaction[] } = {},
  ): Promise<void> {
    const isCommit = decision === 'commit';
    if (this.isApricot) {
      if (transactions.length > 0) throw new Error('a proposal before Banff is one transaction');
      await this.accept({ type: 'ApricotProposal', ...this.next(), transaction });
      await this.accept({ type: isCommit ? 'ApricotCommit' : 'ApricotAbort', ...this.next() });
    } else {
      const timed = { time: BigInt(time) };
      await this.accept({ type: 'BanffProposal', ...timed, transactions, ...this.next(), transaction });
      await this.accept({ type: isCommit ? 'BanffCommit' : 'BanffAbort', ...timed, ...this.next() });
    }
    await this.options.onDecided();
  }

  /** Moves chain time, with a block for everything that happens on the way; `transactions` go into the last one. */
  async advanceTo(time: number, ...transactions: Transaction[]): Promise<void> {
    for (;;) {
      const next = Math.min(...this.events.map((event) => event.time));
      if (next > time) break;
      const due = this.events.filter((event) => event.time === next);
      this.events = this.events.filter((event) => event.time !== next);
      await this.happen(next, due);
    }
    if (this.isApricot || transactions.length > 0) await this.setTime(time, transactions);
    this.clock = time;
  }

  /** Moves chain time with a block for everything that the VM finds on the way. Since Banff, and without stakers. */
  async driftTo(time: number, ...transactions: Transaction[]): Promise<void> {
    for (;;) {
      try {
        return await this.setTime(time, transactions);
      } catch (error) {
        const change = error instanceof BlockRefusedError ? NEXT_CHANGE.exec(error.message)?.[1] : undefined;
        if (change === undefined) throw error;
        await this.setTime(Date.parse(`${change.replace(' ', 'T')}Z`) / 1000, []);
      }
    }
  }

  /** Tried and not decided in favour: chain time stays. Before Banff only. */
  async failToAdvanceTo(time: number): Promise<void> {
    await this.propose(unsigned({ type: 'AdvanceTime', time: BigInt(time) }), 'abort');
  }

  private get isApricot(): boolean {
    return this.head.time < this.options.banffTime;
  }

  private async happen(time: number, due: readonly Event[]): Promise<void> {
    const stakers = due.flatMap(({ staker }) => (staker === null ? [] : [staker]));
    if (this.isApricot || stakers.length === 0) await this.setTime(time, []);
    while (stakers.length > 0) await this.rewardNext(time, stakers);
  }

  private async setTime(time: number, transactions: readonly Transaction[]): Promise<void> {
    if (this.isApricot && time < this.options.banffTime) {
      if (time > this.head.time) {
        await this.propose(unsigned({ type: 'AdvanceTime', time: BigInt(time) }), 'commit');
        this.head = { ...this.head, time };
      }
      if (transactions.length > 0) await this.standard(...transactions);
      return;
    }
    await this.accept({ type: 'BanffStandard', time: BigInt(time), ...this.next(), transactions });
    await this.options.onDecided();
  }

  /** The VM knows whose turn it is among those that end at once. */
  private async rewardNext(time: number, stakers: DueStaker[]): Promise<void> {
    const refusals: string[] = [];
    for (const [index, staker] of stakers.entries()) {
      try {
        const decision = decisionOn(staker);
        await this.propose(rewardOf(staker, time), decision, { time, transactions: this.carried });
        this.carried = [];
        stakers.splice(index, 1);
        if ('renewal' in staker && decision === 'commit') this.expectNextCycle(time, staker);
        return;
      } catch (error) {
        if (!(error instanceof BlockRefusedError)) throw error;
        refusals.push(error.message);
      }
    }
    throw new BlockRefusedError(`nobody can be rewarded at ${time}: ${refusals.join('; ')}`);
  }

  private expectNextCycle(start: number, { txId, renewal }: { txId: Id; renewal: Renewal }): void {
    if (renewal.period > 0) this.expectRenewals({ txId, end: start + renewal.period, renewal });
  }

  private next(): { parentId: Id; height: bigint } {
    return { parentId: this.head.id, height: this.head.height + 1n };
  }

  private async accept(block: BlockFields): Promise<void> {
    const bytes = packBlock(block);
    await this.vm.accept(bytes).catch((error: unknown) => {
      if (!(error instanceof BlockRefusedError)) throw error;
      throw new BlockRefusedError(`${block.type} ${block.height} at ${this.time}: ${error.message}`);
    });
    const time = 'time' in block ? Number(block.time) : this.time;
    this.head = { id: blockId(bytes), height: block.height, time };
  }
}

function decisionOn(staker: DueStaker): Decision {
  return 'renewal' in staker ? staker.renewal.decision : staker.decision;
}

function rewardOf(staker: DueStaker, time: number): Transaction {
  const { txId: stakerTxId } = staker;
  return unsigned(
    'renewal' in staker
      ? { type: 'RewardAutoRenewedValidator', stakerTxId, timestamp: BigInt(time) }
      : { type: 'RewardValidator', stakerTxId },
  );
}

/** Transactions that nodes put into blocks by themselves are signed by nobody. */
function unsigned(tx: UnsignedTx): Transaction {
  const parts = { unsigned: tx, credentials: [] };
  return { id: transactionId(packTransaction(parts)), ...parts };
}
