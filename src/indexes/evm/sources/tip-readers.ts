import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import { batchesOf } from '../rows/base-rows.js';
import type { BlockReader, ReadLimits } from './block-reader.js';
import type { BlockRef } from '../facets/checkpoint.js';
import type { TipBatch, TipReader } from '../facets/followed-evm-chain.js';
import { LogReader } from './logs/log-reader.js';
import { logBatch } from '../rows/log-rows.js';
import { type LogSet, logSetsOf } from './logs/log-sets.js';
import type { TokenReader } from './token-reader.js';

/** Blocks with all that comes with them. */
export class BlockTipReader implements TipReader {
  constructor(
    private readonly chain: EvmChain,
    private readonly reader: BlockReader,
    private readonly tokens: TokenReader,
  ) {}

  async *upwards(
    client: EvmClient,
    range: HeightRange,
    parent: BlockRef | undefined,
    limits: ReadLimits,
  ): AsyncGenerator<TipBatch, void> {
    for await (const { blocks, tokens } of this.reader.upwards(client, range, parent, limits)) {
      const last = blocks.at(-1)?.block;
      if (last !== undefined) yield { last, facets: batchesOf(this.chain, blocks), tokens };
    }
  }

  knowsGenesis(): Promise<boolean> {
    return this.reader.knowsGenesis();
  }

  forget(): void {
    this.tokens.forget();
  }
}

/** Watched logs and nothing else. */
export class LogTipReader implements TipReader {
  private readonly sets: readonly LogSet[];
  private readonly reader: LogReader;

  constructor(chain: EvmChain) {
    this.sets = logSetsOf(chain);
    this.reader = new LogReader(this.sets);
  }

  async *upwards(
    client: EvmClient,
    range: HeightRange,
    parent: BlockRef | undefined,
    limits: ReadLimits,
  ): AsyncGenerator<TipBatch, void> {
    for await (const { last, logs, ...stretch } of this.reader.upwards(client, range, parent, limits)) {
      yield { last, facets: this.sets.map((set, index) => logBatch(set, stretch, logs[index] ?? [])) };
    }
  }

  /** It logs nothing. */
  knowsGenesis(): Promise<boolean> {
    return Promise.resolve(true);
  }

  forget(): void {
    // Nothing is remembered between two reads.
  }
}
