import { Injectable } from '@nestjs/common';
import { type KeyRing, ServiceSecrets } from '../../secrets/service-secrets.js';
import { cutAt } from './cut-at.js';
import type { Keyset, PagePlace } from './keyset.js';
import { packPageToken, type PageScope, unpackPageToken } from './page-token.js';

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Absent on the last page. */
  readonly nextPageToken?: string;
}

/**
 * Of one page, which ends early where there would be more. An output, a stake or a subnet may have thousands of owners, which costs next to
 * nothing; each takes microseconds to be written, in which nobody else is answered.
 */
const MAX_ADDRESSES = 10_000;

/** A list's parsed query: what it filters and sorts by, and the page. */
interface ListQuery {
  readonly pageToken?: string | undefined;
  readonly pageSize: number;
}

/** Page tokens under the key that all API processes share. */
@Injectable()
export class PageTokens {
  constructor(private readonly secrets: ServiceSecrets) {}

  /**
   * The page that a list's query asks for, to be spread into the answer. `path` names the list; its token fits nothing but it and
   * the same filters and order. Throws the 400 of a token that does not. `addressesIn`: how many the answer has of a row.
   */
  async page<Row>(
    path: readonly string[],
    { pageToken, pageSize, ...query }: ListQuery,
    read: (place: PagePlace) => Promise<readonly Row[]>,
    keysetOf: (row: Row) => Keyset,
    addressesIn: (row: Row) => number = () => 0,
  ): Promise<Page<Row>> {
    const scope = { path, query };
    const after = await this.read(scope, pageToken);
    const rows = await read({ after, limit: pageSize + 1 });
    const few = cutAt(MAX_ADDRESSES, rows, addressesIn);
    return this.toPage(scope, { pageSize, hasMore: few.length < rows.length }, few, keysetOf);
  }

  /** Undefined without a token: the first page. Throws a 400. */
  async read(scope: PageScope, token: string | undefined): Promise<Keyset | undefined> {
    return token === undefined ? undefined : unpackPageToken((await this.keys()).accepted, scope, token);
  }

  /** Cuts the row that was asked for beyond the page. Makes the token when there was one, or when more is known to follow. */
  async toPage<Row>(
    scope: PageScope,
    { pageSize, hasMore = false }: { pageSize: number; hasMore?: boolean },
    rows: readonly Row[],
    keysetOf: (row: Row) => Keyset,
  ): Promise<Page<Row>> {
    const shown = rows.slice(0, pageSize);
    const last = shown.at(-1);
    if ((rows.length <= pageSize && !hasMore) || last === undefined) return { rows: shown };
    return { rows: shown, nextPageToken: packPageToken((await this.keys()).current, scope, keysetOf(last)) };
  }

  private keys(): Promise<KeyRing> {
    return this.secrets.ring('page-tokens');
  }
}
