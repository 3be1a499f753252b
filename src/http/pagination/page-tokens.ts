import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import {
  type Keyset,
  PAGE_TOKEN_KEY_BYTES,
  packPageToken,
  type PageScope,
  unpackPageToken,
} from './page-token.js';

const SECRET_NAME = 'page-tokens';

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Absent on the last page. */
  readonly nextPageToken?: string;
}

/** Page tokens under the key that all API processes share; the first that needs it makes it. */
@Injectable()
export class PageTokens {
  private key: Promise<Buffer> | undefined;

  constructor(private readonly dataSource: DataSource) {}

  /** Undefined without a token: the first page. Throws a 400. */
  async read(scope: PageScope, token: string | undefined): Promise<Keyset | undefined> {
    return token === undefined ? undefined : unpackPageToken(await this.getKey(), scope, token);
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
    return { rows: shown, nextPageToken: packPageToken(await this.getKey(), scope, keysetOf(last)) };
  }

  private getKey(): Promise<Buffer> {
    this.key ??= this.loadKey().catch((error: unknown) => {
      this.key = undefined;
      throw error;
    });
    return this.key;
  }

  private async loadKey(): Promise<Buffer> {
    await this.dataSource.query(
      'INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [SECRET_NAME, randomBytes(PAGE_TOKEN_KEY_BYTES)],
    );
    const rows: { value: Buffer }[] = await this.dataSource.query(
      'SELECT value FROM service_secrets WHERE name = $1',
      [SECRET_NAME],
    );
    const key = rows[0]?.value;
    if (key === undefined) throw new Error('the key of page tokens has gone while it was made');
    return key;
  }
}
