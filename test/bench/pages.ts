import type { HttpClient } from './http-client.js';
import { compare, measure } from './measure.js';

/**
 * Whether a page far behind costs more than the first one, how much more the first one costs than the least of all answers from Postgres,
 * and what the service adds to its SQL: the rows of one table.
 */

/** Of lists-api.ts: the same API, and a statement that costs nothing. */
const SELECT_ONE_PATH = '/v1/bare/select-one';
const DEEP_PAGE = 1000;
const CALLERS = 16;
const ROUNDS = 5;

export interface BenchedList {
  /** Under which lists-api.ts has its SQL. */
  readonly name: string;
  readonly what: string;
  readonly path: string;
}

export const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const COLUMNS = [
  'List',
  'Page 1',
  'Deep page',
  'Deep / first (goal ≤ 1.25)',
  'Page 1 / `SELECT 1` (goal ≤ 3)',
  'Service',
  'Bare driver',
  'Service / bare (goal ≥ 0.8)',
];
export const PAGES_HEADER = [row(COLUMNS), row(COLUMNS.map(() => '---'))];

/** `whale` is hex of the address that owns very many of the rows, `seconds` the length of a round. */
export async function benchPages(
  client: HttpClient,
  { name, what, path, whale, seconds }: BenchedList & { readonly whale: string; readonly seconds: number },
  log: (text: string) => void,
): Promise<string> {
  const deep = await findDeepPage(client, path);
  log(`${what}: page 1, page ${deep.number}, SELECT 1, and the bare driver`);
  const sample = (of: string, callers: number) => (): ReturnType<typeof measure> =>
    measure({ forMs: seconds * 1_000, callers, call: () => client.read(of) });
  await sample(path, CALLERS)();
  const pages = await compare({ rounds: ROUNDS, ours: sample(deep.path, 1), reference: sample(path, 1) });
  const least = await compare({
    rounds: ROUNDS,
    ours: sample(path, 1),
    reference: sample(SELECT_ONE_PATH, 1),
  });
  const rates = await compare({
    rounds: ROUNDS,
    ours: sample(path, CALLERS),
    reference: sample(`/v1/bare/${name}/${whale}`, CALLERS),
  });
  return row([
    what,
    `${pages.reference.p50Ms.toFixed(2)} ms`,
    `${pages.ours.p50Ms.toFixed(2)} ms (page ${deep.number})`,
    `${pages.p50Ratio.toFixed(2)} ×`,
    `${least.p50Ratio.toFixed(2)} × of ${least.reference.p50Ms.toFixed(2)} ms`,
    `${rates.ours.perSecond.toFixed(0)}/s`,
    `${rates.reference.perSecond.toFixed(0)}/s`,
    `${rates.rateRatio.toFixed(2)} ×`,
  ]);
}

/** Path of the page `DEEP_PAGE`, or of the last one before. */
async function findDeepPage(client: HttpClient, path: string): Promise<{ path: string; number: number }> {
  let deep = path;
  for (let number = 1; ; number += 1) {
    if (number === DEEP_PAGE) return { path: deep, number };
    const token = /"nextPageToken":"([\w-]+)"/.exec(await client.read(deep))?.[1];
    if (token === undefined) return { path: deep, number };
    deep = `${path}&pageToken=${token}`;
  }
}
