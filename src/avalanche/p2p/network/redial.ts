/** When a node is dialled again. Each delay is lengthened by up to a quarter at random, so that nodes do not come in waves. */
export interface RedialLimits {
  /** After the first failure on this machine; doubled with each further one. */
  loopbackDelayMs: number;
  maxLoopbackDelayMs: number;
  /**
   * The same elsewhere. A node admits one connection per source address in 10 s and closes earlier ones before TLS
   * (avalanchego v1.15.0 network/throttling/inbound_conn_upgrade_throttler.go), so less would never succeed.
   */
  remoteDelayMs: number;
  maxRemoteDelayMs: number;
  /** So many connections in a row that are closed before TLS are the node's admission at work; further ones are failures. */
  maxThrottles: number;
  /** A connection that lasted so long clears the failures before it. */
  stableAfterMs: number;
}

export const DEFAULT_REDIAL_LIMITS: RedialLimits = {
  loopbackDelayMs: 200,
  maxLoopbackDelayMs: 30_000,
  remoteDelayMs: 10_500,
  // As long as nodes wait for each other at most: one that was restarted is back within a minute.
  maxRemoteDelayMs: 60_000,
  maxThrottles: 12,
  stableAfterMs: 60_000,
};

/** Nodes that restart together are not all redialled in the same instant. */
const MAX_FIRST_DELAY_MS = 1000;
const JITTER = 0.25;

/** Delay before the next attempt, after so many failures in a row; none after a connection that was stable. */
export function redialDelayMs(
  failures: number,
  isLoopback: boolean,
  limits: RedialLimits,
  random: () => number = Math.random,
): number {
  const first = isLoopback ? limits.loopbackDelayMs : limits.remoteDelayMs;
  if (failures === 0) {
    return random() * Math.min(first, MAX_FIRST_DELAY_MS);
  }
  const max = isLoopback ? limits.maxLoopbackDelayMs : limits.maxRemoteDelayMs;
  // Doubling is bounded before it is computed: 2 ** 1100 is Infinity, and a node may fail that often.
  const delay = Math.min(max, first * 2 ** Math.min(failures - 1, 30));
  return delay * (1 + JITTER * random());
}

/** Delay after a connection that the node did not admit because others from this address came before: no two try in step. */
export function throttledDelayMs(limits: RedialLimits, random: () => number = Math.random): number {
  return limits.remoteDelayMs * (1 + random());
}
