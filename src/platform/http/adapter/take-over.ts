import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';

const beginnings = new WeakMap<ServerResponse, number>();

/** When an answer that was taken over began, as `performance.now()`. */
export function beginningOf(answer: ServerResponse): number | undefined {
  return beginnings.get(answer);
}

/** Past the framework, which would answer a failure in the middle with a second answer. */
export function takeOver(
  reply: FastifyReply,
  answer: { status: number; headers: Readonly<Record<string, string | number>> },
): ServerResponse {
  const { raw } = reply.headers(answer.headers).hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  beginnings.set(raw, performance.now());
  return raw.writeHead(answer.status);
}
