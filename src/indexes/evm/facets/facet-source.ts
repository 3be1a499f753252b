import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import type { OpenHeights } from '../../engine/coverage/coverage.js';
import type { HeightRange } from '../../engine/coverage/height-range.js';
import type { BuiltBatch } from '../rows/builds.js';
import type { EvmBatch } from '../rows/evm-writer.js';
import type { ReadLimits } from '../sources/block-reader.js';
import type { EvmNode, EvmNodes } from '../sources/evm-node.js';
import type { BlockRef, Checkpoint } from './checkpoint.js';
import type { Facet } from './facets.js';
import type { EvmStore } from './followed-evm-chain.js';

/** Where the rows of a stretch go, which is read from its end downwards. */
export interface FacetTarget {
  readonly range: HeightRange;
  /** A block that is there already. */
  findBlock(this: void, height: bigint): Promise<BlockRef | undefined>;
  write(this: void, read: FacetRead): Promise<void>;
  /** No node has these. */
  skip(this: void, hole: HeightRange): Promise<void>;
}

/** Chooses what is made next of a facet's history. */
export interface FacetHistory {
  /** Helps another worker, and ends when there is nothing to begin with. */
  readonly isHelper: boolean;
  /** `worked` when there was something to do that needs no node; undefined when there is nothing. */
  next(
    open: OpenHeights,
    checkpoint: Checkpoint,
    signal: AbortSignal,
  ): Promise<FacetTarget | 'worked' | undefined>;
  /** How many heights are made beside the tables. */
  countBuilt(): Promise<bigint>;
  /** Leaves what is unfinished to others. */
  release(): Promise<void>;
}

/** How a facet is read by itself, from what is cheapest. */
export interface FacetSource {
  readonly facet: Facet;
  readonly nodes: EvmNodes;
  /** Heights that the facet should have, ascending; of one with a ground, all that are complete there. */
  wanted?(checkpoint: Checkpoint): HeightRange[] | Promise<HeightRange[]>;
  /** Why heights that it should have cannot come yet, in words. */
  readonly waitsFor?: string | undefined;
  /** Of one whose rows are made beside the tables. */
  readonly history?: FacetHistory;
  /** The stretch from its end downwards. Throws EvmError BLOCK_UNAVAILABLE for what the node lacks. */
  read(
    node: EvmNode,
    range: HeightRange,
    checkpoint: Checkpoint,
    limits: ReadLimits,
    findBlock: FacetTarget['findBlock'],
  ): AsyncGenerator<FacetRead, void>;
  /** Whether the node has this height. */
  has(node: EvmNode, height: bigint, signal: AbortSignal): Promise<boolean>;
  /** Rows that were read and not written must be read again. */
  forget?(): void;
  /** Its rows are gone. */
  wiped?(): void;
  /** Something else to do while nothing is missing; whether there is more of it. Throws as `read`. */
  idle?(signal: AbortSignal): Promise<boolean>;
}

interface FacetRead extends Omit<EvmBatch, 'chain' | 'checkpoint'> {
  /** False when the node was not needed for it. */
  readonly isAsked?: boolean;
  /** How blocks follow others. */
  readonly links?: Pick<BuiltBatch, 'topHash' | 'parentHash' | 'expectedTop'>;
}

/** Rows go into the tables batch by batch. */
export function inPlace(
  chain: EvmChain,
  { writer, repository }: EvmStore,
  facet: Facet,
  range: HeightRange,
): FacetTarget {
  return {
    range,
    findBlock: (height) => repository.findBlock(chain, height),
    write: ({ facets, tokens }) => writer.write({ chain, facets, ...(tokens && { tokens }) }),
    skip: (hole) => writer.markUnavailable(chain, facet, hole),
  };
}
