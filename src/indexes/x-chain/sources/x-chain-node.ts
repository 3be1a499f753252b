import { AvmError } from '../../../avalanche/avm/avm.error.js';
import type { AvmBlock } from '../../../avalanche/avm/codec/block.js';
import { parseAvmBlock } from '../../../avalanche/avm/codec/block.js';
import { fromHex, toHex } from '../../../avalanche/ids/hex.js';
import { idFromString, idToString } from '../../../avalanche/ids/id.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import { AvmClient } from '../../../avalanche/rpc/avm-client.js';
import type { HostLimiters } from '../../../avalanche/rpc/http/host-limiter.js';
import { InfoClient } from '../../../avalanche/rpc/info-client.js';
import type { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { type ChainNode, nameOfNode, NodePool } from '../../engine/following/node-pool.js';
import { BlockByHeightSource } from '../../engine/sources/block-by-height.source.js';
import { Throttle } from '../../engine/sources/throttle.js';
import { TransactionIndexSource } from './transaction-index.source.js';

/** A block by its place. Before block 0 the id is that of the last transaction that was read, or of the chain. */
export interface XBlockRef {
  readonly height: bigint;
  readonly blockId: Id;
}

export interface XChainName {
  readonly networkId: number;
  readonly blockchainId: Id;
}

/** Where the index stands, and of which chain it is. */
export interface XChainPosition extends XBlockRef {
  readonly chain: XChainName;
}

/** All configured nodes of one network. */
export class XChainNodes extends NodePool<XChainPosition, XChainNode> {}

/** One configured node as a source of X-chain blocks. It is believed nothing that the blocks themselves do not prove. */
export class XChainNode implements ChainNode<XChainPosition> {
  readonly name: string;
  readonly host: string;
  /** What there was before blocks. */
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
    { height, blockId, chain }: XChainPosition,
    tip: bigint,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { networkId, blockchainId } = await this.getName(signal);
    if (networkId !== chain.networkId || blockchainId !== chain.blockchainId) {
      const [theirs, ours] = [blockchainId, chain.blockchainId].map((id) => idToString(fromHex(id)));
      return `has the X-chain ${theirs} of network ${networkId}, the index has ${ours} of network ${chain.networkId}`;
    }
    if (height < 0n || tip < height) return undefined;
    const { id } = await this.getBlock(height, signal);
    if (id === blockId) return undefined;
    return `has block ${id} at height ${height}, the index has ${blockId}: the network was started anew`;
  }

  /**
   * The blocks above `after` up to a height that the node has accepted, each the child of the one before. The parent of block 0 is
   * no block, and different on each network.
   * Throws RpcError for what the node could not answer, AvmError for what it answered wrongly (or what we cannot read).
   */
  async *readBlocks(after: XBlockRef, to: bigint, signal: AbortSignal): AsyncGenerator<AvmBlock, void> {
    let { height, blockId } = after;
    for await (const bytes of this.blocks.fetch(height + 1n, to, signal)) {
      height += 1n;
      const block = parseAt(bytes, height);
      if (height > 0n && block.parentId !== blockId) {
        const message = `block ${height} (${block.id}) follows ${block.parentId}, not ${blockId}`;
        throw new AvmError('WRONG_PARENT', message);
      }
      blockId = block.id;
      yield block;
    }
  }

  private async getBlock(height: bigint, signal: AbortSignal): Promise<AvmBlock> {
    for await (const bytes of this.blocks.fetch(height, height, signal)) return parseAt(bytes, height);
    throw new RangeError('no block was asked for');
  }
}

function parseAt(bytes: Uint8Array, height: bigint): AvmBlock {
  const block = parseAvmBlock(bytes);
  if (block.height === height) return block;
  throw new AvmError('WRONG_PARENT', `block ${block.height} came when ${height} was asked for`);
}
