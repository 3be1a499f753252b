const FULL_PERCENTAGE = 100n;

/**
 * signed/total >= percentage/100 in unbounded integers, as the verifier counts
 * (avalanchego v1.14.2 vms/platformvm/warp/validator.go, VerifyWeight). `percentage` is an integer.
 */
export function isQuorumReached(quorum: {
  signedWeight: bigint;
  totalWeight: bigint;
  percentage: bigint | number;
}): boolean {
  return quorum.signedWeight * FULL_PERCENTAGE >= quorum.totalWeight * BigInt(quorum.percentage);
}

/** Smallest weight that reaches the percentage: ceil(total * percentage / 100). Flooring would be one short at the edge. */
export function minimumWeight(quorum: { totalWeight: bigint; percentage: bigint | number }): bigint {
  return (quorum.totalWeight * BigInt(quorum.percentage) + FULL_PERCENTAGE - 1n) / FULL_PERCENTAGE;
}
