import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The same node as if it were far away: each answer comes so many milliseconds later. */
export function farAway(url: string, delayMs: number): string {
  return `${url}/?${new URLSearchParams({ delayMs: String(delayMs) }).toString()}`;
}

/**
 * Has this process answer JSON-RPC with ready-made JSON, and sends its parent the URL. JSON in bytes goes out as it is: a real node is
 * another machine, and what it does must not slow down the workers of this one.
 */
export function serveJsonRpc(answer: (call: RpcCall) => string | Buffer): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    const delayMs = Number(new URL(request.url ?? '/', 'http://node').searchParams.get('delayMs'));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall | RpcCall[];
      const parts = [body].flat().flatMap((call, index) => {
        return [`${index === 0 ? '' : ','}{"jsonrpc":"2.0","id":${call.id},"result":`, answer(call), '}'];
      });
      const content = Array.isArray(body) ? ['[', ...parts, ']'] : parts;
      const send = (): void => {
        const length = content.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
        response.cork();
        for (const part of content) response.write(part);
        response.end();
      };
      if (delayMs === 0) send();
      else setTimeout(send, delayMs);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}
