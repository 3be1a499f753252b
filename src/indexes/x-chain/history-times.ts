/**
 * When the X-chain of a network that is older than that became a line of blocks (Cortina; avalanchego v1.15.0
 * upgrade/upgrade.go), UNIX seconds. All other networks had blocks from the beginning.
 */
const FIRST_BLOCK_TIMES: ReadonlyMap<number, number> = new Map([
  [1, Date.parse('2023-04-25T15:00:00Z') / 1000],
  [5, Date.parse('2023-04-06T15:00:00Z') / 1000],
]);

/** When the first block of the network's X-chain may have come, UNIX seconds; undefined where there was no time before blocks. */
export function firstBlockTime(networkId: number): number | undefined {
  return FIRST_BLOCK_TIMES.get(networkId);
}

/** Whether there was a time before blocks. */
export function hasHistory(networkId: number): boolean {
  return firstBlockTime(networkId) !== undefined;
}

/**
 * When the transaction at a place among those before blocks was accepted, about: no node knows, so that they are taken to have come
 * evenly from the genesis to the first block.
 */
export function historyTime(
  networkId: number,
  genesisTime: number,
  { index, end }: { index: bigint; end: bigint },
): number {
  const lastTime = firstBlockTime(networkId) ?? genesisTime;
  const share = Number(index) / Math.max(1, Number(end));
  return genesisTime + Math.floor((lastTime - genesisTime) * share);
}
