import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';

/** Past the framework, which would answer a failure in the middle with a second answer. */
export function takeOver(
  reply: FastifyReply,
  answer: { status: number; headers: Readonly<Record<string, string | number>> },
): ServerResponse {
  const { raw } = reply.headers(answer.headers).hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  return raw.writeHead(answer.status);
}
