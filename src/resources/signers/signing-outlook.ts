import { hasQuorum } from '../../avalanche/signature-aggregation/quorum.js';

/** Usual on Avalanche, and what EVM chains ask for unless configured otherwise. */
export const QUORUM_PERCENTAGE = 67;

interface Weighed {
  readonly nodeIds: readonly string[];
  readonly weight: bigint;
}

/** A key with the nodes that sign with it: one is enough. */
export interface Signer extends Weighed {
  /** Whether nothing is known that keeps it from signing now. */
  readonly canSign: boolean;
  /** Whether it has signed lately. */
  readonly isProven: boolean;
}

export interface SigningOutlook {
  readonly signingWeight: bigint;
  readonly provenWeight: bigint;
  readonly isQuorumMet: boolean;
  /** The fewest signers without which the others do not make the quorum, the heaviest first; empty where it is not met now. */
  readonly indispensable: readonly Signer[];
}

/** The share of a set that would sign now, and how many validators may be lost. */
export function signingOutlook(signers: readonly Signer[], totalWeight: bigint): SigningOutlook {
  const able = signers.filter(({ canSign }) => canSign).toSorted(byWeight);
  const sum = (some: readonly Signer[]): bigint => some.reduce((total, { weight }) => total + weight, 0n);
  const isMetWithout = (lost: number): boolean => {
    const left = able.slice(lost);
    return hasQuorum({
      signers: left.length,
      signedWeight: sum(left),
      totalWeight,
      percentage: QUORUM_PERCENTAGE,
    });
  };
  let lost = 0;
  while (isMetWithout(lost)) lost += 1;
  return {
    signingWeight: sum(able),
    provenWeight: sum(able.filter(({ isProven }) => isProven)),
    isQuorumMet: lost > 0,
    indispensable: able.slice(0, lost),
  };
}

/** The heaviest first; of equal ones always the same. */
export function byWeight(a: Weighed, b: Weighed): number {
  if (a.weight !== b.weight) return a.weight > b.weight ? -1 : 1;
  const [first = '', second = ''] = [a.nodeIds[0], b.nodeIds[0]];
  return first < second ? -1 : Number(first > second);
}
