const FULL_PERCENTAGE = 100n;

/** Some signers of a set, by their sums, and what is asked of them. */
export interface Quorum {
  /** How many sign. */
  readonly signers: number;
  readonly signedWeight: bigint;
  /** Of the whole set, with those that cannot sign. */
  readonly totalWeight: bigint;
  /** An integer. */
  readonly percentage: number;
}

/**
 * signed/total >= percentage/100 in unbounded integers, as the verifier counts
 * (avalanchego v1.14.2 vms/platformvm/warp/validator.go, VerifyWeight). A percentage of 0 still takes one signer, because a message
 * without signers verifies nowhere.
 */
export function hasQuorum({ signers, signedWeight, totalWeight, percentage }: Quorum): boolean {
  return signers > 0 && signedWeight * FULL_PERCENTAGE >= totalWeight * BigInt(percentage);
}
