import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { AvmGenesis } from '../../../src/avalanche/avm/genesis/genesis.js';
import { packAvmTransaction } from '../../../src/avalanche/avm/codec/transaction.js';
import type { AvmTransaction } from '../../../src/avalanche/avm/transaction.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { packRpcHex } from '../../../src/avalanche/ids/rpc-hex.js';
import type { GeneratedXBlock } from './x-chain-generator.js';

export type XNodeMood = 'honest' | 'garbage' | 'silent' | 'unavailable' | 'empty';

const CallSchema = z.object({
  id: z.unknown(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()),
});

/** Enough of a node to index an X-chain from: blocks by height, and where wanted the index of what was before blocks. */
export class FakeXChainNode {
  mood: XNodeMood = 'honest';
  /** Highest block that it tells of. */
  tip: number;
  /** Highest block that it gives, as if another node behind the same address was asked for them. */
  gives = Infinity;
  /** Null: it has no index of transactions. */
  history: readonly AvmTransaction[] | null = null;
  /** Replaces what it serves at a height. */
  readonly replaced = new Map<number, Uint8Array>();
  readonly calls: string[] = [];
  private server: Server | undefined;
  private port = 0;

  /** It listens once it is told to. */
  constructor(
    private readonly genesis: AvmGenesis,
    private readonly blocks: readonly GeneratedXBlock[],
  ) {
    this.tip = blocks.length - 1;
  }

  static async start(genesis: AvmGenesis, blocks: readonly GeneratedXBlock[]): Promise<FakeXChainNode> {
    const node = new FakeXChainNode(genesis, blocks);
    await node.listen();
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.handle(request, response));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    const address: AddressInfo | string | null = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    this.port = address.port;
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { id, method, params } = CallSchema.parse(JSON.parse(body));
    this.calls.push(method);
    if (this.mood === 'silent') return;
    if (this.mood === 'unavailable') return void response.writeHead(503).end();
    if (method.startsWith('index.') && this.history === null) return void response.writeHead(404).end();
    const answer = this.answer(method, params);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }

  /** What stands beside `jsonrpc` and `id`. */
  answer(method: string, params: Readonly<Record<string, unknown>>): object {
    const { networkId, blockchainId } = this.genesis.identity;
    const history = this.history ?? [];
    switch (method) {
      case 'info.getNetworkID':
        return { result: { networkID: String(networkId) } };
      case 'info.getBlockchainID':
        return { result: { blockchainID: idToString(fromHex(blockchainId)) } };
      case 'avm.getHeight':
        return { result: { height: String(this.mood === 'empty' ? 0 : this.tip) } };
      case 'avm.getBlockByHeight': {
        const bytes = this.bytesAt(Number(params['height']));
        if (bytes === undefined) {
          return refusal(`couldn't get block at height ${String(params['height'])}: not found`);
        }
        return { result: { block: packRpcHex(bytes), encoding: 'hex' } };
      }
      case 'index.getLastAccepted':
        if (history.length === 0) return refusal('no containers have been accepted');
        return { result: { index: String(history.length - 1) } };
      case 'index.getContainerRange': {
        const start = Number(params['startIndex']);
        const some = history.slice(start, start + Number(params['numToFetch']));
        return {
          result: {
            containers: some.map((transaction, place) => ({
              bytes: packRpcHex(packAvmTransaction(transaction)),
              index: String(start + place),
            })),
          },
        };
      }
      default:
        return refusal(`the method ${method} does not exist`);
    }
  }

  private bytesAt(height: number): Uint8Array | undefined {
    if (height > Math.min(this.tip, this.gives) || (this.mood === 'empty' && height > 0)) return undefined;
    if (this.mood === 'garbage') return new Uint8Array(80).fill(7);
    return this.replaced.get(height) ?? this.blocks[height]?.bytes;
  }
}

function refusal(message: string): object {
  return { error: { code: -32000, message } };
}
