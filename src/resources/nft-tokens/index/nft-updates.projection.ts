import { greatest, least } from '../../../avalanche/bigints.js';
import { Injectable } from '@nestjs/common';
import type { Hex } from '../../../avalanche/evm/rpc/hex-values.js';
import { METADATA_UPDATE_TOPICS } from '../../../avalanche/evm/nft/metadata-updates.js';
import { evmChainKey } from '../../../platform/database/chains.js';
import type { Transaction } from '../../../platform/database/database.js';
import type { ProjectedChain, Projection } from '../../../indexes/evm/projections/projection.js';
import type { WatchedLog } from '../../../indexes/evm/projections/watched-log.js';
import { markChanged, type NftChange } from './nft-changes.js';

const WORD = /[0-9a-f]{64}/g;

/** When contracts last reported that the metadata of a known token has changed. */
@Injectable()
export class NftUpdates implements Projection {
  readonly name = 'nft-updates';
  readonly version = 1;
  readonly logSet = 'tokens';

  async clear(transaction: Transaction, chain: ProjectedChain): Promise<boolean> {
    await transaction.execute({
      text: 'UPDATE nft_tokens SET updated_height = -1 WHERE chain_key = $1 AND updated_height <> -1',
      values: [evmChainKey(chain)],
    });
    return true;
  }

  async apply(transaction: Transaction, chain: ProjectedChain, logs: readonly WatchedLog[]): Promise<void> {
    await markChanged(transaction, chain, 'updated_height', mergeUpdates(logs.flatMap(readUpdate)));
  }
}

/** Any contract may log it, with anything in it. */
function readUpdate({ address, topics, data, height }: WatchedLog): NftChange[] {
  const [topic, ...indexed] = topics;
  const [first, last] = [...indexed.map((each) => each.slice(2)), ...wordsOf(data)].map((word) =>
    BigInt(`0x${word}`),
  );
  if (first === undefined) return [];
  switch (topic) {
    case METADATA_UPDATE_TOPICS.one:
      return [{ address, first, last: first, height }];
    case METADATA_UPDATE_TOPICS.uri:
      return indexed.length === 1 ? [{ address, first, last: first, height }] : [];
    case METADATA_UPDATE_TOPICS.batch:
      return last === undefined || last < first ? [] : [{ address, first, last, height }];
    default:
      return [];
  }
}

/** At most two ids: a URI's text comes behind the first. */
function wordsOf(data: Hex): string[] {
  return data.slice(2, 2 + 2 * 64).match(WORD) ?? [];
}

/**
 * One update of each token, and one of all tokens from the first to the last that a contract's batches name: a contract that
 * changes all of its tokens over and over gives no more work than one that does so once.
 */
function mergeUpdates(updates: readonly NftChange[]): NftChange[] {
  const merged = new Map<string, NftChange>();
  for (const update of updates) {
    const key = update.first === update.last ? `${update.address} ${update.first}` : update.address;
    merged.set(key, hullOf(merged.get(key) ?? update, update));
  }
  return [...merged.values()];
}

function hullOf(a: NftChange, b: NftChange): NftChange {
  return {
    address: a.address,
    first: least(a.first, b.first),
    last: greatest(a.last, b.last),
    height: greatest(a.height, b.height),
  };
}
