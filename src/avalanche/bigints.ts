/** The greatest of them; `Math.max` takes no bigints. */
export function greatest(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((most, each) => (each > most ? each : most), first);
}

export function least(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((fewest, each) => (each < fewest ? each : fewest), first);
}
