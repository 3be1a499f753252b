import { toHex } from '../../../avalanche/ids/hex.js';
import { idFromString } from '../../../avalanche/ids/id.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';

/** How an X-chain that is older than that became a line of blocks (Cortina; avalanchego v1.15.0 upgrade/upgrade.go). */
export interface Linearization {
  /** When the first block may have come, UNIX seconds. */
  readonly time: number;
  /** Below which all vertices are accepted, and of which every transaction is executed before block 0. */
  readonly stopVertexId: Id;
}

/** All other networks had blocks from the beginning. */
const LINEARIZATIONS: ReadonlyMap<number, Linearization> = new Map([
  [1, at('2023-04-25T15:00:00Z', 'jrGWDh5Po9FMj54depyunNixpia5PN4aAYxfmNzU8n752Rjga')],
  [5, at('2023-04-06T15:00:00Z', '2D1cmbiG36BqQMRyHt4kFhWarmatA1ighSpND3FeFgz3vFVtCZ')],
]);

function at(time: string, stopVertex: string): Linearization {
  return { time: Date.parse(time) / 1000, stopVertexId: toHex(idFromString(stopVertex)) };
}

/** Undefined for networks that had no time before blocks. */
export function knownLinearization(networkId: number): Linearization | undefined {
  return LINEARIZATIONS.get(networkId);
}

/**
 * When the transaction at a place among those before blocks was accepted, about: no node knows, so that they are taken to have come
 * evenly from the genesis to the first block.
 */
export function historyTime(
  genesisTime: number,
  { time }: Linearization,
  { index, end }: { index: bigint; end: bigint },
): number {
  const share = Number(index) / Math.max(1, Number(end));
  return genesisTime + Math.floor((time - genesisTime) * share);
}
