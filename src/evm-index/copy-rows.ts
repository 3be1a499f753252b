import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import type { QueryRunner } from 'typeorm';

/** Lines that go out as one piece: large enough to cost little, small enough not to need one giant text. */
const LINES_PER_CHUNK = 1_000;

/** Writes lines of COPY's text format in the runner's transaction. */
export async function copyRows(
  runner: QueryRunner,
  target: { readonly table: string; readonly columns: string },
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const client: unknown = await runner.connect();
  if (!(client instanceof pg.Client)) throw new TypeError('TypeORM gives another connection than that of pg');
  await pipeline(chunks(lines), client.query(from(`COPY ${target.table} (${target.columns}) FROM STDIN`)));
}

function* chunks(lines: readonly string[]): Generator<Buffer> {
  for (let at = 0; at < lines.length; at += LINES_PER_CHUNK) {
    yield Buffer.from(lines.slice(at, at + LINES_PER_CHUNK).join(''), 'latin1');
  }
}
