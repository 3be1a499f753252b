export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** JSON that is text already; written by stringifyLossless alone. */
export class JsonText {
  constructor(readonly text: string) {}

  toJSON(): never {
    throw new TypeError('not for JSON.stringify');
  }
}

/** Decimal digits, or a bigint, as a number, or as a bigint where a number would lose some. */
export function toInteger(digits: string | bigint): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** JSON whose integers may be bigints. */
export type LosslessJson =
  | string
  | number
  | JsonText
  | bigint
  | boolean
  | null
  | readonly LosslessJson[]
  | { readonly [key: string]: LosslessJson | undefined };

/**
 * As JSON.stringify, with bigints as numbers of all their digits and JsonText as it is. JSON.stringify, which is several times
 * faster, refuses both; so it is asked first for the whole, and then for each part.
 */
export function stringifyLossless(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof JsonText) return value.text;
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError) || typeof value !== 'object' || value === null) throw error;
  }
  if (Array.isArray(value)) return `[${value.map(stringifyLossless).join(',')}]`;
  const members = Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    member === undefined ? [] : [`${JSON.stringify(key)}:${stringifyLossless(member)}`],
  );
  return `{${members.join(',')}}`;
}

/** Integers of up to this many digits are exact as JavaScript numbers. */
const MAX_EXACT_DIGITS = 15;

/** As JSON.parse, but integers with more digits than a number can hold come as decimal strings. Throws SyntaxError. */
export function parseLossless(text: string): unknown {
  return JSON.parse(quoteLongIntegers(text));
}

function quoteLongIntegers(text: string): string {
  let quoted = '';
  let copiedTo = 0;
  for (let at = 0; at < text.length;) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (!isNumberPart(character)) {
      at += 1;
      continue;
    }
    const start = at;
    while (isNumberPart(text.charCodeAt(at))) at += 1;
    const number = text.slice(start, at);
    if (number.length <= MAX_EXACT_DIGITS || !/^-?(0|[1-9]\d*)$/.test(number)) continue;
    quoted += `${text.slice(copiedTo, start)}"${number}"`;
    copiedTo = at;
  }
  return quoted + text.slice(copiedTo);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Position after the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) return at + 1;
    if (character === BACKSLASH) at += 1;
  }
  return text.length;
}

/** Digits, signs, dot and exponent; NaN past the end is none of them. */
function isNumberPart(character: number): boolean {
  return (
    (character >= 0x30 && character <= 0x39) ||
    character === 0x2b ||
    character === 0x2d ||
    character === 0x2e ||
    character === 0x45 ||
    character === 0x65
  );
}
