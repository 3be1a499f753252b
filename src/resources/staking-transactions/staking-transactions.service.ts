import { Injectable } from '@nestjs/common';
import { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import { PRIMARY_CHAIN_NAMES } from '../../platform/database/chains.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { cutAt } from '../../platform/http/pagination/cut-at.js';
import { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import { addressesOfNetwork } from '../../platform/http/schemas/queried-addresses.js';
import { AssetRepository } from '../utxos/asset.repository.js';
import { UtxosService } from '../utxos/utxos.service.js';
import type { ListStakingTransactionsQuery } from './dto/list-staking-transactions.request.js';
import {
  type ListStakingTransactionsResponse,
  toStakingTransactionResponse,
} from './dto/staking-transaction.response.js';
import { keysetOf } from './staking-transaction-list.js';
import { StakingTransactionRepository } from './staking-transaction.repository.js';
import { assetsIn, utxoIdsOf, utxosIn } from './staking-tx.js';

/** Of a page, which ends early where there would be more; one transaction may have some hundreds. */
const MAX_UTXOS = 1_000;

@Injectable()
export class StakingTransactionsService {
  constructor(
    private readonly transactions: StakingTransactionRepository,
    private readonly utxos: UtxosService,
    private readonly assets: AssetRepository,
    private readonly indexedNetworks: IndexedNetworks,
    private readonly pageTokens: PageTokens,
  ) {}

  async list({
    network: name,
    ...query
  }: ListStakingTransactionsQuery & { network: NetworkName }): Promise<ListStakingTransactionsResponse> {
    const network = await this.indexedNetworks.get(name);
    const addresses = addressesOfNetwork('addresses', query.addresses, network.hrp);
    const { pageToken, pageSize, ...rest } = query;
    const { txTypes: types, startTimestamp: from, endTimestamp: to, sortOrder } = rest;
    const scope = { path: [name, 'transactions:listStaking'], query: rest };
    const found = await this.transactions.list({
      network: name,
      filters: { addresses, types, from, to },
      sortOrder,
      after: await this.pageTokens.read(scope, pageToken),
      limit: pageSize + 1,
    });
    const few = cutAt(MAX_UTXOS, found, utxosIn);
    const place = { pageSize, hasMore: few.length < found.length };
    const { rows, ...page } = await this.pageTokens.toPage(scope, place, few, keysetOf);
    const txs = rows.map((tx) => ({ tx, ...utxoIdsOf(tx) }));
    const [utxos, assetOf] = await Promise.all([
      this.utxos.describe(
        name,
        txs.flatMap(({ consumed, emitted }) => [...consumed, ...emitted]),
      ),
      this.assets.find(name, network, rows.flatMap(assetsIn)),
    ]);
    return {
      ...page,
      transactions: txs.map(({ tx, consumed, emitted }) =>
        toStakingTransactionResponse(tx, {
          consumed: consumed.flatMap((id) => utxos.get(id) ?? []),
          emitted: emitted.flatMap((id) => utxos.get(id) ?? []),
          assetOf,
          hrp: network.hrp,
        }),
      ),
      chainInfo: { chainName: PRIMARY_CHAIN_NAMES.P, network: name },
    };
  }
}
