import { AvalancheError } from '../avalanche.error.js';

/** Why validators did not sign, counted by reason; `weight` is the sum of the entries concerned. */
export interface FailureCause {
  reason: string;
  validators: number;
  weight: bigint;
}

export interface AggregationFacts {
  quorumPercentage: number;
  /** Entries of the canonical set, and how many of them were asked at least once. */
  validatorCount: number;
  validatorsAsked: number;
  totalWeight: bigint;
  /** Of validators that have a key and are not excluded. */
  signableWeight: bigint;
  connectedWeight: bigint;
  signedWeight: bigint;
  /** The heaviest causes first, at most five. */
  causes: readonly FailureCause[];
}

export type AggregationErrorCode =
  /** Connected (or already signed) weight stayed below the quorum. */
  | 'INSUFFICIENT_CONNECTED_WEIGHT'
  /** Enough weight was connected, but too little of it signed in time. */
  | 'INSUFFICIENT_SIGNATURES'
  /** The set cannot reach the quorum at all: too much of its weight has no key or no funds. */
  | 'INSUFFICIENT_SIGNING_WEIGHT';

export class AggregationError extends AvalancheError<AggregationErrorCode> {
  constructor(
    code: AggregationErrorCode,
    readonly facts: AggregationFacts,
    /** True when more time within the same attempt could not have helped. */
    readonly isFinal: boolean,
  ) {
    super(code, describe(code, facts));
  }
}

function describe(code: AggregationErrorCode, facts: AggregationFacts): string {
  const share = (weight: bigint) =>
    `${weight} of ${facts.totalWeight} (${percentageOf(weight, facts.totalWeight)} %)`;
  const head = {
    INSUFFICIENT_CONNECTED_WEIGHT: 'failed to connect to a threshold of stake',
    INSUFFICIENT_SIGNATURES: 'failed to collect a threshold of signatures',
    INSUFFICIENT_SIGNING_WEIGHT: 'the validators that can sign do not hold the threshold of stake',
  }[code];
  const causes = facts.causes.map((cause) => `${cause.validators}× ${cause.reason}`).join(', ');
  const signable =
    code === 'INSUFFICIENT_SIGNING_WEIGHT' ? `able to sign ${share(facts.signableWeight)}, ` : '';
  return (
    `${head}: ${facts.quorumPercentage} % needed, ${signable}connected weight ${share(facts.connectedWeight)}, ` +
    `signed weight ${share(facts.signedWeight)}, ${facts.validatorsAsked} of ${facts.validatorCount} validators asked` +
    (causes === '' ? '' : `; ${causes}`)
  );
}

/** Percentage with two decimals, floored, so that 66.999 never reads as 67. */
export function percentageOf(weight: bigint, totalWeight: bigint): number {
  return totalWeight === 0n ? 0 : Number((weight * 10_000n) / totalWeight) / 100;
}
