import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NetworkName } from '../../platform/config/config.module.js';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import { PRIMARY_CHAIN_NAMES } from '../../platform/database/chains.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { addressesOfNetwork } from '../../platform/http/schemas/queried-addresses.js';
import type { PrimaryChainPath, ListUtxosQuery } from './dto/list-utxos.request.js';
import { type ListUtxosResponse, toUtxoResponse, type UtxoResponse } from './utxo.response.js';
import { keysetOf } from './utxo-list.js';
import { AssetRepository } from './asset.repository.js';
import { KnownSpends } from './known-spends.js';
import { requestedChain } from './requested-chain.js';
import { UtxoRepository } from './utxo.repository.js';

/** Their addresses take some milliseconds. */
const OWNERS_PER_TURN = 1_000;

@Injectable()
export class UtxosService {
  constructor(
    private readonly utxos: UtxoRepository,
    private readonly assets: AssetRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly knownSpends: KnownSpends,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({
    network: name,
    blockchainId,
    ...query
  }: PrimaryChainPath & ListUtxosQuery): Promise<ListUtxosResponse> {
    const network = await this.indexedNetworks.get(name);
    const chain = requestedChain(blockchainId, name, network);
    const addresses = addressesOfNetwork('addresses', query.addresses, network.hrp);
    const { minUtxoAmount: minAmount, includeSpent, sortBy, sortOrder } = query;
    const assetId = chain === 'X' ? query.assetId : undefined;
    const spendsKnown = await this.knownSpends.of(name, chain);
    const filters = { addresses, assetId, minAmount, includeSpent, spendsKnown };
    const { rows, ...page } = await this.pageTokens.page(
      [name, chain, 'utxos'],
      query,
      (place) => this.utxos.list({ network: name, chain, filters, sortBy, sortOrder, ...place }),
      (row) => keysetOf(sortBy, row),
      ({ owner }) => owner.addresses.length,
    );
    const assetIds = rows.map(({ assetId }) => assetId);
    const assetOf = await this.assets.find(name, network, assetIds);
    return {
      ...page,
      utxos: rows.map((row) => toUtxoResponse(row, network, assetOf)),
      chainInfo: { chainName: PRIMARY_CHAIN_NAMES[chain], network: name },
    };
  }

  /** As the lists have them, by id in hex. */
  async describe(name: NetworkName, ids: readonly string[]): Promise<ReadonlyMap<string, UtxoResponse>> {
    const rows = await this.utxos.find(name, ids);
    const network = await this.indexedNetworks.get(name);
    const assetOf = await this.assets.find(
      name,
      network,
      rows.map(({ assetId }) => assetId),
    );
    const described = new Map<string, UtxoResponse>();
    let owners = 0;
    // There are hundreds of them, whose number no page has bounded, and each may have thousands of owners.
    for (const row of rows) {
      described.set(row.utxoId, toUtxoResponse(row, network, assetOf));
      owners += row.owner.addresses.length;
      if (owners < OWNERS_PER_TURN) continue;
      owners = 0;
      await nextTurn();
    }
    return described;
  }
}
