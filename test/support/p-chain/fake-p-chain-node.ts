import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { packRpcHex } from '../../../src/avalanche/ids/rpc-hex.js';
import { wrapBlock } from '../../../src/avalanche/platformvm/codec/proposervm.js';
import { PRIMARY_NETWORK } from '../../../src/avalanche/platformvm/ids.js';
import type { FakeXChainNode } from '../x-chain/fake-x-chain-node.js';
import { type GeneratedBlock, LOCAL_NETWORK_ID, LOCAL_UPGRADES } from './p-chain-generator.js';

export type NodeMood =
  | 'honest'
  /** Bytes of no block, with a right checksum. */
  | 'garbage'
  | 'wrongChecksum'
  | 'tooManyRequests'
  | 'unavailable'
  | 'silent'
  /** Only its first block, as after its data was lost. */
  | 'empty';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: Record<string, string>;
}

/** Enough of a node to index from: blocks by height, and from the index API where wanted. */
export class FakePChainNode {
  mood: NodeMood = 'honest';
  hasIndexApi = false;
  /** Highest block that it tells of. */
  tip: number;
  /** Highest block that it gives, as if another node behind the same address was asked for them. */
  gives = Infinity;
  /** Replaces what it serves at a height. */
  readonly replaced = new Map<number, Uint8Array>();
  /** What `info.upgrades` says; null: it is not offered. */
  upgrades: Readonly<Record<string, string>> | null = LOCAL_UPGRADES;
  /** Answers what is not about the P-chain, with the moods of both. */
  xChain: FakeXChainNode | undefined;
  readonly calls: string[] = [];
  /** Requests that were being answered at the same time, at most. */
  maxConcurrent = 0;
  delayMs = 0;
  private concurrent = 0;
  private server: Server | undefined;

  private constructor(
    private readonly blocks: readonly GeneratedBlock[],
    private port = 0,
  ) {
    this.tip = blocks.length - 1;
  }

  static async start(blocks: readonly GeneratedBlock[]): Promise<FakePChainNode> {
    const node = new FakePChainNode(blocks);
    await node.listen();
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.handle(request, response));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  count(method: string): number {
    return this.calls.filter((call) => call === method).length;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.concurrent += 1;
    this.maxConcurrent = Math.max(this.maxConcurrent, this.concurrent);
    response.on('close', () => (this.concurrent -= 1));
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const call = JSON.parse(body) as Call;
    this.calls.push(call.method);
    if (this.delayMs > 0) await delay(this.delayMs);
    if (this.mood === 'silent') return;
    if (this.mood === 'tooManyRequests') return void response.writeHead(429, { 'retry-after': '1' }).end();
    if (this.mood === 'unavailable') return void response.writeHead(503).end();
    if (request.url?.startsWith('/ext/index/') && !this.hasIndexApi) {
      return void response.writeHead(404).end();
    }
    const answer = this.answer(call);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...answer }));
  }

  private answer({ method, params }: Call): object {
    switch (method) {
      case 'info.getNetworkID':
        return { result: { networkID: String(LOCAL_NETWORK_ID) } };
      case 'info.upgrades':
        return this.upgrades === null
          ? refusal(`the method ${method} is not offered`)
          : { result: this.upgrades };
      case 'platform.getHeight':
        return { result: { height: String(this.mood === 'empty' ? 0 : this.tip) } };
      case 'platform.getBlockByHeight': {
        const bytes = this.bytesAt(Number(params['height']));
        if (bytes === undefined) {
          return refusal(`couldn't get block at height ${params['height']}: not found`);
        }
        return { result: { block: this.encode(bytes), encoding: 'hex' } };
      }
      case 'index.getContainerRange': {
        const start = Number(params['startIndex']);
        const heights = Array.from({ length: Number(params['numToFetch']) }, (_, i) => start + i + 1);
        const containers = heights.flatMap((height) => {
          const inner = this.bytesAt(height);
          if (inner === undefined) return [];
          return [{ id: PRIMARY_NETWORK, bytes: this.encode(wrap(inner)), index: String(height - 1) }];
        });
        return { result: { containers } };
      }
      default:
        return this.xChain?.answer(method, params) ?? refusal(`the method ${method} does not exist`);
    }
  }

  private bytesAt(height: number): Uint8Array | undefined {
    if (height > Math.min(this.tip, this.gives) || (this.mood === 'empty' && height > 0)) return undefined;
    if (this.mood === 'garbage') return new Uint8Array(80).fill(7);
    return this.replaced.get(height) ?? this.blocks[height]?.bytes;
  }

  private encode(bytes: Uint8Array): string {
    const hex = packRpcHex(bytes);
    return this.mood === 'wrongChecksum' ? `${hex.slice(0, -1)}${hex.endsWith('0') ? '1' : '0'}` : hex;
  }
}

function wrap(inner: Uint8Array): Uint8Array {
  return wrapBlock({ type: 'option', parentId: PRIMARY_NETWORK, inner });
}

function refusal(message: string): object {
  return { error: { code: -32000, message } };
}
