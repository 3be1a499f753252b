import type { UncheckedBlsSignature } from '../bls/bls.js';
import type { CanonicalValidator } from '../warp/canonical-validator-set.js';
import type { AggregationFacts, FailureCause } from './aggregation.error.js';
import { hasQuorum } from './quorum.js';
import type { ClaimedSignature } from './bisect.js';
import type { CollectSignaturesRequest } from './collection-request.js';

const MAX_REPORTED_CAUSES = 5;

/**
 * Where one node's answer stands. `held`: connected, and asked only when it is needed; `absent`: asked when it connects;
 * `paused`: asked again in a moment; `done`: nothing more is expected of it.
 */
export type AskerState = 'held' | 'absent' | 'asked' | 'paused' | 'done';

/** One node of an entry that has not signed. */
export interface Asker {
  readonly index: number;
  readonly nodeId: string;
  state: AskerState;
  timesAsked: number;
}

/** An entry's signature has been proved or came in unproved, or its best asker knows what may come, if anything. */
type EntryState = 'signed' | 'claimed' | 'asked' | 'paused' | 'held' | 'absent' | 'lost';

interface Entry {
  readonly validator: CanonicalValidator;
  readonly counted: boolean;
  /** Undefined as long as nobody has looked at them: a made-up message never comes to most. */
  askers: readonly Asker[] | undefined;
  state: EntryState;
  signature: UncheckedBlsSignature | undefined;
  failure: string | undefined;
}

interface Sum {
  weight: bigint;
  entries: number;
}

/**
 * The sums of one collection: who signed, who still may, and what that means for quorum and buffer. Kept as entries change, so
 * that a look at them costs the same for five validators and a thousand.
 */
export class SigningProgress {
  private readonly entries: readonly Entry[];
  private readonly totalWeight: bigint;
  private readonly quorumPercentage: number;
  /** Quorum plus buffer. */
  private readonly goalPercentage: number;
  private readonly claims = new Map<number, ClaimedSignature>();
  /** The heaviest first, those that count for nothing last. */
  private readonly order: readonly number[];
  private whyUnasked = 'not asked yet';
  /** Of counted entries. */
  private readonly sums: Record<EntryState, Sum> = {
    signed: { weight: 0n, entries: 0 },
    claimed: { weight: 0n, entries: 0 },
    asked: { weight: 0n, entries: 0 },
    paused: { weight: 0n, entries: 0 },
    held: { weight: 0n, entries: 0 },
    absent: { weight: 0n, entries: 0 },
    lost: { weight: 0n, entries: 0 },
  };

  constructor(request: CollectSignaturesRequest) {
    const { validatorSet, quorumPercentage, quorumPercentageBuffer } = request;
    this.totalWeight = validatorSet.totalWeight;
    this.quorumPercentage = quorumPercentage;
    this.goalPercentage = quorumPercentage + quorumPercentageBuffer;
    this.entries = request.validatorSet.validators.map((validator, index) => {
      const entry: Entry = {
        validator,
        counted: !(request.excluded?.has(index) ?? false),
        askers: undefined,
        state: 'absent',
        signature: undefined,
        failure: undefined,
      };
      this.count(entry, 1);
      return entry;
    });
    const heaviestFirst = orderByWeight(validatorSet.validators);
    const counts = (index: number): boolean => this.entries[index]?.counted === true;
    this.order =
      (request.excluded?.size ?? 0) === 0
        ? heaviestFirst
        : heaviestFirst.toSorted((a, b) => Number(counts(b)) - Number(counts(a)));
  }

  /** The entry's nodes, however far they have come. */
  askersOf(index: number): readonly Asker[] {
    const entry = this.entries[index];
    if (entry === undefined) return [];
    entry.askers ??= entry.validator.nodeIds.map((nodeId) => ({
      index,
      nodeId,
      state: 'absent',
      timesAsked: 0,
    }));
    return entry.askers;
  }

  /** Entries that have not signed, in the order in which they are worth asking. */
  unsignedByWeight(): number[] {
    return this.order.filter((index) => {
      const state = this.entries[index]?.state;
      return state !== 'signed' && state !== 'claimed';
    });
  }

  /** Why those have not signed that nobody has asked. */
  explainUnasked(reason: string): void {
    this.whyUnasked = reason;
  }

  hasSigned(index: number): boolean {
    return this.entries[index]?.state === 'signed';
  }

  markSigned(index: number, signature: UncheckedBlsSignature): void {
    const entry = this.entries[index];
    if (entry === undefined || entry.state === 'signed') return;
    this.claims.delete(index);
    entry.signature = signature;
    this.move(entry, 'signed');
  }

  /** A signature that came in and was not proved. */
  claim(claim: ClaimedSignature): void {
    const entry = this.entries[claim.index];
    if (entry === undefined || entry.state === 'signed') return;
    this.claims.set(claim.index, claim);
    this.move(entry, 'claimed');
  }

  /** A claim, or something taken for signed, is wrong. */
  refute(index: number): void {
    const entry = this.entries[index];
    if (entry === undefined) return;
    this.claims.delete(index);
    this.move(entry, expectationOf(entry));
  }

  /** Something taken for signed is to be proved after all. */
  doubt(index: number): void {
    const entry = this.entries[index];
    if (entry?.signature === undefined || entry.state !== 'signed') return;
    const { signature, validator } = entry;
    entry.signature = undefined;
    this.claims.set(index, { index, publicKey: validator.publicKey, signature });
    this.move(entry, 'claimed');
  }

  openClaims(): ClaimedSignature[] {
    return [...this.claims.values()];
  }

  setAsker(asker: Asker, state: AskerState): void {
    const entry = this.entries[asker.index];
    if (entry === undefined) return;
    asker.state = state;
    if (state === 'asked') asker.timesAsked += 1;
    if (entry.state !== 'signed' && entry.state !== 'claimed') this.move(entry, expectationOf(entry));
  }

  noteFailure(index: number, reason: string): void {
    const entry = this.entries[index];
    if (entry !== undefined) entry.failure = reason;
  }

  get signedOrClaimedWeight(): bigint {
    return this.sums.signed.weight + this.sums.claimed.weight;
  }

  /** Whether quorum plus buffer is reached, by what was proved or by claims too, if they are right. */
  isGoalReached(withClaims: boolean, sparePercentage = 0): boolean {
    return this.reaches(this.goalPercentage + sparePercentage, withClaims ? SIGNED_OR_CLAIMED : SIGNED);
  }

  /** The same without the buffer. */
  isQuorumReached(withClaims: boolean): boolean {
    return this.reaches(this.quorumPercentage, withClaims ? SIGNED_OR_CLAIMED : SIGNED);
  }

  /** Whether quorum plus buffer is reached, with some percent of the total to spare, if all sign who were asked. */
  mayReachGoal(sparePercentage = 0): boolean {
    return this.reaches(this.goalPercentage + sparePercentage, ON_THE_WAY);
  }

  /** False once too much weight can no longer sign, whatever happens. */
  canReachQuorum(): boolean {
    return this.reaches(this.quorumPercentage, POSSIBLE);
  }

  /** Whether no one is left who could still answer. */
  isExhausted(): boolean {
    return this.areAnswersIn() && this.sums.absent.entries === 0;
  }

  /** Whether nothing more can come but from nodes that connect. */
  areAnswersIn(): boolean {
    const { asked, paused, held } = this.sums;
    return asked.entries + paused.entries + held.entries === 0;
  }

  isConnectedQuorum(isConnected: (nodeId: string) => boolean): boolean {
    return this.isQuorum(this.connected(isConnected), this.quorumPercentage);
  }

  /** Signatures of counted entries by index: those that were proved, and these claims. */
  signaturesWith(claims: readonly ClaimedSignature[]): Map<number, UncheckedBlsSignature> {
    const signatures = new Map<number, UncheckedBlsSignature>();
    this.entries.forEach(({ signature, counted }, index) => {
      if (signature !== undefined && counted) signatures.set(index, signature);
    });
    for (const { index, signature } of claims) {
      if (this.entries[index]?.counted) signatures.set(index, signature);
    }
    return signatures;
  }

  facts(isConnected: (nodeId: string) => boolean): AggregationFacts {
    return {
      quorumPercentage: this.quorumPercentage,
      validatorCount: this.entries.length,
      // Signatures that an earlier attempt gathered were asked for then.
      validatorsAsked: this.entries.filter(
        ({ askers, state }) => state === 'signed' || askers?.some(({ timesAsked }) => timesAsked > 0),
      ).length,
      totalWeight: this.totalWeight,
      signableWeight: Object.values(this.sums).reduce((sum, { weight }) => sum + weight, 0n),
      connectedWeight: this.connected(isConnected).weight,
      signedWeight: this.sums.signed.weight,
      causes: this.causes(),
    };
  }

  private move(entry: Entry, state: EntryState): void {
    if (entry.state === state) return;
    this.count(entry, -1);
    entry.state = state;
    this.count(entry, 1);
  }

  private count(entry: Entry, times: 1 | -1): void {
    if (!entry.counted) return;
    const sum = this.sums[entry.state];
    sum.entries += times;
    sum.weight += times === 1 ? entry.validator.weight : -entry.validator.weight;
  }

  private reaches(percentage: number, states: readonly EntryState[]): boolean {
    const sum: Sum = { weight: 0n, entries: 0 };
    for (const state of states) {
      sum.weight += this.sums[state].weight;
      sum.entries += this.sums[state].entries;
    }
    return this.isQuorum(sum, percentage);
  }

  private isQuorum({ weight, entries }: Sum, percentage: number): boolean {
    return hasQuorum({ signers: entries, signedWeight: weight, totalWeight: this.totalWeight, percentage });
  }

  /** A signature got before counts like a connection: its weight no longer depends on one. */
  private connected(isConnected: (nodeId: string) => boolean): Sum {
    const connected = this.entries.filter(
      ({ counted, state, validator }) =>
        counted && (state === 'signed' || state === 'claimed' || validator.nodeIds.some(isConnected)),
    );
    return {
      weight: connected.reduce((sum, { validator }) => sum + validator.weight, 0n),
      entries: connected.length,
    };
  }

  private causes(): FailureCause[] {
    const byReason = new Map<string, FailureCause>();
    for (const { state, failure, validator, counted } of this.entries) {
      if (state === 'signed') continue;
      const reason = counted ? (failure ?? this.whyUnasked) : 'excluded: too little balance';
      const cause = byReason.get(reason) ?? { reason, validators: 0, weight: 0n };
      byReason.set(reason, {
        reason,
        validators: cause.validators + 1,
        weight: cause.weight + validator.weight,
      });
    }
    return [...byReason.values()]
      .sort((a, b) => (a.weight < b.weight ? 1 : -1))
      .slice(0, MAX_REPORTED_CAUSES);
  }
}

/** States of an entry by what it may still come to. */
const SIGNED = ['signed'] as const;
const SIGNED_OR_CLAIMED = ['signed', 'claimed'] as const;
const ON_THE_WAY = ['signed', 'claimed', 'asked'] as const;
const POSSIBLE = ['signed', 'claimed', 'asked', 'paused', 'held', 'absent'] as const;

const BEST_FIRST = ['asked', 'paused', 'held', 'absent'] as const;

function expectationOf({ askers }: Entry): EntryState {
  if (askers === undefined) return 'absent';
  return BEST_FIRST.find((state) => askers.some((asker) => asker.state === state)) ?? 'lost';
}

const orders = new WeakMap<readonly CanonicalValidator[], readonly number[]>();

/** Remembered: many collections ask one set. */
function orderByWeight(validators: readonly CanonicalValidator[]): readonly number[] {
  let order = orders.get(validators);
  if (order === undefined) {
    order = validators
      .map(({ weight }, index) => ({ weight, index }))
      .sort((a, b) => (a.weight === b.weight ? a.index - b.index : a.weight > b.weight ? -1 : 1))
      .map(({ index }) => index);
    orders.set(validators, order);
  }
  return order;
}
