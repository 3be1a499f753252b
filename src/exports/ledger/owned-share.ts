/**
 * An account's part of an output: each owner has an equal one, in the order of the addresses. What the division leaves over is spread by
 * place, so that the parts of all owners, in however many accounts, add up to the amount, and nothing counts twice.
 */
export function ownedShare(
  amount: bigint,
  owners: readonly string[],
  isOurs: (owner: string) => boolean,
): bigint {
  const count = BigInt(owners.length);
  const upTo = (place: number): bigint => (amount * BigInt(place)) / count;
  return owners.reduce(
    (sum, owner, place) => (isOurs(owner) ? sum + upTo(place + 1) - upTo(place) : sum),
    0n,
  );
}
