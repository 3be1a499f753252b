/** The part of a change's position that is of one chain. */
export interface ChainPlace {
  /** Of the last block whose changes have been sent, or of which some have been sent. */
  readonly height: bigint;
  /** How many changes of that block have been sent; undefined: all. */
  readonly sent?: number | undefined;
}

/** How far a stream of changes has come, by the name of each chain in it: `p`, `x`, `evm43114`. */
export type ChangeCursor = ReadonlyMap<string, ChainPlace>;

export const CHANGE_CURSOR_PATTERN =
  '^(p|x|evm\\d{1,16}):(-1|\\d{1,18}(\\.\\d{1,6})?)(,(p|x|evm\\d{1,16}):(-1|\\d{1,18}(\\.\\d{1,6})?))*$';

const CURSOR = new RegExp(CHANGE_CURSOR_PATTERN);
/** Of no more chains can be configured. */
export const MAX_CURSOR_LENGTH = 8_192;

/** Undefined for what is no cursor: of each chain once, and within a block of at most one. */
export function parseChangeCursor(text: string): ChangeCursor | undefined {
  if (text.length > MAX_CURSOR_LENGTH || !CURSOR.test(text)) return undefined;
  const cursor = new Map<string, ChainPlace>();
  for (const part of text.split(',')) {
    const [chain = '', place = ''] = part.split(':');
    const [height = '', sent] = place.split('.');
    if (cursor.has(chain)) return undefined;
    cursor.set(chain, { height: BigInt(height), sent: sent === undefined ? undefined : Number(sent) });
  }
  const unfinished = [...cursor.values()].filter(({ sent }) => sent !== undefined);
  return unfinished.length > 1 ? undefined : cursor;
}

export function formatChangeCursor(cursor: ChangeCursor): string {
  return [...cursor]
    .map(([chain, { height, sent }]) => `${chain}:${height}${sent === undefined ? '' : `.${sent}`}`)
    .join(',');
}

/** The last block of which all changes have been sent. */
export function finishedHeight({ height, sent }: ChainPlace): bigint {
  return sent === undefined ? height : height - 1n;
}
