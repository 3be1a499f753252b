import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import type { QueryRunner } from 'typeorm';
import type { CopyText } from './copy-text.js';

/** Writes rows in the runner's transaction. */
export async function copyRows(
  runner: QueryRunner,
  target: { readonly table: string; readonly columns: string },
  rows: CopyText,
): Promise<void> {
  if (rows.isEmpty) return;
  const client: unknown = await runner.connect();
  if (!(client instanceof pg.Client)) throw new TypeError('TypeORM gives another connection than that of pg');
  const sink = client.query(from(`COPY ${target.table} (${target.columns}) FROM STDIN`));
  await pipeline(Readable.from(rows.chunks), sink);
}
