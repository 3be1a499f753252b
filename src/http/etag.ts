import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';

/**
 * Hook before an answer is sent: names what a GET answers, and tells who has it already that nothing has changed (RFC 9110 13.1.2).
 * Neither errors nor what a POST answers, which @fastify/etag would take for unchanged, too.
 */
export function answerUnchanged(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error?: null, payload?: unknown) => void,
): void {
  const isRead = request.method === 'GET' && reply.statusCode === 200;
  if (!isRead || typeof payload !== 'string' || reply.hasHeader('etag')) {
    done(null, payload);
    return;
  }
  // Weak: the same content may be sent compressed.
  const etag = `W/"${createHash('sha1').update(payload).digest('base64')}"`;
  void reply.header('etag', etag);
  if (!isKnown(request.headers['if-none-match'], etag)) {
    done(null, payload);
    return;
  }
  void reply.status(304);
  done(null, '');
}

function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((each) => each.trim());
  return known.includes('*') || known.includes(etag) || known.includes(etag.slice('W/'.length));
}
