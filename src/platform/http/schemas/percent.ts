/** Millionths as percent; exact, as there are at most seven digits. */
export function sharesToPercent(millionths: number): number {
  return millionths / 10_000;
}

/** The same as text, without superfluous zeros. */
export function toPercent(millionths: number): string {
  return String(sharesToPercent(millionths));
}
