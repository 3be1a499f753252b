import type { BlockWithMovements } from '../../avalanche/evm/transfers/movement-reader.js';
import { BatchSize } from '../../indexes/evm/sources/batch-size.js';
import type { ExportNode } from './export-node.js';

/** What is read counts against the limits of an export a slice later only. */
const MAX_BLOCKS = 1_000;

interface Ahead {
  readonly fromHeight: bigint;
  readonly reading: Promise<BlockWithMovements[]>;
}

/** Reads blocks of one chain that are not indexed, the next ones while the last ones are being stored. */
export class ScanReader {
  private readonly size = new BatchSize(MAX_BLOCKS);
  private ahead: Ahead | undefined;

  constructor(
    private readonly node: Pick<ExportNode, 'movements'>,
    /** Whether another request is likely. */
    private readonly hasTime: () => boolean,
  ) {}

  /** At least one block from the first height on, and none above the last one. */
  async read(fromHeight: bigint, lastHeight: bigint): Promise<BlockWithMovements[]> {
    const { ahead } = this;
    this.ahead = undefined;
    const known = ahead?.fromHeight === fromHeight ? ahead : this.begin(fromHeight, lastHeight);
    const blocks = (await known.reading).filter(({ block }) => block.height <= lastHeight);
    const next = fromHeight + BigInt(blocks.length);
    if (next <= lastHeight && this.hasTime()) this.ahead = this.begin(next, lastHeight);
    return blocks;
  }

  private begin(fromHeight: bigint, lastHeight: bigint): Ahead {
    const end = fromHeight + this.size.current - 1n;
    const reading = this.fetch(fromHeight, end < lastHeight ? end : lastHeight);
    reading.catch(() => undefined); // looked at when somebody asks for it
    return { fromHeight, reading };
  }

  private async fetch(fromHeight: bigint, toHeight: bigint): Promise<BlockWithMovements[]> {
    const startedAt = performance.now();
    const blocks = await this.node.movements({ fromHeight, toHeight });
    const rows = blocks.reduce((sum, { movements }) => sum + movements.length, 0);
    this.size.note({ blocks: blocks.length, rows, tookMs: performance.now() - startedAt });
    return blocks;
  }
}
