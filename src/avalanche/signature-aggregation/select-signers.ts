import { hasQuorum } from './quorum.js';

export interface Signer {
  index: number;
  weight: bigint;
}

/**
 * The heaviest signers that together reach the percentage (ties: canonical order), in canonical order: verifiers on EVM chains
 * charge per signer. All of them when they do not reach it.
 */
export function selectSigners<T extends Signer>(
  signers: readonly T[],
  goal: { totalWeight: bigint; percentage: number },
): T[] {
  const byWeight = [...signers].sort((a, b) =>
    a.weight === b.weight ? a.index - b.index : a.weight > b.weight ? -1 : 1,
  );
  const selected: T[] = [];
  let signedWeight = 0n;
  for (const signer of byWeight) {
    if (hasQuorum({ signers: selected.length, signedWeight, ...goal })) break;
    selected.push(signer);
    signedWeight += signer.weight;
  }
  return selected.sort((a, b) => a.index - b.index);
}
