import { Buffer } from 'node:buffer';
import type { ChainNetwork } from '../p2p/network/chain-network.js';
import { PeerRequestError } from '../p2p/peer-request.error.js';
import { ChainSyncError } from './chain-sync.error.js';

/** Nodes answer within some hundred milliseconds; they may be busy with a block. */
const TIMEOUT_MS = 5_000;

export interface Elector {
  readonly nodeId: string;
  readonly weight: bigint;
}

/** Validators that decide whether a container is accepted. Those who do not answer count as not having accepted it. */
export interface Electorate {
  readonly electors: readonly Elector[];
  /** Weight that must have accepted it. */
  readonly required: bigint;
}

/**
 * Whether these nodes have accepted a container. Any height will do.
 * Throws ChainSyncError TOO_FEW_VOTES when those who did not answer might have made the difference, and when nobody is known who
 * could decide; or the signal's reason.
 */
export async function isAccepted(
  network: ChainNetwork,
  { chainId, containerId }: { chainId: Uint8Array; containerId: Uint8Array },
  { electors, required }: Electorate,
  signal: AbortSignal,
): Promise<boolean> {
  const total = totalWeight(electors);
  const votes = { yes: 0n, no: 0n };
  const over = new AbortController();
  if (required <= 0n || total < required) {
    throw new ChainSyncError('TOO_FEW_VOTES', 'nobody is known who could confirm what is accepted');
  }
  const isDenied = (): boolean => votes.no > total - required;
  const isDecided = (): boolean => votes.yes >= required || isDenied();
  const question = { kind: 'getAccepted', containerIds: [containerId] } as const;
  const request = { chainId, timeoutMs: TIMEOUT_MS, signal: AbortSignal.any([signal, over.signal]) };
  const ask = async ({ nodeId, weight }: Elector): Promise<void> => {
    const accepted = await network.ask(question, { nodeId, ...request }).catch(unlessUnanswered);
    if (accepted === undefined) return;
    if (accepted.some((id) => Buffer.compare(id, containerId) === 0)) votes.yes += weight;
    else votes.no += weight;
    if (isDecided()) over.abort(); // the others cannot change it any more
  };
  await Promise.all(electors.map(ask));
  signal.throwIfAborted();
  if (votes.yes >= required) return true;
  if (isDenied()) return false;
  throw new ChainSyncError(
    'TOO_FEW_VOTES',
    `${votes.yes} of ${total} have accepted it, ${votes.no} have not, ${required} are required`,
  );
}

export function totalWeight(electors: readonly Elector[]): bigint {
  return electors.reduce((sum, { weight }) => sum + weight, 0n);
}

function unlessUnanswered(error: unknown): undefined {
  if (error instanceof PeerRequestError) return undefined;
  throw error;
}
