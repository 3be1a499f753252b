import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import pg from 'pg';

/** Imported ahead of a process of the service: serves at a port how many statements it has sent to Postgres, by their text. */
const counts = {};
const { query: send } = pg.Client.prototype;
pg.Client.prototype.query = function (query, ...rest) {
  const text = typeof query === 'string' ? query : (query?.text ?? 'a stream');
  counts[text] = (counts[text] ?? 0) + 1;
  return send.call(this, query, ...rest);
};
// Threads import it, too.
if (isMainThread) {
  createServer((_, response) => response.end(JSON.stringify(counts)))
    .listen(Number(process.env.BENCH_STATEMENTS_PORT), '127.0.0.1')
    .unref();
}
