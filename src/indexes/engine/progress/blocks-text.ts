/** A number of blocks, for people. */
export function blocksText(count: bigint): string {
  return count === 1n ? '1 block' : `${count.toLocaleString('en-US')} blocks`;
}
