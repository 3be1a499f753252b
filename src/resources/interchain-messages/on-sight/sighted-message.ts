import type { Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import { fromHex } from '../../../avalanche/ids/hex.js';
import { type IdCb58, idToCb58 } from '../../../avalanche/ids/text.js';
import type { WatchedLog } from '../../../indexes/evm/projections/watched-log.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { readMessageFacts } from '../message-facts.js';

/** Older blocks come with a history that is filled in or read anew: whoever wanted their messages signed has asked for it. */
const YOUNG_SECONDS = 300;

/** A message whose sending was just indexed. */
export interface SightedMessage {
  readonly chain: EvmChain;
  readonly id: Hash;
  readonly log: WatchedLog;
  readonly destinationBlockchainId: IdCb58;
}

export function isYoung({ blockTime }: Pick<WatchedLog, 'blockTime'>): boolean {
  return Date.now() / 1_000 - blockTime < YOUNG_SECONDS;
}

/** The messages that the chain's messengers send in these logs, without those of old blocks. */
export function sightedMessages(chain: EvmChain, logs: readonly WatchedLog[]): SightedMessage[] {
  const young = logs.filter(isYoung);
  if (young.length === 0) return [];
  return readMessageFacts(chain, young).sends.map(({ messageId: id, log, message }) => ({
    chain,
    id,
    log,
    destinationBlockchainId: idToCb58(fromHex(message.destinationBlockchainId.slice(2))),
  }));
}
