import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import { BoundedMap } from '../../../avalanche/bounded-map.js';
import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import {
  DEFAULT_QUORUM_NUMERATOR,
  readWarpRules,
  type WarpRules,
} from '../../../avalanche/warp/warp-rules.js';
import { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import { badRequest } from '../../../platform/http/errors/api-error.js';
import { LruCache, refreshedEvery, type RefreshedValue } from '../../../platform/networks/caches.js';
import { NetworkError } from '../../../platform/networks/network.error.js';
import type { Network } from '../../../platform/networks/network.js';

/** Upgrades are announced days ahead. Less than the half minute for which a value is used while a node does not answer. */
const RULES_REFRESH_MS = 20_000;
const MAX_CHAINS = 1_000;

/** The id of the P-chain is that of the primary network. */
export const P_CHAIN_ID = PRIMARY_NETWORK_ID;

/** A message's way. Ids are cb58. */
export interface Passage {
  readonly sourceBlockchainId: string;
  readonly destinationBlockchainId: string;
}

/** Demands of chains on the messages that they receive. */
@Injectable()
export class ReceivingChains {
  private readonly logger = new Logger(ReceivingChains.name);
  private readonly rules = new LruCache<RefreshedValue<WarpRules | undefined>>(MAX_CHAINS);
  /** Configurations as nodes reported them: a genesis may have other rules than the upgrades since. */
  private readonly reported = new BoundedMap<string, unknown>(MAX_CHAINS);

  constructor(private readonly evmChains: EvmChains) {}

  /**
   * The subnet whose validators have to sign: that of the source, but for messages of the primary network's chains to an L1
   * (avalanchego v1.14.2 graft/subnet-evm precompile/contracts/warp/config.go, VerifyPredicate). Undefined where that depends on rules
   * that nobody reports.
   */
  async findSigningSubnet(network: Network, passage: Passage): Promise<string | undefined> {
    const { sourceBlockchainId, destinationBlockchainId } = passage;
    const [source, destination] = await Promise.all(
      [sourceBlockchainId, destinationBlockchainId].map((id) => network.getSubnetOf(id)),
    );
    if (source !== PRIMARY_NETWORK_ID || sourceBlockchainId === P_CHAIN_ID) {
      return source === PRIMARY_NETWORK_ID ? destination : source;
    }
    if (destination === PRIMARY_NETWORK_ID) return source;
    const rules = await this.findRules(network, destinationBlockchainId);
    if (rules === undefined) return undefined;
    return rules.requirePrimaryNetworkSigners ? source : destination;
  }

  /** The same; throws the 400 that asks the caller. */
  async signingSubnet(network: Network, passage: Passage): Promise<string> {
    const subnetId = await this.findSigningSubnet(network, passage);
    if (subnetId !== undefined) return subnetId;
    const { destinationBlockchainId } = passage;
    throw badRequest(
      `destinationBlockchainId: whether the Warp precompile of ${destinationBlockchainId} requires primary network signers is known ` +
        `neither from a node that runs it nor from its genesis; give signingSubnetId: ${PRIMARY_NETWORK_ID} if it does, otherwise ` +
        (await network.getSubnetOf(destinationBlockchainId)),
    );
  }

  /** Percentage of the weight that signs for it where nobody asks for another: what it demands as far as that is known, at least 67. */
  async quorum(network: Network, blockchainId: string): Promise<number> {
    try {
      const rules = await this.findRules(network, blockchainId);
      return Math.max(DEFAULT_QUORUM_NUMERATOR, rules?.quorumNumerator ?? 0);
    } catch (error) {
      if (error instanceof RpcError || error instanceof NetworkError) return DEFAULT_QUORUM_NUMERATOR;
      throw error;
    }
  }

  /** Undefined for a chain whose rules neither a node nor its genesis states. */
  async findRules(network: Network, blockchainId: string): Promise<WarpRules | undefined> {
    const rules = await this.rules.get(`${network.name}:${blockchainId}`, async () =>
      refreshedEvery(RULES_REFRESH_MS, () => this.read(network, blockchainId)),
    );
    return rules.get();
  }

  private async read(network: Network, blockchainId: string): Promise<WarpRules | undefined> {
    const key = `${network.name}:${blockchainId}`;
    const nowSeconds = Date.now() / 1_000;
    const nodes = [
      () => this.configOfEvmNode(network, blockchainId),
      () => configOfNode(network, blockchainId),
    ];
    for (const node of nodes) {
      const config = await node();
      const rules = readWarpRules(config, nowSeconds);
      if (rules === undefined) continue;
      this.reported.set(key, config);
      return rules;
    }
    const known = this.reported.get(key) ?? (await configOfGenesis(network, blockchainId));
    return readWarpRules(known, nowSeconds);
  }

  /** Undefined where none is configured, or it does not report it. */
  private async configOfEvmNode(network: Network, blockchainId: string): Promise<unknown> {
    const chain = this.evmChains.ofBlockchain(network.name, blockchainId);
    if (chain === undefined) return undefined;
    try {
      return await this.evmChains.clientOf(chain).chainConfig();
    } catch (error) {
      this.logger.debug(`no node of ${chain.name} says what it demands of messages: ${String(error)}`);
      return undefined;
    }
  }
}

async function configOfNode({ hasNode, rpc }: Network, blockchainId: string): Promise<unknown> {
  if (!hasNode) return undefined;
  const path = `/ext/bc/${blockchainId}/rpc`;
  try {
    return await rpc.call({ path, method: 'eth_getChainConfig', params: [], schema: z.unknown() });
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

const GenesisSchema = z.looseObject({ config: z.unknown() });

/** Knows nothing of later upgrades, which hardly ever change who signs. */
async function configOfGenesis({ pChain }: Network, blockchainId: string): Promise<unknown> {
  const genesis = await pChain.findGenesis(blockchainId);
  if (genesis === undefined) return undefined;
  try {
    return GenesisSchema.parse(JSON.parse(Buffer.from(genesis).toString('utf8'))).config;
  } catch {
    return undefined;
  }
}
