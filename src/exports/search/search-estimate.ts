import type { SearchRange } from '../../avalanche/evm/history/account-history.js';
import type { StateQuery } from '../../avalanche/evm/rpc/evm-client.js';

/** A window of logs: three filters, and the blocks that prove their answers. */
const CALLS_PER_WINDOW = 6;
/** A block that is found: it, its receipts, and what they leave open. */
const CALLS_PER_BLOCK = 4;

/**
 * How much of a search is done, roughly, in calls to nodes. What is on record counts as asked: whoever goes on begins where the one
 * before stood.
 */
export class SearchEstimate {
  private readonly blocks: number;
  private readonly halvings: number;
  private field: StateQuery['field'] = 'nonce';
  private round = -1;
  /** Blocks that raise a nonce, at the most; and those that raise a balance, roughly. */
  private signed = 0;
  private received = 0;
  private windows = 0;
  private asked = 0;
  /** Calls: for logs, for the round of questions under way, for what follows it. At first nobody knows. */
  private left = { logs: 0, round: 0, later: Infinity };

  constructor(private readonly range: SearchRange) {
    this.blocks = Number(range.to - range.from);
    this.halvings = halvingsOf(this.blocks);
  }

  /** From 0 to 1. */
  get done(): number {
    const { logs, round, later } = this.left;
    return this.asked === 0 ? 0 : this.asked / (this.asked + logs + round + later);
  }

  /** States that are known now. */
  answer(states: number): void {
    this.asked += states;
    this.left.round = Math.max(0, this.left.round - states);
  }

  /** By how much the nonces rise from one end to the other: it says how many questions there will be, before they are asked. */
  expect(signed: number): void {
    this.signed = Math.min(signed, this.blocks);
    this.left.later = growing(1, this.signed, this.halvings) + this.forBalances();
  }

  /** So many more windows, the last of which ends there. */
  searchLogs(windows: number, to: bigint): void {
    this.windows += windows;
    this.asked += windows * CALLS_PER_WINDOW;
    const perHeight = (this.windows * CALLS_PER_WINDOW) / Number(to - this.range.from);
    this.left.logs = perHeight * Math.max(0, Number(this.range.to - to));
  }

  /** Before the questions of one round of halving, of which some are `missing`. */
  beginRound(queries: readonly StateQuery[], missing: number): void {
    const field = queries[0]?.field ?? this.field;
    this.round = field === this.field ? this.round + 1 : 0;
    this.field = field;
    this.left.round = missing;
    const open = queries.length;
    if (field === 'nonce') {
      this.left.later = growing(open, this.signed, this.halvings - this.round) + this.forBalances();
    } else if (this.round > 0) {
      if (this.round === 1) this.received = this.receivedIn(open);
      const { signed, received } = this;
      const rounds = this.halvings - halvingsOf(signed) - this.round;
      this.left.later = growing(open, received, rounds) + (signed + received) * CALLS_PER_BLOCK;
    }
  }

  /** All questions are answered. */
  endRounds(blocks: number): void {
    this.left = { ...this.left, round: 0, later: blocks * CALLS_PER_BLOCK };
  }

  /** Those around each signature, and the halvings of what was received between them, of which nothing is known yet: as often as signed. */
  private forBalances(): number {
    const { signed } = this;
    const received = Math.max(1, signed);
    const rounds = this.halvings - halvingsOf(signed) + 1;
    return 2 * signed + received * rounds + (signed + received) * CALLS_PER_BLOCK;
  }

  /** Blocks that raise a balance, if they have hit so many of the stretches between signatures by chance. */
  private receivedIn(stretches: number): number {
    const all = this.signed + 1;
    const missed = Math.max(all - stretches, 0.5) / all;
    return Math.max(stretches, Math.round(-all * Math.log(missed)));
  }
}

/** Each round has twice the questions of the one before, until there are as many as changes. */
function growing(open: number, changes: number, rounds: number): number {
  let calls = 0;
  for (let round = 1; round <= rounds; round += 1) {
    calls += Math.min(Math.max(open, changes), open * 2 ** round);
  }
  return calls;
}

/** Of a stretch of so many blocks, until one of them is left. */
function halvingsOf(blocks: number): number {
  return Math.ceil(Math.log2(blocks + 1));
}
