/** Shorter words are ordinary ones; hiding them would only garble messages. */
const MIN_SECRET_LENGTH = 8;

/**
 * Base URL of a node, e.g. `https://user:password@host/path?apikey=…`. Everything but the host may be a secret, so only
 * the host is ever shown.
 */
export class NodeUrl {
  private readonly base: URL;
  private readonly secrets: readonly string[];

  /** Throws TypeError that names the position but not the text. */
  constructor(text: string, index: number) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      throw new TypeError(`RPC URL number ${index + 1} is not an http(s) URL`);
    }
    url.hash = '';
    this.base = url;
    this.secrets = secretsOf(url);
  }

  /** Host and port: what errors and logs may show. */
  get host(): string {
    return this.base.host;
  }

  /** The base with a path added behind its own; query and credentials stay. */
  withPath(path: string): URL {
    const url = new URL(this.base);
    url.pathname = `${this.base.pathname.replace(/\/+$/, '')}${path}`;
    return url;
  }

  /** Removes what this URL keeps secret from a text of external origin, e.g. "unknown key …". */
  redact(text: string): string {
    return this.secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text);
  }
}

function secretsOf(url: URL): string[] {
  const candidates = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()];
  const spelled = candidates.flatMap((candidate) => [candidate, decode(candidate)]);
  return [...new Set(spelled)].filter((candidate) => candidate.length >= MIN_SECRET_LENGTH);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
