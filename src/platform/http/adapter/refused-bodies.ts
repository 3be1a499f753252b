import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';

/** Of a refused body at most so much is read. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/**
 * Reads the rest of a body that is refused for its length before the answer goes out and the connection is closed: most clients read no
 * answer before they have sent everything, and would meet a broken connection instead. The server's timeout of requests ends it, too.
 */
export function discardRefusedBodies(server: FastifyInstance): void {
  server.addHook('onSend', async ({ raw }, reply, payload) => {
    // Fastify closes the connection for this reason alone.
    if (reply.getHeader('connection') === 'close' && !raw.complete) await discard(raw);
    return payload;
  });
}

async function discard(body: IncomingMessage): Promise<void> {
  if (Number(body.headers['content-length'] ?? 0) > MAX_DISCARDED_BYTES) return;
  await new Promise<void>((resolve) => {
    let discardedBytes = 0;
    body.on('data', ({ length }: Buffer) => {
      discardedBytes += length;
      if (discardedBytes > MAX_DISCARDED_BYTES) resolve();
    });
    for (const event of ['end', 'error', 'close']) body.once(event, () => resolve());
    body.resume();
  });
}
