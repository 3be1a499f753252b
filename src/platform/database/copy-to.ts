import { to, type CopyToStreamQuery } from 'pg-copy-streams';
import { type Transaction, UNANSWERED } from './database.js';

/**
 * Begins `COPY … TO STDOUT` over a transaction's connection, which then waits for the stream's end. It fails when the server has not
 * sent all within the time that the transaction has for an answer.
 */
export function copyTo({ connection, timeout }: Transaction, text: string): CopyToStreamQuery {
  const stream = connection.query(Object.assign(to(text), { callback: ignore }));
  stream.callback(); // ends the driver's timer: it would fail a stream that has ended, since this kind never calls back
  // Also gets failures after somebody has stopped to listen, which would end the process.
  stream.on('error', ignore);
  const giveUp = (): void => void stream.destroy(new Error(UNANSWERED));
  const late = setTimeout(giveUp, timeout.query_timeout);
  stream.once('close', () => clearTimeout(late));
  return stream;
}

function ignore(): void {
  return undefined;
}
