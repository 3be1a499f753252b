/** Millionths as percent, without superfluous zeros; exact, as there are at most seven digits. */
export function toPercent(millionths: number): string {
  return String(millionths / 10_000);
}
