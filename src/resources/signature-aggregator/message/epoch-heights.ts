import { Inject, Injectable } from '@nestjs/common';
import { type Epoch, ProposerVmClient } from '../../../avalanche/rpc/proposer-vm-client.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { ChainSyncError } from '../../../avalanche/chain-sync/chain-sync.error.js';
import { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import { ApiError, badRequest } from '../../../platform/http/errors/api-error.js';
import { LruCache, refreshedEvery, type RefreshedValue } from '../../../platform/networks/caches.js';
import { NetworkError } from '../../../platform/networks/network.error.js';
import type { Network } from '../../../platform/networks/network.js';
import { ValidatorsEpochs } from './validators-epochs.js';

const MAX_CACHED_BLOCKCHAINS = 1_000;
/** An epoch lasts minutes; some seconds more or less at its end make no difference. */
const EPOCH_REFRESH_MS = 5_000;

/**
 * The P-chain heights whose validators EVM chains verify Warp messages with: those of their current epochs (ACP-181), which are
 * neither the tip's nor the proposed one.
 */
@Injectable()
export class EpochHeights {
  private readonly heights = new LruCache<RefreshedValue<Epoch>>(MAX_CACHED_BLOCKCHAINS);

  constructor(
    @Inject(ValidatorsEpochs) private readonly validators: Pick<ValidatorsEpochs, 'next'>,
    @Inject(EvmChains) private readonly evmChains: Pick<EvmChains, 'ofBlockchain' | 'nodesOf'>,
  ) {}

  /**
   * Its height is 0, which means the proposed one, before Granite; and on a new local network whose chain has not left its first epoch,
   * which no height can be given for. Throws the 400 or 502 of a chain whose epoch neither a node nor its validators report.
   */
  async get(network: Network, blockchainId: string): Promise<Epoch> {
    try {
      return await this.read(network, blockchainId);
    } catch (error) {
      if (!isUntold(error) && !isUnknownChain(error)) throw error;
      await this.assertExists(network, blockchainId);
      throw new ApiError(
        502,
        `destinationBlockchainId: neither a node of ${network.name} nor the validators of ${blockchainId} report its epoch; ` +
          "give the epoch's P-chain height (proposervm.getCurrentEpoch of a node that runs it) as pChainHeight",
        { cause: error },
      );
    }
  }

  /**
   * The same for a caller who did not ask for an epoch: 0, the proposed height, where the node does not report the epoch or does not have
   * the subnet's validators at its height. A subnet that has just been converted had none yet when the epoch began. Throws the 503 of
   * `assertReached`.
   */
  async find(network: Network, given: { blockchainId: string; subnetId: string }): Promise<number> {
    try {
      const { pChainHeight } = await this.read(network, given.blockchainId);
      await this.checkReached(network, { subnetId: given.subnetId, pChainHeight });
      return Number(pChainHeight);
    } catch (error) {
      if (isBehind(error)) throw error;
      if (isUntold(error) || error instanceof RpcError || error instanceof NetworkError) return 0;
      throw error;
    }
  }

  /**
   * Throws the 503 of a P-chain that has not reached an epoch's height here: its caller did not give that height, and the validators of an
   * older one may be others; or the caller's mistakes. A node that is away is no reason: the collection waits for it.
   */
  async assertReached(network: Network, at: { subnetId: string; pChainHeight: bigint }): Promise<void> {
    try {
      await this.checkReached(network, at);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }

  private async checkReached(
    network: Network,
    at: { subnetId: string; pChainHeight: bigint },
  ): Promise<void> {
    try {
      await network.getValidatorSet(at);
    } catch (error) {
      if (!(error instanceof NetworkError && error.code === 'HEIGHT_IN_FUTURE')) throw error;
      throw new NetworkError(
        'PROPOSED_HEIGHT_NOT_AVAILABLE',
        `the receiving chain's epoch is at P-chain height ${at.pChainHeight}, which ${network.name} has not reached here; try again`,
        { cause: error },
      );
    }
  }

  private async read(network: Network, blockchainId: string): Promise<Epoch> {
    const epoch = await this.heights.get(`${network.name}:${blockchainId}`, async () =>
      refreshedEvery(EPOCH_REFRESH_MS, () => this.readNow(network, blockchainId)),
    );
    return epoch.get();
  }

  /** A node that runs the chain is the quickest way to know, and its validators always do. */
  private async readNow(network: Network, blockchainId: string): Promise<Epoch> {
    let away: RpcError | undefined;
    for (const node of this.nodesOf(network, blockchainId)) {
      try {
        return await node.getCurrentEpoch({ blockchainId });
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (!isNotServed(error)) away = error;
      }
    }
    try {
      return await this.validators.next(network, blockchainId);
    } catch (error) {
      throw away !== undefined && error instanceof ChainSyncError ? away : error;
    }
  }

  private nodesOf({ name, hasNode, rpc }: Network, blockchainId: string): ProposerVmClient[] {
    const chain = this.evmChains.ofBlockchain(name, blockchainId);
    const ofChain = chain === undefined ? [] : this.evmChains.nodesOf(chain).map((node) => node.proposerVm);
    return [hasNode ? new ProposerVmClient(rpc) : undefined, ...ofChain].filter((node) => node !== undefined);
  }

  private async assertExists(network: Network, blockchainId: string): Promise<void> {
    try {
      await network.getSubnetOf(blockchainId);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      throw badRequest(`destinationBlockchainId: ${blockchainId} is not a blockchain of ${network.name}`, {
        cause: error,
      });
    }
  }
}

function isBehind(error: unknown): boolean {
  return error instanceof NetworkError && error.code === 'PROPOSED_HEIGHT_NOT_AVAILABLE';
}

function isUnknownChain(error: unknown): boolean {
  return error instanceof NetworkError && error.code === 'UNKNOWN_BLOCKCHAIN';
}

function isUntold(error: unknown): boolean {
  return isNotServed(error) || error instanceof ChainSyncError;
}

/** How a node answers for the path of a blockchain that it does not run. */
function isNotServed(error: unknown): error is RpcError {
  return error instanceof RpcError && error.facts.httpStatus === 404;
}
