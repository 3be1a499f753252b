import { z } from 'zod';

/** A stretch of heights, both included, whose rows are in the tables. */
export interface CoveredRange {
  readonly from: bigint;
  readonly to: bigint;
  /** Whether internal transfers are among them. */
  readonly isTraced: boolean;
}

const HeightSchema = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);

/** The part of a checkpoint's state that readers of the tables need. */
const StateSchema = z.object({
  ranges: z.array(z.object({ from: HeightSchema, to: HeightSchema, isTraced: z.boolean() })),
});

/** What the index has of one chain; nothing in the tables beyond it may be believed to be complete. */
export class IndexCoverage {
  /** Ascending, without overlaps. */
  private constructor(readonly ranges: readonly CoveredRange[]) {}

  static none(): IndexCoverage {
    return new IndexCoverage([]);
  }

  /** @throws ZodError when the checkpoint's state is none of an EVM chain */
  static ofState(state: unknown): IndexCoverage {
    return new IndexCoverage(StateSchema.parse(state).ranges);
  }

  rangeAt(height: bigint): CoveredRange | undefined {
    return this.ranges.find(({ from, to }) => from <= height && height <= to);
  }

  /** First covered height above one that is not. */
  nextAbove(height: bigint): bigint | undefined {
    return this.ranges.find(({ from }) => from > height)?.from;
  }
}
