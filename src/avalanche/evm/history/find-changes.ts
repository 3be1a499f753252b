import type { StateQuery } from '../rpc/evm-client.js';

/** A nonce or balance between two heights. */
export type StateSpan = Omit<StateQuery, 'height'> & { readonly from: bigint; readonly to: bigint };

/** A block after which a nonce or balance is another one than before. */
export interface StateChange extends StateQuery {
  readonly before: bigint;
  readonly after: bigint;
}

/** Answers in the order of the queries. */
export type ReadStates = (queries: readonly StateQuery[]) => Promise<readonly bigint[]>;

interface OpenSpan extends StateSpan {
  readonly before: bigint;
  readonly after: bigint;
}

/**
 * Where values change within spans, found by halving those whose ends differ: about log2(blocks / changes) + 1 questions for each. A
 * value that comes back to where it was between two heights that are asked is not seen: whether it can is for the caller to know.
 *
 * One round of questions for each halving, whatever the number of spans. The heights that are asked follow from the spans and the
 * answers alone, so that a search which was broken off asks the same ones again. Ascending by height. Throws what `read` throws.
 */
export async function findChanges(spans: readonly StateSpan[], read: ReadStates): Promise<StateChange[]> {
  const changes: StateChange[] = [];
  let open = (await withEnds(spans, read)).filter(differs);
  while (open.length > 0) {
    changes.push(...open.filter(isOneBlock).map(toChange));
    const wide = open.filter((span) => !isOneBlock(span));
    const middles = await read(wide.map((span) => query(span, middleOf(span))));
    open = wide.flatMap((span, index) => halves(span, middles[index])).filter(differs);
  }
  return changes.sort((a, b) => (a.height < b.height ? -1 : 1));
}

async function withEnds(spans: readonly StateSpan[], read: ReadStates): Promise<OpenSpan[]> {
  const ends = await read(spans.flatMap((span) => [query(span, span.from), query(span, span.to)]));
  return spans.map((span, index) => ({
    ...span,
    before: present(ends[2 * index]),
    after: present(ends[2 * index + 1]),
  }));
}

function halves(span: OpenSpan, value: bigint | undefined): [OpenSpan, OpenSpan] {
  const middle = middleOf(span);
  return [
    { ...span, to: middle, after: present(value) },
    { ...span, from: middle, before: present(value) },
  ];
}

function middleOf({ from, to }: StateSpan): bigint {
  return (from + to) >> 1n;
}

function query({ address, field }: StateSpan, height: bigint): StateQuery {
  return { address, field, height };
}

function differs({ before, after }: OpenSpan): boolean {
  return before !== after;
}

function isOneBlock({ from, to }: StateSpan): boolean {
  return to - from === 1n;
}

function toChange({ address, field, to, before, after }: OpenSpan): StateChange {
  return { address, field, height: to, before, after };
}

function present(value: bigint | undefined): bigint {
  if (value === undefined) throw new RangeError('a query ended without an answer');
  return value;
}

/** The first height above `from`, up to `to`, at which a value that only grows is another one than at `from`; undefined when none is. */
export async function findFirstRise(
  { address, field, from, to }: StateSpan,
  read: ReadStates,
): Promise<bigint | undefined> {
  const at = async (height: bigint): Promise<bigint> =>
    present((await read([{ address, field, height }]))[0]);
  const before = await at(from);
  if ((await at(to)) === before) return undefined;
  let [low, high] = [from, to];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if ((await at(middle)) === before) low = middle;
    else high = middle;
  }
  return high;
}
