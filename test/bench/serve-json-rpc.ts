import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Has this process answer JSON-RPC with ready-made text, and sends its parent the URL. `delayMs`: as if it were far away. */
export function serveJsonRpc(answer: (call: RpcCall) => string, delayMs = 0): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall | RpcCall[];
      const texts = [body].flat().map((call) => `{"jsonrpc":"2.0","id":${call.id},"result":${answer(call)}}`);
      const text = Array.isArray(body) ? `[${texts.join(',')}]` : texts[0];
      const send = (): void => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(text);
      };
      if (delayMs === 0) send();
      else setTimeout(send, delayMs);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
}
