import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { PRIMARY_NETWORK_ID } from '../../avalanche/ids/id.js';
import { AvmClient } from '../../avalanche/rpc/avm-client.js';
import { InfoClient } from '../../avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../avalanche/rpc/json-rpc-client.js';
import type { NodeCallListener } from '../../avalanche/rpc/node-call.js';
import { PlatformClient } from '../../avalanche/rpc/platform-client.js';
import {
  type CanonicalValidatorSet,
  makeCanonicalValidatorSet,
  type ValidatorSetEntry,
} from '../../avalanche/warp/canonical-validator-set.js';
import type { NetworkConfig, NetworkName } from '../config/config.module.js';
import { LruCache, refreshedEvery, RefreshedValue } from './caches.js';
import { KnownPChain } from './known-p-chain.js';
import { NetworkError } from './network.error.js';
import { PChainAtNode } from './p-chain-at-node.js';

const MAX_CACHED_SETS = 128;
const MAX_CACHED_BLOCKCHAINS = 10_000;
/** An L1 validator with less balance (nAVAX) may be disabled before the message is used. */
const MIN_L1_VALIDATOR_BALANCE = 2_048n;

/** The proposed height trails the tip by some 30 s anyway; a few more spare a public node a call per request. */
const HEIGHT_REFRESH_MS = 4_000;
const BALANCE_REFRESH_MS = 5_000;

/** A call that a node cannot serve now is made again so often: rate limits and load balancers pass. */
const CALL_ATTEMPTS = 3;
/** Before a set at the proposed height is asked for again, of nodes that disagree about it. */
const LAG_PAUSES_MS = [100, 200, 400, 800, 1_600];
/** Far more than a node behind others lacks, far fewer than every node has the sets of. */
const RECENT_HEIGHTS = 100n;

export interface ValidatorSetAtHeight {
  subnetId: string;
  pChainHeight: bigint;
  set: CanonicalValidatorSet;
}

/**
 * One Avalanche network, as its P-chain's index and its nodes know it. A set at a height and the subnet of a blockchain never change and are kept; what
 * changes (the proposed height, the sets at it, the balances of L1 validators) is fetched in the background while it is used: a
 * request waits for no node that it does not need to ask.
 */
export class Network {
  readonly name: NetworkName;
  readonly isSandbox: boolean;
  readonly rpc: JsonRpcClient;
  readonly info: InfoClient;
  readonly platform: PlatformClient;
  readonly pChain: KnownPChain;
  private readonly logger = new Logger(Network.name);
  private readonly sets = new LruCache<ValidatorSetAtHeight>(MAX_CACHED_SETS);
  private readonly setsByContent = new LruCache<CanonicalValidatorSet>(MAX_CACHED_SETS);
  private readonly subnetOfBlockchain = new LruCache<string>(MAX_CACHED_BLOCKCHAINS);
  /** Per subnet, the nodes whose balance is about to run out. */
  private readonly poorNodes = new LruCache<RefreshedValue<ReadonlySet<string>>>(MAX_CACHED_SETS);
  private readonly proposedHeight: RefreshedValue<bigint>;
  /** Per subnet, its set at the proposed height. */
  private readonly proposedSets = new LruCache<RefreshedValue<ValidatorSetAtHeight>>(MAX_CACHED_SETS);
  private readonly ids = new LruCache<number>(1);

  constructor(
    readonly config: NetworkConfig,
    options: { timeoutMs: number; onCall?: NodeCallListener },
  ) {
    this.name = config.name;
    this.isSandbox = config.sandbox;
    this.rpc = new JsonRpcClient({
      urls: config.nodeUrls,
      timeoutMs: options.timeoutMs,
      attempts: CALL_ATTEMPTS,
      onCall: options.onCall,
    });
    this.info = new InfoClient(this.rpc);
    this.platform = new PlatformClient(this.rpc);
    const atNode = new PChainAtNode(this.platform, new AvmClient(this.rpc));
    // The sandbox's validators are others than those of its recorded chain.
    const warn = (text: string): void => void (this.isSandbox || this.logger.warn(`${this.name}: ${text}`));
    this.pChain = new KnownPChain(this.name, this.hasNode ? atNode : undefined, warn);
    this.proposedHeight = refreshedEvery(HEIGHT_REFRESH_MS, () => this.pChain.getProposedHeight());
  }

  /** Whether a node is configured. Without one, `rpc` and its clients reject every call as one that is away. */
  get hasNode(): boolean {
    return this.config.nodeUrls.length > 0;
  }

  /**
   * The id that the network's node reports: a local network may stand behind the name of a public one. Without a node it is configured.
   * Throws WRONG_NETWORK for a node of another network than that of NETWORKS_FILE.
   */
  getNetworkId(): Promise<number> {
    return this.ids.get('networkId', async () => {
      const { networkId, own } = this.config;
      if (!this.hasNode) return networkId;
      const reported = await this.info.getNetworkId();
      if (own === undefined || reported === networkId) return reported;
      throw new NetworkError(
        'WRONG_NETWORK',
        `${this.name} is network ${networkId} in NETWORKS_FILE, but its node is of network ${reported}`,
      );
    });
  }

  /** Cb58 id of the subnet that validates a blockchain. Throws UNKNOWN_BLOCKCHAIN. */
  getSubnetOf(blockchainId: string): Promise<string> {
    return this.subnetOfBlockchain.get(blockchainId, async () => {
      const subnetId = await this.pChain.findSubnetOf(blockchainId);
      if (subnetId !== undefined) return subnetId;
      throw new NetworkError(
        'UNKNOWN_BLOCKCHAIN',
        `message: unknown source blockchain ${blockchainId} on ${this.name}`,
      );
    });
  }

  /**
   * The canonical validator set of a subnet at a P-chain height, 0 meaning the proposed one.
   * Throws UNKNOWN_SUBNET, HEIGHT_IN_FUTURE, HEIGHT_NOT_AVAILABLE (PROPOSED_HEIGHT_NOT_AVAILABLE for 0), EMPTY_VALIDATOR_SET.
   */
  async getValidatorSet(request: { subnetId: string; pChainHeight: bigint }): Promise<ValidatorSetAtHeight> {
    const { subnetId, pChainHeight } = request;
    if (pChainHeight !== 0n) return this.getNamedSet(subnetId, pChainHeight);
    const proposed = await this.proposedSets.get(
      subnetId,
      async () => new RefreshedValue(() => this.getProposedSet(subnetId)),
    );
    return proposed.get();
  }

  /**
   * The set that signs a message: of the subnet given, else of the source chain's. The source chain is looked up either way:
   * an unknown one is the caller's error, not silence of the validators. Throws as the two do.
   */
  async getSigningSet(request: {
    sourceBlockchainId: string;
    signingSubnetId: string | undefined;
    pChainHeight: bigint;
  }): Promise<ValidatorSetAtHeight> {
    const sourceSubnetId = await this.getSubnetOf(request.sourceBlockchainId);
    const subnetId = request.signingSubnetId ?? sourceSubnetId;
    return this.getValidatorSet({ subnetId, pChainHeight: request.pChainHeight });
  }

  /** Indices of entries none of whose nodes has the balance to stay a validator of the L1. Empty for other subnets. */
  async getExcludedSigners(at: ValidatorSetAtHeight): Promise<ReadonlySet<number>> {
    if (at.subnetId === PRIMARY_NETWORK_ID) return new Set();
    const balances = await this.poorNodes.get(at.subnetId, async () =>
      refreshedEvery(BALANCE_REFRESH_MS, async () => {
        const validators = await this.pChain.listL1Validators(at.subnetId);
        const poor = validators.filter(({ balance }) => balance < MIN_L1_VALIDATOR_BALANCE);
        return new Set(poor.map(({ nodeId }) => nodeId));
      }),
    );
    const poor = await balances.get();
    const excluded = at.set.validators.flatMap(({ nodeIds }, index) =>
      nodeIds.every((id) => poor.has(id)) ? [index] : [],
    );
    return new Set(excluded);
  }

  close(): void {
    this.rpc.close();
  }

  private async getProposedSet(subnetId: string): Promise<ValidatorSetAtHeight> {
    return this.getSetOfAll(subnetId, await this.proposedHeight.get());
  }

  /** Of a height that was proposed lately, a node may only not have it yet. */
  private async getNamedSet(subnetId: string, height: bigint): Promise<ValidatorSetAtHeight> {
    try {
      return await this.getSetAt(subnetId, height);
    } catch (error) {
      if (!isOfHeight(error)) throw error;
      const proposed = await this.proposedHeight.get();
      if (height > proposed || height < proposed - RECENT_HEIGHTS) throw error;
      return this.getSetOfAll(subnetId, height);
    }
  }

  /**
   * Behind one address there may be several nodes: the one that proposed the height is then not the one that is asked for the set,
   * and that one may be a block behind.
   */
  private async getSetOfAll(subnetId: string, height: bigint): Promise<ValidatorSetAtHeight> {
    for (const pauseMs of LAG_PAUSES_MS) {
      try {
        return await this.getSetAt(subnetId, height);
      } catch (error) {
        if (!isOfHeight(error)) throw error;
        await delay(pauseMs);
      }
    }
    throw new NetworkError(
      'PROPOSED_HEIGHT_NOT_AVAILABLE',
      `${this.name} proposes P-chain height ${height}, but has no validators of ${subnetId} at that height yet; try again`,
    );
  }

  private getSetAt(subnetId: string, pChainHeight: bigint): Promise<ValidatorSetAtHeight> {
    return this.sets.get(`${subnetId}@${pChainHeight}`, async () => {
      const entries = await this.fetchValidators(subnetId, pChainHeight);
      const set = await this.setsByContent.get(contentKey(entries), async () =>
        makeCanonicalValidatorSet(entries),
      );
      return { subnetId, pChainHeight, set };
    });
  }

  private async fetchValidators(subnetId: string, height: bigint): Promise<ValidatorSetEntry[]> {
    try {
      const entries = await this.pChain.getValidatorsAt(subnetId, height);
      return entries.length > 0 ? entries : await this.explainEmptySet(subnetId, height);
    } catch (error) {
      if (!isOfHeight(error)) throw error;
      throw new NetworkError(error.code, `pChainHeight: ${error.message}`, { cause: error });
    }
  }

  /** An unknown subnet has an empty set, too. */
  private async explainEmptySet(subnetId: string, height: bigint): Promise<never> {
    const isKnown = subnetId === PRIMARY_NETWORK_ID || (await this.pChain.findSubnet(subnetId)) !== undefined;
    if (!isKnown) {
      throw new NetworkError('UNKNOWN_SUBNET', `signingSubnetId: unknown subnet ${subnetId} on ${this.name}`);
    }
    throw new NetworkError(
      'EMPTY_VALIDATOR_SET',
      `signingSubnetId: subnet ${subnetId} has no validators at P-chain height ${height}`,
    );
  }
}

function isOfHeight(error: unknown): error is NetworkError {
  return (
    error instanceof NetworkError &&
    (error.code === 'HEIGHT_IN_FUTURE' || error.code === 'HEIGHT_NOT_AVAILABLE')
  );
}

/** Two heights mostly have the same validators: parsing 1000 keys again would cost more than all else. */
function contentKey(entries: readonly ValidatorSetEntry[]): string {
  const hash = createHash('sha256');
  for (const { nodeId, publicKey, weight } of entries) {
    hash
      .update(nodeId)
      .update(publicKey ?? 'keyless')
      .update(`,${weight};`);
  }
  return hash.digest('base64');
}
