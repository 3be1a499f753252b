import { parseLossless } from '../../../platform/http/adapter/lossless-json.js';
import type { ErcType } from '../../../avalanche/evm/nft/nft-reader.js';
import { fillId } from '../../../avalanche/evm/nft/token-uri.js';

/** Metadata of a token, in the fields that are usual (ERC-721, ERC-1155 and their extensions). */
export interface NftMetadata {
  readonly name?: string;
  readonly symbol?: string;
  readonly imageUri?: string;
  readonly description?: string;
  readonly animationUri?: string;
  readonly externalUrl?: string;
  readonly background?: string;
  /** Of ERC-721; JSON. */
  readonly attributes?: string;
  /** Of ERC-1155. */
  readonly decimals?: number;
  /** Of ERC-1155; JSON. */
  readonly properties?: string;
}

export type ReadMetadata =
  | { readonly status: 'indexed'; readonly metadata: NftMetadata }
  | { readonly status: 'invalid_metadata' | 'invalid_metadata_json' | 'metadata_content_too_large' };

/** Of the metadata as it is meant, however small it came. */
export const MAX_METADATA_BYTES = 1024 * 1024;

/** Real traits are not nested deeper; they are serialised by recursion. */
const MAX_DEPTH = 32;
const MAX_DECIMALS = 255;

type Fields = Readonly<Record<string, unknown>>;

/** Reads the bytes that a token's URI has led to. `{id}` in any text of an ERC-1155's is the token id, by the standard. */
export function readNftMetadata(
  content: Buffer,
  { ercType, tokenId }: { ercType: ErcType; tokenId: bigint },
): ReadMetadata {
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    const filled = ercType === 'ERC-1155' ? fillId(text, tokenId, MAX_METADATA_BYTES) : text;
    if (filled === undefined) return { status: 'metadata_content_too_large' };
    value = parseLossless(filled);
  } catch {
    return { status: 'invalid_metadata_json' };
  }
  if (!isFields(value) || isDeeperThan(value, MAX_DEPTH)) return { status: 'invalid_metadata' };
  return { status: 'indexed', metadata: { ...commonOf(value), ...ownOf(ercType, value) } };
}

function commonOf(fields: Fields): NftMetadata {
  return withoutMissing({
    name: textOf(fields, 'name'),
    symbol: textOf(fields, 'symbol'),
    imageUri: textOf(fields, 'image', 'image_url') ?? drawnImage(fields),
    description: textOf(fields, 'description'),
    animationUri: textOf(fields, 'animation_url'),
    externalUrl: textOf(fields, 'external_url'),
    background: textOf(fields, 'background_color'),
  });
}

function ownOf(ercType: ErcType, fields: Fields): NftMetadata {
  switch (ercType) {
    case 'ERC-721':
      return withoutMissing({ attributes: jsonOf(fields, 'attributes', 'traits', 'properties') });
    case 'ERC-1155':
      return withoutMissing({
        decimals: decimalsOf(fields),
        properties: jsonOf(fields, 'properties', 'attributes', 'traits'),
      });
  }
}

/** The image itself, drawn as SVG. */
function drawnImage(fields: Fields): string | undefined {
  const drawn = textOf(fields, 'image_data');
  return drawn === undefined || drawn.startsWith('data:')
    ? drawn
    : `data:image/svg+xml;utf8,${encodeURIComponent(drawn)}`;
}

function textOf(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return storable(value);
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

function jsonOf(fields: Fields, ...names: readonly string[]): string | undefined {
  const value = names
    .map((name) => fields[name])
    .find((found) => typeof found === 'object' && found !== null);
  return value === undefined ? undefined : JSON.stringify(value);
}

function decimalsOf({ decimals }: Fields): number | undefined {
  const isPossible = Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= MAX_DECIMALS;
  return isPossible ? Number(decimals) : undefined;
}

/** Postgres has no text with a zero in it, nor with half of a character. */
function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutMissing(fields: {
  readonly [Key in keyof NftMetadata]: NftMetadata[Key] | undefined;
}): NftMetadata {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
