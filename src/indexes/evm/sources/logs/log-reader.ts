import { greatest, least } from '../../../../avalanche/bigints.js';
import {
  assertChain,
  type EvmHeader,
  type EvmLog,
  type EvmReceipt,
  feeOf,
  type FoundLog,
} from '../../../../avalanche/evm/blocks/block.js';
import type { EvmClient, LogWindow } from '../../../../avalanche/evm/rpc/evm-client.js';
import type { LogFilter } from '../../../../avalanche/evm/rpc/log-filter.js';
import { LogWindows } from '../../../../avalanche/evm/rpc/log-windows.js';
import { EvmError } from '../../../../avalanche/evm/evm.error.js';
import type { Hash } from '../../../../avalanche/evm/rpc/hex-values.js';
import type { HeightRange } from '../../../engine/coverage/height-range.js';
import type { ReadLimits } from '../block-reader.js';
import type { BlockRef } from '../../facets/checkpoint.js';
import type { WatchedLog } from '../../projections/watched-log.js';
import { companionsOf, type LogSet } from './log-sets.js';

/** Logs of a stretch of blocks for some sets. */
export interface LogStretch extends HeightRange {
  readonly last: EvmHeader;
  /** In the order of the sets. */
  readonly logs: readonly (readonly WatchedLog[])[];
}

/** Reads sets of logs without the blocks around them, by windows as wide as the node bears. */
export class LogReader {
  private readonly windows = new LogWindows();
  private readonly filters: readonly LogFilter[];

  constructor(private readonly sets: readonly LogSet[]) {
    this.filters = sets.map(({ address, topics }) => ({ address, topics: [topics] }));
  }

  /** Upwards from above the parent. Throws RpcError and EvmError. */
  async *upwards(
    client: EvmClient,
    { from, to }: HeightRange,
    parent: BlockRef | undefined,
    { until, signal }: ReadLimits,
  ): AsyncGenerator<LogStretch, void> {
    let last = parent;
    for (let height = from; height <= to && (height === from || performance.now() < until);) {
      const { window, ...stretch } = await this.read(
        client,
        (span) => ({ from: height, to: least(to, height + span - 1n) }),
        signal,
      );
      assertChain([window.first], last);
      last = window.last;
      height = stretch.to + 1n;
      yield { ...stretch, last: window.last };
    }
  }

  /** Downwards from a stretch's end, each window followed by the one above it. Throws as `upwards`. */
  async *downwards(
    client: EvmClient,
    { from, to }: HeightRange,
    { until, signal }: ReadLimits,
  ): AsyncGenerator<LogStretch, void> {
    let above: EvmHeader | undefined;
    for (let height = to; height >= from && (height === to || performance.now() < until);) {
      const { window, ...stretch } = await this.read(
        client,
        (span) => ({ from: greatest(from, height - span + 1n), to: height }),
        signal,
      );
      if (above !== undefined) assertChain([above], window.last);
      above = window.first;
      height = stretch.from - 1n;
      yield { ...stretch, last: window.last };
    }
  }

  private async read(
    client: EvmClient,
    choose: (span: bigint) => HeightRange,
    signal: AbortSignal,
  ): Promise<Omit<LogStretch, 'last'> & { window: LogWindow }> {
    const { filters, sets } = this;
    const { from, to, found } = await this.windows.read(client, choose, async (range) => {
      const window = await client.getLogs({ ...range, filters, signal });
      const logs = await complete(client, window, sets, signal);
      return { window, logs, count: logs.flat().length };
    });
    return { from, to, window: found.window, logs: found.logs };
  }
}

/**
 * With the times of their blocks and the fees of their transactions, which prove them at the same time, and with those of the same
 * receipts that are kept beside them.
 */
async function complete(
  client: EvmClient,
  window: LogWindow,
  sets: readonly LogSet[],
  signal: AbortSignal,
): Promise<WatchedLog[][]> {
  const found = window.logs.flat();
  const heights = [...new Set(found.map(({ height }) => height))];
  const hashes = [...new Set(found.map(({ transactionHash }) => transactionHash))];
  const headers = await client.getBlockHeaders({ heights, signal });
  const receipts = await client.getReceipts({ hashes, signal });
  if (headers.includes(undefined)) {
    throw new EvmError('BLOCK_UNAVAILABLE', 'the node does not have all of the blocks whose logs it found');
  }
  const headerOf = new Map(headers.map((header, index) => [heights[index], header]));
  const receiptOf = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
  return window.logs.map((logs, index) => {
    const own = logs.map((log) =>
      toWatched(log, headerOf.get(log.height), receiptOf.get(log.transactionHash)),
    );
    const set = sets[index];
    return set === undefined || set.companions.size === 0 ? own : withCompanions(set, own, receiptOf);
  });
}

/** In the order of the chain. */
function withCompanions(
  set: LogSet,
  own: readonly WatchedLog[],
  receiptOf: ReadonlyMap<Hash, EvmReceipt>,
): WatchedLog[] {
  const transactions = new Map(own.map((log) => [log.txHash, log]));
  const companions = [...transactions].flatMap(([hash, log]) =>
    companionsOf(set, receiptOf.get(hash)?.logs ?? []).map(({ index, address, topics, data }) => ({
      ...log,
      logIndex: index,
      address,
      topics,
      data,
    })),
  );
  return [...own, ...companions].sort((a, b) =>
    a.height === b.height ? a.logIndex - b.logIndex : a.height < b.height ? -1 : 1,
  );
}

function toWatched(
  log: FoundLog,
  header: EvmHeader | undefined,
  receipt: EvmReceipt | undefined,
): WatchedLog {
  const { height, index: logIndex, transactionIndex: txIndex, transactionHash: txHash } = log;
  if (header?.hash !== log.blockHash || receipt?.blockHash !== log.blockHash) {
    throw mismatch(log, 'of another block than its header or its receipt');
  }
  const logged = receipt.logs.find(({ index }) => index === logIndex);
  if (logged === undefined || receipt.transactionIndex !== txIndex || contentOf(logged) !== contentOf(log)) {
    throw mismatch(log, 'not the one in its receipt');
  }
  const { address, topics, data } = log;
  const fee = feeOf(receipt);
  return {
    height,
    logIndex,
    txIndex,
    blockTime: header.timestampSeconds,
    txHash,
    address,
    topics,
    data,
    fee,
  };
}

function contentOf({ address, topics, data }: EvmLog): string {
  return [address, ...topics, data].join();
}

function mismatch({ height, index }: FoundLog, what: string): EvmError {
  return new EvmError('RECEIPTS_MISMATCH', `log ${index} of block ${height} is ${what}`);
}
