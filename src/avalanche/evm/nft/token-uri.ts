/** Why metadata could not be had from a token's URI. */
type UriFault = 'invalid_token_uri' | 'invalid_token_uri_scheme' | 'metadata_content_too_large';

/** Where the metadata is: in the URI itself, or at any of these URLs, to be tried in order. */
export type MetadataSource =
  | { readonly kind: 'inline'; readonly content: Buffer }
  | {
      readonly kind: 'remote';
      readonly urls: readonly URL[];
      /** By which gateways to IPFS know it. */
      readonly contentId?: string;
    }
  | { readonly kind: 'none'; readonly fault: UriFault };

export interface UriRules {
  /** URLs that a content id, or a transaction id, is put behind. */
  readonly ipfsGateways: readonly string[];
  readonly arweaveGateways: readonly string[];
  /** Of the metadata. */
  readonly maxBytes: number;
}

/** No browser takes longer ones either. */
const MAX_URL_LENGTH = 8_192;
/** The first is what most contracts return, the second the same after an encoding that is done to all of a URI. */
const ID_PLACEHOLDER = /\{id\}|%7Bid%7D/gi;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** Content ids: of version 0, and of version 1 in the bases that are in use (multibase b, z, k, f). */
const CID =
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{50,110}|z[1-9A-HJ-NP-Za-km-z]{46,110}|k[0-9a-z]{48,110}|f[0-9a-f]{64,128})$/;
const ARWEAVE_ID = /^[\w-]{43}$/;
const BASE64 = /^[\w+/-]*={0,2}$/;
const PERCENT = 0x25;
/** `%7b` */
const ESCAPED_BYTE_LENGTH = 3;
const HEX_BYTE = /^[0-9a-f]{2}$/i;

/**
 * Parses the URI of a token's metadata. `{id}` becomes the token id in 64 hex digits: ERC-1155 wants it, and many an ERC-721 does so as
 * well.
 */
export function metadataSource(uri: string, tokenId: bigint, rules: UriRules): MetadataSource {
  const text = fillId(uri.trim(), tokenId, MAX_URL_LENGTH + ESCAPED_BYTE_LENGTH * rules.maxBytes);
  const scheme = SCHEME.exec(text ?? uri.trim())?.[1]?.toLowerCase();
  if (text === undefined) return none(scheme === 'data' ? 'metadata_content_too_large' : 'invalid_token_uri');
  if (scheme === 'data') return readDataUri(text, rules.maxBytes);
  if (text.length > MAX_URL_LENGTH) return none('invalid_token_uri');
  switch (scheme) {
    case 'ipfs':
    case 'dweb':
    case undefined:
      return remote(behindGateways(rules.ipfsGateways, ipfsPath(text), CID), contentIdOf(ipfsPath(text)));
    case 'ar':
      return remote(behindGateways(rules.arweaveGateways, text.replace(/^ar:\/*/i, ''), ARWEAVE_ID));
    case 'http':
    case 'https':
      return remote([...parseUrl(text), ...otherGateways(text, rules)], contentIdOf(gatewayPath(text) ?? ''));
    default:
      return none('invalid_token_uri_scheme');
  }
}

/**
 * The id as ERC-1155 wants it: lower case, padded with zeros, without 0x. Undefined for a text that becomes longer than so many
 * bytes by it.
 */
export function fillId(text: string, tokenId: bigint, maxBytes: number): string | undefined {
  const id = tokenId.toString(16).padStart(64, '0');
  let bytes = Buffer.byteLength(text);
  // Counted first: what is to become sixteen times as long need not be built to know that.
  for (const [placeholder] of text.matchAll(ID_PLACEHOLDER)) {
    bytes += id.length - placeholder.length;
    if (bytes > maxBytes) return undefined;
  }
  return text.replace(ID_PLACEHOLDER, id);
}

function none(fault: UriFault): MetadataSource {
  return { kind: 'none', fault };
}

function remote(urls: readonly URL[], contentId?: string): MetadataSource {
  if (urls.length === 0) return none('invalid_token_uri');
  return { kind: 'remote', urls, ...(contentId === undefined ? {} : { contentId }) };
}

function parseUrl(text: string): URL[] {
  return URL.canParse(text) ? [new URL(text)] : [];
}

/** `ipfs://CID/…`, `ipfs://ipfs/CID/…`, `ipfs:CID`, `/ipfs/CID/…`, `CID/…` */
function ipfsPath(text: string): string {
  return text.replace(/^(?:ipfs|dweb):/i, '').replace(/^\/*(?:ipfs\/+)*/i, '');
}

/** Content on a third party's gateway can also be fetched from ours: the content id identifies it. */
function otherGateways(text: string, { ipfsGateways }: UriRules): URL[] {
  const path = gatewayPath(text);
  return path === undefined ? [] : behindGateways(ipfsGateways, path, CID);
}

function gatewayPath(text: string): string | undefined {
  return /^https?:\/\/[^/]+\/ipfs\/(.+)$/i.exec(text)?.[1];
}

function contentIdOf(path: string): string | undefined {
  const root = rootOf(path);
  return CID.test(root) ? root : undefined;
}

function rootOf(path: string): string {
  return path.split(/[/?#]/, 1)[0] ?? '';
}

/** Only what stays beneath the id: a gateway may have other things to show, to us in particular. */
function behindGateways(gateways: readonly string[], path: string, id: RegExp): URL[] {
  const root = rootOf(path);
  if (!id.test(root)) return [];
  // Names of files may have a #, which would otherwise begin a fragment.
  const encoded = path.replaceAll('#', '%23');
  return gateways.flatMap((gateway) => {
    const base = new URL(gateway.replace(/\/*$/, '/')).href;
    return parseUrl(`${base}${encoded}`).filter(({ href }) => href.startsWith(`${base}${root}`));
  });
}

/** `data:[type][;parameter]…[;base64],…` (RFC 2397). The type is not looked at: many have none, or a wrong one. */
function readDataUri(text: string, maxBytes: number): MetadataSource {
  const comma = text.indexOf(',');
  if (comma < 0) return none('invalid_token_uri');
  const content = text.slice(comma + 1);
  const isBase64 = /;\s*base64\s*$/i.test(text.slice(0, comma));
  // Before anything is made of it.
  if (content.length > ESCAPED_BYTE_LENGTH * maxBytes) return none('metadata_content_too_large');
  const bytes = unescapeBytes(content);
  const decoded = isBase64 ? fromBase64(bytes.toString('latin1')) : bytes;
  if (decoded === undefined) return none('invalid_token_uri');
  return decoded.length > maxBytes
    ? none('metadata_content_too_large')
    : { kind: 'inline', content: decoded };
}

/** Escaped bytes as bytes; a lone % is one, as contracts that put their JSON in as it is would have it. */
function unescapeBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const digits = bytes[at] === PERCENT ? bytes.toString('latin1', at + 1, at + 3) : '';
    const isEscaped = HEX_BYTE.test(digits);
    bytes[length++] = isEscaped ? Number.parseInt(digits, 16) : (bytes[at] ?? 0);
    if (isEscaped) at += 2;
  }
  return bytes.subarray(0, length);
}

function fromBase64(text: string): Buffer | undefined {
  const digits = text.replace(/\s+/g, '');
  return BASE64.test(digits) ? Buffer.from(digits, 'base64') : undefined;
}
