import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { EvmClient } from '../../../avalanche/evm/rpc/evm-client.js';
import { isBlockMissing, isNotYet } from '../../../avalanche/evm/rpc/evm-rejections.js';
import { type NftToken, readNft } from '../../../avalanche/evm/nft/nft-reader.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { Config } from '../../../platform/config/config.module.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import { ApiError } from '../../../platform/http/errors/api-error.js';
import type { NftKey } from '../nft-token.js';

/** In hex a URI is twice as long as it is, and there may be two of them and two names. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** A caller is waiting for the answer. */
const TIMEOUT_MS = 15_000;
/** Behind one URL may be nodes of which one is a block behind. */
const LAG_MS = 500;

/** Asks contracts of the configured chains about their NFTs. */
@Injectable()
export class NftContracts {
  private readonly clients = new Map<EvmChain, EvmClient>();

  constructor(
    private readonly config: Config,
    private readonly chains: EvmChains,
  ) {}

  /** undefined when the contract is none of NFTs. Rejects with EvmChainError, RpcError or a 503. */
  async read(key: NftKey, signal?: AbortSignal): Promise<NftToken | undefined> {
    const client = this.clientOf(this.chains.of(key));
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const combined = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const ask = () => readNft({ client, contract: key.address, tokenId: key.tokenId, signal: combined });
    try {
      return await ask().catch(async (error: unknown) => {
        if (!(error instanceof RpcError && (isNotYet(error) || isBlockMissing(error)))) throw error;
        await delay(LAG_MS, undefined, { signal: combined });
        return ask();
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (!timeout.aborted) throw error;
      throw new ApiError(503, "the chain's nodes have not answered in time", { cause: error });
    }
  }

  private clientOf(chain: EvmChain): EvmClient {
    const known = this.clients.get(chain);
    if (known !== undefined) return known;
    const limits = { timeoutMs: this.config.env.NODE_TIMEOUT_MS, maxResponseBytes: MAX_RESPONSE_BYTES };
    const client = this.chains.connect(chain.rpcUrls, limits);
    this.clients.set(chain, client);
    return client;
  }
}
