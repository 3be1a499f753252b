/** Heights whose rows are complete, both ends included. */
export interface HeightRange {
  readonly from: bigint;
  readonly to: bigint;
  /** Whether internal transfers are among the rows. */
  readonly isTraced: boolean;
}

/** What came anew. isTraced is null when nothing in it can have internal transfers: it is as complete as what it continues. */
export interface NewRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly isTraced: boolean | null;
}

/** They are part of the checkpoint, which is written with every batch. */
export const MAX_RANGES = 64;

/** The ranges with one more, in ascending order; the list is kept short. Throws RangeError when heights would be in it twice. */
export function addRange(ranges: readonly HeightRange[], { from, to, isTraced }: NewRange): HeightRange[] {
  if (from > to || ranges.some((range) => range.from <= to && from <= range.to)) {
    throw new RangeError(`heights ${from} to ${to} are known already, or none`);
  }
  const before = ranges.filter((range) => range.to < from);
  const after = ranges.filter((range) => range.from > to);
  const continued = before.at(-1)?.to === from - 1n ? before.at(-1) : undefined;
  const met = after[0]?.from === to + 1n ? after[0] : undefined;
  const added = { from, to, isTraced: isTraced ?? continued?.isTraced ?? met?.isTraced ?? true };
  return shorten(joinEqual([...before, added, ...after]));
}

/** The lowest heights from `first` on that are missing below a range; undefined when none are. */
export function lowestGap(
  ranges: readonly HeightRange[],
  first: bigint,
): { readonly from: bigint; readonly to: bigint } | undefined {
  let from = first;
  for (const range of ranges) {
    if (range.to < from) continue;
    if (range.from > from) return { from, to: range.from - 1n };
    from = range.to + 1n;
  }
  return undefined;
}

/** How many heights from `first` on are missing below the highest range. */
export function countMissing(ranges: readonly HeightRange[], first: bigint): bigint {
  let missing = 0n;
  let from = first;
  for (const range of ranges) {
    if (range.to < from) continue;
    if (range.from > from) missing += range.from - from;
    from = range.to + 1n;
  }
  return missing;
}

export function countIndexed(ranges: readonly HeightRange[]): bigint {
  return ranges.reduce((sum, { from, to }) => sum + (to - from + 1n), 0n);
}

function joinEqual(ranges: readonly HeightRange[]): HeightRange[] {
  const joined: HeightRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && touch(last, range) && last.isTraced === range.isTraced) {
      joined.splice(-1, 1, { ...last, to: range.to });
    } else {
      joined.push(range);
    }
  }
  return joined;
}

/** Gives up internal transfers where the fewest heights lose them. Gaps stay: what is not there cannot be claimed. */
function shorten(ranges: readonly HeightRange[]): HeightRange[] {
  let short = [...ranges];
  while (short.length > MAX_RANGES) {
    const place = cheapestJoin(short);
    if (place === undefined) return short;
    const [left, right] = [short[place], short[place + 1]];
    if (left === undefined || right === undefined) return short;
    const joined = { from: left.from, to: right.to, isTraced: left.isTraced && right.isTraced };
    short = joinEqual([...short.slice(0, place), joined, ...short.slice(place + 2)]);
  }
  return short;
}

/** Position of the neighbour on the left. */
function cheapestJoin(ranges: readonly HeightRange[]): number | undefined {
  let best: { place: number; loss: bigint } | undefined;
  for (const [place, left] of ranges.entries()) {
    const right = ranges[place + 1];
    if (right === undefined || !touch(left, right)) continue;
    const traced = left.isTraced ? left : right;
    const loss = traced.to - traced.from;
    if (best === undefined || loss < best.loss) best = { place, loss };
  }
  return best?.place;
}

function touch(left: HeightRange, right: HeightRange): boolean {
  return left.to + 1n === right.from;
}
