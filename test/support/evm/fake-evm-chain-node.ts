import { decodeFunctionData, encodeAbiParameters, hexToNumber, numberToHex, parseAbi } from 'viem/utils';
import {
  answerTo,
  answerWith,
  type FakeEvmNode,
  type FakeMethod,
  type FakeRequest,
  FakeRpcError,
  startFakeEvmNode,
} from './fake-evm-node.js';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { WARP_PRECOMPILE_ADDRESS } from '../../../src/avalanche/warp/send-warp-log.js';
import { type GeneratedEvmBlock, TOKEN_CONTRACTS } from './evm-chain-generator.js';

export const TEST_CHAIN_ID = 43112n;

export type EvmNodeMood =
  | 'honest'
  /** Values that cannot be. */
  | 'garbage'
  | 'tooManyRequests'
  | 'unavailable'
  | 'silent'
  /** Only its first block, as after its data was lost. */
  | 'empty'
  /** Receipts of other transactions. */
  | 'mixedUp';

/** What a contract answers to the questions about a token. */
export interface FakeToken {
  readonly name: Hex;
  readonly symbol: Hex;
  readonly decimals: Hex;
}

const METADATA_ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function supportsInterface(bytes4 id) view returns (bool)',
]);

export function encodeText(text: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [text]);
}

export function makeToken(name: string, symbol: string, decimals: number): FakeToken {
  return {
    name: encodeText(name),
    symbol: encodeText(symbol),
    decimals: encodeAbiParameters([{ type: 'uint256' }], [BigInt(decimals)]),
  };
}

/** Enough of an EVM node to index a generated chain from. */
export class FakeEvmChainNode {
  mood: EvmNodeMood = 'honest';
  chainId = TEST_CHAIN_ID;
  /** What its warp precompile says; undefined while it has none. */
  blockchainId: Hex | undefined;
  hasTracer = true;
  /** Blocks whose states it has thrown away. */
  pruned: ReadonlySet<number> = new Set();
  /** Blocks at which its tracer fails with words that say nothing. */
  crashesAt: ReadonlySet<number> = new Set();
  /** How long it takes to trace a block. */
  traceDelayMs = 0;
  /** Highest block that it tells of. */
  tip: number;
  /** Lowest block that it still has, besides the genesis. */
  lowest = 0;
  delayMs = 0;
  /** Most blocks that it searches for logs at once. */
  maxLogSpan = 10_000;
  /** Most logs that it gives at once. */
  maxLogs = 10_000;
  /** Highest block that it searches for logs, as if another node behind the same address was asked to. */
  searches = Infinity;
  /** Blocks whose logs it leaves out when it searches. */
  forgetsLogsOf: ReadonlySet<number> = new Set();
  /** Says other things in its search than in its receipts. */
  inventsLogs = false;
  /** What it says of the chain's rules; undefined while it has no such method. */
  chainConfig: object | undefined;
  /** Questions to tokens that it was asked. */
  tokenCalls = 0;
  /** Whoever asks about this one waits for ever. */
  silentContract: Address | undefined;
  readonly tokens = new Map<Address, FakeToken>(
    TOKEN_CONTRACTS.map((contract, index) => [
      contract,
      makeToken(`Token ${index}`, `TK${index}`, index * 3),
    ]),
  );
  private node: FakeEvmNode | undefined;

  private constructor(public blocks: readonly GeneratedEvmBlock[]) {
    this.tip = blocks.length - 1;
  }

  static async start(blocks: readonly GeneratedEvmBlock[]): Promise<FakeEvmChainNode> {
    const fake = new FakeEvmChainNode(blocks);
    fake.node = await startFakeEvmNode(fake.methods());
    fake.node.misbehave = (requests, response) => fake.misbehave(requests, response);
    return fake;
  }

  get url(): string {
    return this.node?.url ?? '';
  }

  get host(): string {
    return new URL(this.url).host;
  }

  /** How often a method was called. */
  count(method: string): number {
    return this.node?.methods.filter((called) => called === method).length ?? 0;
  }

  stop(): void {
    this.node?.close();
  }

  private misbehave(
    requests: readonly FakeRequest[],
    response: Parameters<NonNullable<FakeEvmNode['misbehave']>>[1],
  ): boolean {
    if (this.mood === 'silent' || requests.some((request) => this.isAboutSilentContract(request))) {
      return true;
    }
    if (this.mood === 'tooManyRequests') {
      response.writeHead(429, { 'retry-after': '1' }).end();
      return true;
    }
    if (this.mood === 'unavailable') {
      response.writeHead(503).end();
      return true;
    }
    const isTrace = requests.some(({ method }) => method === 'debug_traceBlockByNumber');
    const delayMs = this.delayMs + (isTrace ? this.traceDelayMs : 0);
    if (delayMs === 0) return false;
    const methods = this.methods();
    setTimeout(() => {
      const answers = requests.map((request) => answerTo(request, methods));
      answerWith(response, requests.length === 1 ? answers[0] : answers);
    }, delayMs);
    return true;
  }

  private isAboutSilentContract({ method, params }: FakeRequest): boolean {
    if (method !== 'eth_call' || this.silentContract === undefined) return false;
    return (params[0] as { to: Address }).to === this.silentContract;
  }

  private methods(): Record<string, FakeMethod> {
    return {
      eth_chainId: () => numberToHex(this.chainId),
      eth_blockNumber: () => numberToHex(this.mood === 'empty' ? 0 : this.tip),
      eth_getBlockByNumber: ([tag]) => this.blockOf(tag)?.block ?? null,
      eth_getBlockReceipts: ([tag]) => this.receiptsOf(tag),
      eth_getTransactionReceipt: ([hash]) => this.receiptOf(hash),
      eth_getLogs: ([filter]) => this.logsOf(filter as LogFilterParams),
      debug_traceBlockByNumber: ([tag]) => this.tracesOf(tag),
      eth_call: ([call]) => this.answerCall(call),
      eth_getChainConfig: () => this.configured(),
    };
  }

  private configured(): object {
    if (this.chainConfig !== undefined) return this.chainConfig;
    throw new FakeRpcError(-32601, 'the method eth_getChainConfig does not exist/is not available');
  }

  private blockAt(height: number): GeneratedEvmBlock | undefined {
    if (height > this.tip || (this.mood === 'empty' && height > 0)) return undefined;
    return height > 0 && height < this.lowest ? undefined : this.blocks[height];
  }

  private blockOf(tag: unknown): GeneratedEvmBlock | undefined {
    const block = this.blockAt(heightOf(tag));
    if (this.mood !== 'garbage' || block === undefined || heightOf(tag) === 0) return block;
    return { ...block, block: { ...block.block, timestamp: '0xnonsense' } };
  }

  private receiptsOf(tag: unknown): unknown {
    const block = this.blockAt(heightOf(tag));
    if (block === undefined) return null;
    if (this.mood !== 'mixedUp') return block.receipts;
    return block.receipts.map((receipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` }));
  }

  private receiptOf(hash: unknown): unknown {
    for (const { block, receipts } of this.blocks.slice(0, this.tip + 1)) {
      const found = receipts.find(({ transactionHash }) => transactionHash === hash);
      if (found !== undefined) return this.blockAt(heightOf(block['number'])) && found;
    }
    return null;
  }

  /** As nodes do: blocks that are not there are passed over. */
  private logsOf({ fromBlock, toBlock, address, topics }: LogFilterParams): unknown[] {
    const [from, to] = [heightOf(fromBlock), heightOf(toBlock)];
    if (to > this.searches) throw new FakeRpcError(-32000, 'cannot query unfinalized data');
    if (to - from + 1 > this.maxLogSpan) {
      throw new FakeRpcError(
        -32000,
        `requested too many blocks from ${from} to ${to}, maximum is set to ${this.maxLogSpan}`,
      );
    }
    const found = Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
      .filter((height) => !this.forgetsLogsOf.has(height))
      .flatMap((height) => this.blockAt(height) ?? [])
      .flatMap(({ block, receipts }) => receipts.map((receipt) => ({ block, receipt })))
      .flatMap(({ block, receipt }) =>
        (receipt['logs'] as FakeLog[])
          .filter((log) => address === undefined || log.address === address)
          .filter((log) => topics[0].some((topic) => topic === log.topics[0]))
          .map((log) => ({
            ...log,
            ...(this.inventsLogs ? { data: '0x' } : {}),
            blockNumber: block['number'],
            blockHash: block.hash,
            transactionHash: receipt['transactionHash'],
            transactionIndex: receipt['transactionIndex'],
          })),
      );
    if (found.length > this.maxLogs) {
      throw new FakeRpcError(-32005, `query returned more than ${this.maxLogs} results`);
    }
    return found;
  }

  private tracesOf(tag: unknown): unknown {
    if (!this.hasTracer) {
      throw new FakeRpcError(-32601, 'the method debug_traceBlockByNumber does not exist/is not available');
    }
    const block = this.blockAt(heightOf(tag));
    if (block === undefined) throw new FakeRpcError(-32000, 'block not found');
    if (this.crashesAt.has(heightOf(tag))) throw new FakeRpcError(-32603, 'method handler crashed');
    if (this.pruned.has(heightOf(tag))) throw new FakeRpcError(-32000, 'missing trie node 0xab (path )');
    return block.frames.map((result, index) => ({
      txHash: block.block.transactions[index]?.['hash'],
      result,
    }));
  }

  private answerCall(call: unknown): Hex {
    const { to, data } = call as { to: Address; data: Hex };
    if (to === WARP_PRECOMPILE_ADDRESS) return this.blockchainId ?? '0x';
    this.tokenCalls += 1;
    const token = this.tokens.get(to);
    const { functionName } = decodeFunctionData({ abi: METADATA_ABI, data });
    if (token === undefined || functionName === 'supportsInterface') {
      throw new FakeRpcError(3, 'execution reverted');
    }
    return token[functionName];
  }
}

interface FakeLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
}

interface LogFilterParams {
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly address?: Address;
  readonly topics: readonly [readonly Hex[]];
}

function heightOf(tag: unknown): number {
  return hexToNumber(tag as Hex);
}
