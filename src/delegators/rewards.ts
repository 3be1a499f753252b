const MILLION = 1_000_000n;
const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * The delegator's part of a reward, the validator keeping `shares` millionths (avalanchego v1.14.2 vms/platformvm/reward, Split):
 * floored, and in another order where the product would not fit a uint64.
 */
export function delegatorPart(reward: bigint, shares: number): bigint {
  const kept = MILLION - BigInt(shares);
  return kept * reward <= MAX_UINT64 ? (kept * reward) / MILLION : kept * (reward / MILLION);
}
