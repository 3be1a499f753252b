import type { EvmBlock, FoundLog } from '../blocks/block.js';
import type { Address, Hash } from './hex-values.js';

/** Which logs: of one contract or of all, with any of these at each of their topics' places; null: with any at all. */
export interface LogFilter {
  readonly address: Address | undefined;
  readonly topics: readonly (readonly Hash[] | null)[];
}

/** Of a block's receipts. */
export function logsOf({ height, hash: blockHash, transactions }: EvmBlock): FoundLog[] {
  return transactions.flatMap(({ hash: transactionHash, index: transactionIndex, logs }) =>
    logs.map((log) => ({ ...log, height, blockHash, transactionHash, transactionIndex })),
  );
}

export function isWanted({ address, topics }: FoundLog, filter: LogFilter): boolean {
  const isOfContract = filter.address === undefined || filter.address === address;
  return isOfContract && filter.topics.every((wanted, place) => isAmong(wanted, topics[place]));
}

function isAmong(wanted: readonly Hash[] | null, topic: Hash | undefined): boolean {
  return topic !== undefined && (wanted === null || wanted.includes(topic));
}
