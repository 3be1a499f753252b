import type { Block } from '../../../avalanche/platformvm/block.js';
import { parseBlock } from '../../../avalanche/platformvm/codec/block.js';
import { PlatformVmError } from '../../../avalanche/platformvm/platformvm.error.js';
import {
  toUpgradeTimes,
  upgradeDifference,
  type UpgradeTimes,
} from '../../../avalanche/platformvm/state/upgrade-times.js';
import type { HostLimiters } from '../../../avalanche/rpc/http/host-limiter.js';
import { InfoClient } from '../../../avalanche/rpc/info-client.js';
import type { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { isNotOffered } from '../../../avalanche/rpc/refusals.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { PlatformClient } from '../../../avalanche/rpc/platform-client.js';
import { nameOfNode } from '../../engine/following/node-pool.js';
import { type BlockSource, SourceUnusableError } from '../../engine/sources/block-source.js';
import { BlockByHeightSource } from '../../engine/sources/block-by-height.source.js';
import { IndexApiSource } from './index-api.source.js';
import {
  type BlockRef,
  type ChainPosition,
  foreignBlock,
  linked,
  parseAt,
  parsedFrom,
  type PChainSource,
} from './p-chain-source.js';
import { Throttle } from '../../engine/sources/throttle.js';

/** Below this the index API's larger answers are no gain, and it may trail the tip a little. */
const MIN_BLOCKS_FOR_INDEX_API = 64;
/** Not longer: behind one address, a node without an index may have answered for the others. */
const INDEX_API_REST_MS = 600_000;

/** One configured node as a source of P-chain blocks. Only what the blocks themselves prove is accepted. */
export class PChainNode implements PChainSource {
  readonly name: string;
  readonly host: string;
  readonly platform: PlatformClient;
  readonly info: InfoClient;
  private readonly throttle: Throttle;
  private readonly byHeight: BlockSource;
  private readonly indexApi: BlockSource;
  /** Of `performance.now()`. */
  private indexApiRestsUntil = -Infinity;
  private lastDifference: string | undefined;

  /** `rpc` asks this node only. */
  constructor(
    rpc: JsonRpcClient,
    options: { concurrency: number; limiters?: HostLimiters; name?: string },
    private readonly log: (text: string) => void = () => undefined,
  ) {
    this.name = options.name ?? nameOfNode(0);
    this.host = rpc.hosts[0] ?? 'node';
    this.platform = new PlatformClient(rpc);
    this.info = new InfoClient(rpc);
    this.throttle = new Throttle(options.concurrency, options.limiters?.of(this.host));
    this.byHeight = new BlockByHeightSource(this.platform, this.throttle);
    this.indexApi = new IndexApiSource(rpc, this.throttle);
  }

  getNetworkId(signal: AbortSignal): Promise<number> {
    return this.info.getNetworkId({ signal });
  }

  getHeight(signal: AbortSignal): Promise<bigint> {
    return this.throttle.ask(() => this.platform.getHeight({ signal }), signal);
  }

  async getBlock(height: bigint, signal: AbortSignal): Promise<Block> {
    for await (const bytes of this.byHeight.fetch(height, height, signal)) return parseAt(bytes, height);
    throw new RangeError('no block was asked for');
  }

  async upgrades(signal: AbortSignal): Promise<UpgradeTimes> {
    const { timesSeconds } = await this.info.upgrades({ signal });
    return toUpgradeTimes(timesSeconds);
  }

  /** One that may not be asked, as public ones may be, cannot be compared. */
  async expectUpgrades(expected: UpgradeTimes, until: number, signal: AbortSignal): Promise<void> {
    const reported = await this.upgrades(signal).catch(unlessSwitchedOff);
    const difference = reported === undefined ? undefined : upgradeDifference(reported, expected, until);
    const isNews = difference !== this.lastDifference;
    this.lastDifference = difference;
    if (difference === undefined) return;
    const text = `follows other rules: ${difference}; is its version the network's?`;
    if (isNews) this.log(`${this.host} ${text}`); // it is left for another, which nobody would notice
    throw new PlatformVmError('OTHER_UPGRADES', text);
  }

  /** Throws OTHER_UPGRADES also where the blocks are ours so far. */
  async findForeignBlock(
    position: ChainPosition,
    tip: bigint,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    await this.expectUpgrades(position.upgrades, Math.floor(Date.now() / 1000), signal);
    const foreign = await foreignBlock(this, position, tip, signal);
    return foreign && `has ${foreign}`;
  }

  readBlocks(after: BlockRef, to: bigint, signal: AbortSignal): AsyncGenerator<Block, void> {
    return linked(after, this.fetch(after.height + 1n, to, signal));
  }

  private async *fetch(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<Block, void> {
    let height = from;
    if (height === 0n) {
      // The genesis block is in no index.
      yield* this.fetchByHeight(height, height, signal);
      height += 1n;
    }
    if (performance.now() >= this.indexApiRestsUntil && to - height >= MIN_BLOCKS_FOR_INDEX_API) {
      try {
        for await (const bytes of this.indexApi.fetch(height, to, signal)) {
          const block = parseBlock(bytes);
          if (block.height !== height) throw new SourceUnusableError('its indices are not heights');
          yield block;
          height += 1n;
        }
        return;
      } catch (error) {
        // Also when its blocks cannot be read: whether that is the index or the chain, the plain way will show.
        if (!(error instanceof SourceUnusableError || error instanceof PlatformVmError)) throw error;
        this.indexApiRestsUntil = performance.now() + INDEX_API_REST_MS;
        this.log(`${this.host} has no index of P-chain blocks, asking block by block: ${error.message}`);
      }
    }
    yield* this.fetchByHeight(height, to, signal);
  }

  private fetchByHeight(from: bigint, to: bigint, signal: AbortSignal): AsyncGenerator<Block, void> {
    return parsedFrom(from, this.byHeight.fetch(from, to, signal));
  }
}

/** Of a method that the node's operator does not offer. */
function unlessSwitchedOff(error: unknown): undefined {
  if (error instanceof RpcError && isNotOffered(error)) return undefined;
  throw error;
}
