import type { NodeBehaviourInput } from '../../../sandbox/node-behaviour.js';

/** A node whose P-chain has come to this time, UNIX seconds. */
export function pChainAt(timeSeconds: number): NodeBehaviourInput {
  const timestamp = new Date(timeSeconds * 1000).toISOString();
  return { answers: { 'platform.getTimestamp': { timestamp } } };
}
