import { Injectable, Logger, Optional } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Acceptance } from '../../../avalanche/chain-sync/acceptance.js';
import { ChainEpoch } from '../../../avalanche/chain-sync/chain-epoch.js';
import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import { idFromString } from '../../../avalanche/ids/id.js';
import type { ChainNetwork } from '../../../avalanche/p2p/network/chain-network.js';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import type { Epoch } from '../../../avalanche/rpc/proposer-vm-client.js';
import { isPublicNetworkId } from '../../../platform/config/network-names.js';
import { LruCache } from '../../../platform/networks/caches.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { PeerConnections } from '../peers/peer-connections.js';

const MAX_CHAINS = 1_000;
/** A caller waits, who could do with the proposed height. */
const TIMEOUT_MS = 3_000;
/** An L1's validators may have to be connected first, or to accept the block that one of them was quicker to accept. */
const PAUSE_MS = 100;
/** Some are never reached, and no caller is to wait for them. Well before an epoch that was known is too old to be used. */
const AGAIN_AFTER_MS = 10_000;

interface FollowedChain {
  readonly epoch: ChainEpoch;
  peers: PeerNetwork;
  at: ValidatorSetAtHeight;
  failedAtMs: number;
}

/** The epochs of blockchains by their validators, for those that no configured node runs. */
@Injectable()
export class ValidatorsEpochs {
  private readonly logger = new Logger(ValidatorsEpochs.name);
  private readonly chains = new LruCache<FollowedChain>(MAX_CHAINS);

  /** Only processes that collect signatures have connections. */
  constructor(@Optional() private readonly connections?: PeerConnections) {}

  /** The epoch of the next block. Throws ChainSyncError, NetworkError, RpcError. */
  async next(network: Network, blockchainId: string): Promise<Epoch> {
    if (this.connections?.collects !== true) {
      throw new ChainSyncError('NOT_SERVED', 'this process is not connected to validators');
    }
    const subnetId = await network.getSubnetOf(blockchainId);
    const at = await network.getValidatorSet({ subnetId, pChainHeight: 0n });
    const peers = await this.connections.of(network, at);
    const networkId = await network.getNetworkId();
    const chain = await this.chains.get(`${network.name}:${blockchainId}`, async () =>
      this.follow(blockchainId, networkId, { peers, at }),
    );
    Object.assign(chain, { peers, at });
    if (performance.now() - chain.failedAtMs < AGAIN_AFTER_MS) throw unanswered(blockchainId);
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await nextInTime(chain.epoch, limit);
    } catch (error) {
      chain.failedAtMs = performance.now();
      throw limit.aborted ? unanswered(blockchainId) : error;
    }
  }

  private follow(
    blockchainId: string,
    networkId: number,
    now: Pick<FollowedChain, 'peers' | 'at'>,
  ): FollowedChain {
    const chainId = idFromString(blockchainId);
    const validators: ChainNetwork = {
      connectedPeers: () => {
        const members = new Set(chain.at.set.validators.flatMap(({ nodeIds }) => nodeIds));
        return chain.peers.connectedPeers().filter(({ nodeId }) => members.has(nodeId));
      },
      ask: (question, request) => chain.peers.ask(question, request),
    };
    const stake = async () => ({ time: Date.now() / 1_000, electors: electorsOf(chain.at) });
    const acceptance = new Acceptance(validators, chainId, [], stake);
    const options = { epochSeconds: epochSeconds(networkId), logger: this.logger };
    const chain: FollowedChain = {
      ...now,
      failedAtMs: -Infinity,
      epoch: new ChainEpoch(validators, chainId, acceptance, options),
    };
    return chain;
  }
}

async function nextInTime(epoch: ChainEpoch, limit: AbortSignal): Promise<Epoch> {
  for (;;) {
    try {
      return await epoch.next(limit);
    } catch (error) {
      if (!(error instanceof ChainSyncError)) throw error;
      await delay(PAUSE_MS, undefined, { signal: limit });
    }
  }
}

function unanswered(blockchainId: string): ChainSyncError {
  return new ChainSyncError('NOT_SERVED', `the validators of ${blockchainId} did not answer in time`);
}

/** Nodes that share a key share its weight: each of them speaks for it. */
function electorsOf({ set }: ValidatorSetAtHeight) {
  return set.validators.flatMap(({ nodeIds, weight }) =>
    nodeIds.map((nodeId) => ({ nodeId, weight: weight / BigInt(nodeIds.length) })),
  );
}

/** avalanchego v1.15.0 upgrade/upgrade.go, GraniteEpochDuration. */
export function epochSeconds(networkId: number): number {
  return isPublicNetworkId(networkId) ? 300 : 30;
}
