import type { DataSource } from 'typeorm';
import { insertRows } from './begun-indexes.js';
import { startServerProcess } from './server-process.js';

export interface Answer {
  status: number;
  contentType: string | null;
  text: string;
  body: unknown;
}

/** Error of a page token of another query. */
export const TOKEN_REFUSAL =
  'pageToken: must be the nextPageToken of a page of the same query, sent with the same other parameters';

/** The lists as the API serves them (list-server.ts, a process), over a migrated database of their own. */
export class ListApi {
  private constructor(
    readonly databaseUrl: string,
    readonly dataSource: DataSource,
    readonly url: string,
  ) {}

  static async start(databaseUrl?: string, env: Readonly<Record<string, string>> = {}): Promise<ListApi> {
    const entry = 'dist/test-programs/support/http/list-server.js';
    const server = await startServerProcess({ name: 'lists', entry, databaseUrl, env });
    return new ListApi(server.databaseUrl, server.dataSource, server.url);
  }

  /** The answer as it came, for those who look at its headers. */
  fetch(path: string): Promise<Response> {
    return fetch(`${this.url}${path}`);
  }

  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const search = new URLSearchParams(query).toString();
    const response = await this.fetch(`${path}${search === '' ? '' : `?${search}`}`);
    const text = await response.text();
    const body: unknown = JSON.parse(text);
    return { status: response.status, contentType: response.headers.get('content-type'), text, body };
  }

  /** All items of a list, page by page. Throws unless every page but the last is full and every answer is a 200. */
  async walk(
    path: string,
    name: string,
    query: Readonly<Record<string, string>>,
    nextPageSize: () => number,
    betweenPages: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Record<string, unknown>[]> {
    const items: Record<string, unknown>[] = [];
    let pageToken: string | undefined;
    do {
      const pageSize = nextPageSize();
      const page = { pageSize: String(pageSize), ...(pageToken === undefined ? {} : { pageToken }) };
      const { status, body, text } = await this.get(path, { ...query, ...page });
      if (status !== 200 || !isRecord(body)) throw new Error(`${path} ${JSON.stringify(query)}: ${text}`);
      const list = body[name];
      if (!Array.isArray(list)) throw new Error(`no ${name} in ${text}`);
      items.push(...list.filter(isRecord));
      if (body['nextPageToken'] === undefined) return items;
      if (typeof body['nextPageToken'] !== 'string') throw new Error(`bad token in ${text}`);
      if (list.length !== pageSize) {
        throw new Error(`a page of ${list.length} instead of ${pageSize} has a next one`);
      }
      pageToken = body['nextPageToken'];
      await betweenPages();
    } while (items.length < 1_000_000);
    throw new Error('endless pages');
  }

  insert(table: string, rows: readonly object[]): Promise<void> {
    return insertRows(this.dataSource, table, rows);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
