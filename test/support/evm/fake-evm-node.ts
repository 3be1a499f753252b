import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Throw to answer with an error. */
export type FakeMethod = (params: readonly unknown[]) => unknown;

export class FakeRpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** Takes a request over, e.g. to answer nonsense; undefined leaves it to the methods. */
export type Misbehaviour = (
  requests: readonly FakeRequest[],
  response: ServerResponse,
  request: IncomingMessage,
) => boolean;

export interface FakeEvmNode {
  readonly url: string;
  /** Sizes of the batches received so far; a plain object counts as one. */
  readonly batchSizes: number[];
  readonly methods: string[];
  misbehave: Misbehaviour | undefined;
  close(): void;
}

/** A JSON-RPC server for one test, on a free port of the loopback. */
export async function startFakeEvmNode(methods: Readonly<Record<string, FakeMethod>>): Promise<FakeEvmNode> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as FakeRequest | FakeRequest[];
      const requests = [body].flat();
      node.batchSizes.push(requests.length);
      node.methods.push(...requests.map(({ method }) => method));
      if (node.misbehave?.(requests, response, request)) return;
      const answers = requests.map((entry) => answerTo(entry, methods));
      answerWith(response, Array.isArray(body) ? answers : answers[0]);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const node: FakeEvmNode = {
    url: `http://127.0.0.1:${port}`,
    batchSizes: [],
    methods: [],
    misbehave: undefined,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return node;
}

export function answerTo({ id, method, params }: FakeRequest, methods: Readonly<Record<string, FakeMethod>>) {
  try {
    const answer = methods[method];
    if (!answer) throw new FakeRpcError(-32601, `the method ${method} does not exist/is not available`);
    return { jsonrpc: '2.0', id, result: answer(params) };
  } catch (error) {
    if (!(error instanceof FakeRpcError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}

export function answerWith(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
