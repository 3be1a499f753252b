import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config.module.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { badRequest, notFound } from '../../platform/http/errors/api-error.js';
import type { NftTokenPath } from './dto/nft-token.request.js';
import { type NftTokenResponse, toNftTokenResponse } from './dto/nft-token.response.js';
import { NftContracts } from './index/nft-contracts.js';
import { NftMoves } from './index/nft-moves.js';
import { NftRefresher } from './index/nft-refresher.js';
import {
  isIndexDue,
  isNoToken,
  isOwnerOld,
  isReadDue,
  isRequestDue,
  isUnindexed,
  type NftKey,
  type NftRow,
} from './nft-token.js';
import { NftTokenRepository, toReading } from './nft-token.repository.js';
import { NftWorkflowClient } from './nft-workflow.client.js';

/** With the block, and the time, of its reading from the contract. */
export interface ShownNft extends Pick<NftRow, 'readHeight' | 'readAt'> {
  readonly token: NftTokenResponse;
}

@Injectable()
export class NftTokensService {
  private readonly logger = new Logger(NftTokensService.name);

  constructor(
    private readonly config: Config,
    private readonly chains: EvmChains,
    private readonly contracts: NftContracts,
    private readonly tokens: NftTokenRepository,
    private readonly moves: NftMoves,
    private readonly refresher: NftRefresher,
    private readonly workflows: NftWorkflowClient,
  ) {}

  /**
   * A known token as it is on record, brought up to date behind the answer, or before it when the owner is old; of a new one as
   * much as is there within a short time.
   */
  async get({ chainId, address, tokenId }: NftTokenPath, requestId: string): Promise<ShownNft> {
    const { network, chainId: evmChainId } = this.chainOf(chainId);
    const key: NftKey = { network, chainId: evmChainId, address, tokenId };
    this.moves.checkSoon(key);
    let row = (await this.findRecent(key)) ?? (await this.readFirst(key));
    if (isUnindexed(row)) {
      await this.workflows.runForAWhile(key, requestId);
      row = (await this.tokens.find(key)) ?? row;
    } else if (this.isDue(row)) {
      this.workflows.startInBackground(key, requestId);
    }
    if (isRequestDue(row, nowSeconds())) this.noteRequest(key);
    if (isNoToken(row)) throw noToken(key);
    return { token: toNftTokenResponse(key, row), readHeight: row.readHeight, readAt: row.readAt };
  }

  private async findRecent(key: NftKey): Promise<NftRow | undefined> {
    const row = await this.tokens.find(key);
    const maxAgeSeconds = this.config.env.NFT_TOKEN_MAX_AGE_SECONDS;
    if (row === undefined || !isOwnerOld(row, { now: nowSeconds(), maxAgeSeconds })) return row;
    return this.refresher.refresh(key, row);
  }

  private async readFirst(key: NftKey): Promise<NftRow> {
    const token = await this.contracts.read(key);
    if (token === undefined) throw notFound(`${key.address} is not an NFT contract on chain ${key.chainId}`);
    // Tokens that do not exist are not remembered: otherwise anybody could fill the table.
    if (isNoToken(toReading(token))) throw noToken(key);
    const row = await this.tokens.saveReading(key, token, nowSeconds());
    if (row === undefined) throw new Error('a row that was written did not come back');
    return row;
  }

  /** Nobody waits for it: at worst the token is removed a little early. */
  private noteRequest(key: NftKey): void {
    this.tokens.noteRequest(key, nowSeconds()).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'it is not noted that an NFT was asked for');
    });
  }

  private isDue(row: NftRow): boolean {
    const now = nowSeconds();
    const maxAgeSeconds = this.config.env.NFT_TOKEN_MAX_AGE_SECONDS;
    return isReadDue(row, { now, maxAgeSeconds }) || isIndexDue(row, now);
  }

  /** By EVM chain id or by blockchain id. */
  private chainOf(name: string): EvmChain {
    const [chain, other] = this.chains
      .all()
      .filter(({ chainId, blockchainId }) => chainId.toString() === name || blockchainId === name);
    if (chain === undefined) throw notFound(`chainId: no chain ${name} is configured`);
    if (other === undefined) return chain;
    throw badRequest(
      `chainId: several chains have the id ${name}; use a blockchain id, ${chain.blockchainId} or ${other.blockchainId}`,
    );
  }
}

function noToken({ address, tokenId }: NftKey) {
  return notFound(`there is no token ${tokenId} of ${address}`);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
