import type { AvmBlock } from '../../../avalanche/avm/codec/block.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { idFromString } from '../../../avalanche/ids/id.js';
import { AvmClient } from '../../../avalanche/rpc/avm-client.js';
import type { HostLimiters } from '../../../avalanche/rpc/http/host-limiter.js';
import { InfoClient } from '../../../avalanche/rpc/info-client.js';
import type { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { nameOfNode } from '../../engine/following/node-pool.js';
import { BlockByHeightSource } from '../../engine/sources/block-by-height.source.js';
import { Throttle } from '../../engine/sources/throttle.js';
import { TransactionIndexSource } from './transaction-index.source.js';
import {
  foreignBlock,
  linked,
  type XBlockRef,
  type XChainName,
  type XChainPosition,
  type XChainSource,
} from './x-chain-source.js';

/** One configured node as a source of X-chain blocks. */
export class XChainNode implements XChainSource {
  readonly name: string;
  readonly host: string;
  /** The history before blocks. */
  readonly transactionIndex: TransactionIndexSource;
  private readonly avm: AvmClient;
  private readonly info: InfoClient;
  private readonly throttle: Throttle;
  private readonly blocks: BlockByHeightSource;

  /** `rpc` asks this node only. */
  constructor(rpc: JsonRpcClient, options: { concurrency: number; limiters?: HostLimiters; name?: string }) {
    this.name = options.name ?? nameOfNode(0);
    this.host = rpc.hosts[0] ?? 'node';
    this.avm = new AvmClient(rpc);
    this.info = new InfoClient(rpc);
    this.throttle = new Throttle(options.concurrency, options.limiters?.of(this.host));
    this.blocks = new BlockByHeightSource(this.avm, this.throttle);
    this.transactionIndex = new TransactionIndexSource(rpc, this.throttle);
  }

  getHeight(signal: AbortSignal): Promise<bigint> {
    return this.throttle.ask(() => this.avm.getHeight({ signal }), signal);
  }

  async getName(signal: AbortSignal): Promise<XChainName> {
    const networkId = await this.throttle.ask(() => this.info.getNetworkId({ signal }), signal);
    const text = await this.throttle.ask(() => this.info.getBlockchainId({ alias: 'X', signal }), signal);
    return { networkId, blockchainId: toHex(idFromString(text)) };
  }

  async findForeignBlock(
    position: XChainPosition,
    tip: bigint,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const foreign = await foreignBlock(this, position, tip, signal);
    return foreign && `has ${foreign}`;
  }

  readBlocks(after: XBlockRef, to: bigint, signal: AbortSignal): AsyncGenerator<AvmBlock, void> {
    return linked(after, this.blocks.fetch(after.height + 1n, to, signal));
  }

  async getBytes(height: bigint, signal: AbortSignal): Promise<Uint8Array> {
    for await (const bytes of this.blocks.fetch(height, height, signal)) return bytes;
    throw new RangeError('no block was asked for');
  }
}
