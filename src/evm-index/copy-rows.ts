import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { Transaction } from '../database/database.js';
import type { CopyText } from './copy-text.js';

/** Writes rows in the transaction. */
export async function copyRows(
  { connection }: Transaction,
  target: { readonly table: string; readonly columns: string },
  rows: CopyText,
): Promise<void> {
  if (rows.isEmpty) return;
  const sink = connection.query(from(`COPY ${target.table} (${target.columns}) FROM STDIN`));
  await pipeline(Readable.from(rows.chunks), sink);
}
