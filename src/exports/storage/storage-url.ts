import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface FolderLocation {
  readonly kind: 'folder';
  readonly folder: string;
}

export interface S3Location {
  readonly kind: 's3';
  readonly bucket: string;
  /** In front of all keys: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly forcePathStyle: boolean;
}

const S3_OPTIONS: ReadonlySet<string> = new Set(['region', 'endpoint', 'forcePathStyle']);
/** A self-hosted S3-compatible server requires a region, but rarely cares which. */
const REGION_OF_OWN_ENDPOINTS = 'us-east-1';

/** Storage that EXPORT_STORAGE_URL names. Throws an Error that names it. */
export function parseStorageUrl(text: string): FolderLocation | S3Location {
  if (/^s3:/i.test(text)) return parseS3Url(text);
  if (/^file:/i.test(text)) return { kind: 'folder', folder: parseFileUrl(text) };
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) throw badUrl('must be a folder, a file:// URL or an s3:// URL');
  return { kind: 'folder', folder: resolve(text) };
}

function parseFileUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw badUrl('is a file URL without a folder of this machine');
  }
}

function parseS3Url(text: string): S3Location {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(url.hostname) || url.port !== '') {
    throw badUrl('must name a bucket: s3://bucket/prefix');
  }
  if (url.username !== '' || url.password !== '') {
    throw badUrl('must not hold credentials: they come from the environment, a profile or a role');
  }
  for (const name of url.searchParams.keys()) {
    if (!S3_OPTIONS.has(name)) {
      throw badUrl(`has an unknown option ${name}; known are ${[...S3_OPTIONS].join(', ')}`);
    }
  }
  const endpoint = parseEndpoint(url.searchParams.get('endpoint'));
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: parsePrefix(url.pathname),
    region: parseRegion(url.searchParams.get('region')) ?? (endpoint && REGION_OF_OWN_ENDPOINTS),
    endpoint,
    forcePathStyle: parseFlag(url.searchParams.get('forcePathStyle')),
  };
}

function parsePrefix(pathname: string): string {
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  if (prefix === '') return '';
  if (!/^[\w.-]+(\/[\w.-]+)*$/.test(prefix) || prefix.length > 512) {
    throw badUrl('may have letters, digits, -, _, . and / in its prefix');
  }
  return `${prefix}/`;
}

function parseRegion(region: string | null): string | undefined {
  if (region === null) return undefined;
  if (!/^[a-z\d-]{1,63}$/.test(region)) throw badUrl('has a malformed region');
  return region;
}

function parseEndpoint(endpoint: string | null): string | undefined {
  if (endpoint === null) return undefined;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!/^https?:$/.test(url?.protocol ?? '') || url?.username !== '') {
    throw badUrl('has an endpoint that is not an http(s) URL without credentials');
  }
  return endpoint;
}

function parseFlag(flag: string | null): boolean {
  if (flag !== null && flag !== 'true' && flag !== 'false') {
    throw badUrl('needs true or false for forcePathStyle');
  }
  return flag === 'true';
}

/** Without the text itself: it may contain a secret. */
function badUrl(problem: string): Error {
  return new Error(`bad configuration: EXPORT_STORAGE_URL ${problem}`);
}
