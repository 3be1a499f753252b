import { Injectable } from '@nestjs/common';
import { fromHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { PRIMARY_CHAIN_NAMES } from '../../platform/database/chains.js';
import type { LosslessJson } from '../../platform/http/adapter/lossless-json.js';
import { notFound } from '../../platform/http/errors/api-error.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { BlockchainRepository, keysetOf } from './blockchain.repository.js';
import { toBlockchainDetails, toListedBlockchain } from './dto/blockchain.response.js';
import type { GetBlockchainPath, ListBlockchainsQuery } from './dto/list-blockchains.request.js';

@Injectable()
export class BlockchainsService {
  constructor(
    private readonly blockchains: BlockchainRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({ network, ...query }: ListBlockchainsQuery & { network: NetworkName }): Promise<LosslessJson> {
    const { rows, ...page } = await this.pageTokens.page(
      [network, 'blockchains'],
      query,
      (place) => this.blockchains.list({ network, sortOrder: query.sortOrder, ...place }),
      keysetOf,
    );
    return { ...page, blockchains: rows.map(toListedBlockchain) };
  }

  /** Throws a 404. */
  async get({ network, blockchainId }: GetBlockchainPath): Promise<LosslessJson> {
    const { xChainId, cChainId } = await this.indexedNetworks.get(network);
    const ids = new Map<string, string | undefined>([
      [PRIMARY_CHAIN_NAMES.P, PRIMARY_NETWORK],
      [PRIMARY_CHAIN_NAMES.X, xChainId],
      [PRIMARY_CHAIN_NAMES.C, cChainId],
    ]);
    const id = ids.has(blockchainId) ? ids.get(blockchainId) : blockchainId;
    const blockchain = id === undefined ? undefined : await this.blockchains.find(network, id);
    if (blockchain !== undefined) return toBlockchainDetails(blockchain);
    const name = ids.has(blockchainId) ? blockchainId : idToString(fromHex(blockchainId));
    throw notFound(`there is no blockchain ${name} on ${network}`);
  }
}
