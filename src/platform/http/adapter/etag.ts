import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';

/**
 * Hook before an answer is sent: gives the answer of a GET or HEAD an ETag, and answers 304 to a caller that already has it (RFC 9110 13.1.2).
 * Errors and answers to a POST are left alone; @fastify/etag would also take those for unchanged.
 */
export function answerUnchanged(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error?: null, payload?: unknown) => void,
): void {
  const isRead = (request.method === 'GET' || request.method === 'HEAD') && reply.statusCode === 200;
  if (!isRead || typeof payload !== 'string' || reply.hasHeader('etag')) {
    done(null, payload);
    return;
  }
  // Weak: the same content may be sent compressed.
  const etag = `W/"${hash('sha1', payload, 'base64')}"`;
  void reply.header('etag', etag);
  if (!isKnown(request.headers['if-none-match'], etag)) {
    done(null, payload);
    return;
  }
  void reply.status(304);
  done(null, null); // without a content-length, which would be that of the whole answer
}

function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((each) => each.trim());
  return known.includes('*') || known.includes(etag) || known.includes(etag.slice('W/'.length));
}
