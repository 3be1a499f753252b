import { addAbortSignal } from 'node:stream';
import { copyTo } from '../../platform/database/copy-to.js';
import { type Database, Transaction } from '../../platform/database/database.js';

export interface CopyOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Output of `COPY (query) TO STDOUT (FORMAT csv)`, as it comes; returns the number of rows. The connection goes back to the pool only from
 * a COPY that was read to its end; any other one is cancelled and its connection closed.
 */
export async function* copyOut(
  database: Database,
  query: string,
  { settings, timeoutMs, signal }: CopyOptions,
): AsyncGenerator<Buffer, number> {
  signal.throwIfAborted();
  const connection = await database.connect();
  connection.on('error', ignore);
  const transaction = new Transaction(connection, timeoutMs);
  let isClean = false;
  let backend: number | undefined;
  try {
    backend = await begin(transaction, { ...settings, statement_timeout: String(timeoutMs) });
    await transaction.lockRead(query);
    const stream = addAbortSignal(signal, copyTo(transaction, `COPY (${query}) TO STDOUT (FORMAT csv)`));
    for await (const chunk of stream) yield asBuffer(chunk);
    await transaction.execute({ text: 'COMMIT', values: [] });
    isClean = true;
    return stream.rowCount;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    if (!isClean && backend !== undefined) await cancel(database, backend);
    connection.off('error', ignore);
    connection.release(!isClean);
  }
}

/** A connection that breaks between two statements: the next one fails, but without a listener the process would end. */
function ignore(): void {
  return undefined;
}

/** Gives the process id of the server's end. */
async function begin(transaction: Transaction, settings: Readonly<Record<string, string>>): Promise<number> {
  await transaction.execute({ text: 'BEGIN READ ONLY', values: [] });
  await transaction.set(settings);
  const [row] = await transaction.query<{ pid: number }>({
    text: 'SELECT pg_backend_pid() AS pid',
    values: [],
  });
  if (row === undefined) throw new Error('the database has not said which process it is');
  return row.pid;
}

/** Without it, a query that sends nothing yet would continue until it notices that its client is gone. */
async function cancel(database: Database, backend: number): Promise<void> {
  // When the database is away there is nothing to cancel.
  await database.query({ text: 'SELECT pg_cancel_backend($1)', values: [backend] }).catch(() => undefined);
}

function asBuffer(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  throw new TypeError('a COPY gives bytes');
}

/** Bytes of rows, of which the first and the last may be cut. */
export interface RowBlock {
  readonly content: Buffer;
  /** Ends of lines in it. */
  readonly lines: number;
}

/** The same rows, copied once, in blocks of at least a size except for the last one. Lines end with CRLF, as RFC 4180 wants it. */
export async function* inBlocks(
  source: AsyncGenerator<Buffer, number>,
  minBytes: number,
): AsyncGenerator<RowBlock, number> {
  let gathered: Buffer[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const next = await source.next();
      if (!next.done) {
        gathered.push(next.value);
        bytes += next.value.length;
      }
      if (bytes >= minBytes || (next.done && bytes > 0)) {
        yield toCrlf(gathered, bytes);
        gathered = [];
        bytes = 0;
      }
      if (next.done) return next.value;
    }
  } finally {
    await source.return(0);
  }
}

const CR = 13;
const LF = 10;

function toCrlf(pieces: readonly Buffer[], bytes: number): RowBlock {
  const cut = pieces.map((piece) => ({ piece, ends: endsOf(piece) }));
  const lines = cut.reduce((sum, { ends }) => sum + ends.length, 0);
  const content = Buffer.allocUnsafe(bytes + lines);
  let written = 0;
  for (const { piece, ends } of cut) {
    let from = 0;
    for (const end of ends) {
      written += piece.copy(content, written, from, end);
      content[written++] = CR;
      content[written++] = LF;
      from = end + 1;
    }
    written += piece.copy(content, written, from);
  }
  return { content, lines };
}

function endsOf(piece: Buffer): number[] {
  const ends: number[] = [];
  for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, at + 1)) ends.push(at);
  return ends;
}
