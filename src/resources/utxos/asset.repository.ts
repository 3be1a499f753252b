import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { IndexedNetwork } from '../../indexes/overview/indexed-networks.js';
import { AssetEntity } from '../../indexes/x-chain/entities/x-chain.entities.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { columnsOf } from '../../platform/database/entity-columns.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';

const ASSET = columnsOf(AssetEntity, 'assetId', 'name', 'symbol', 'denomination');

export type Asset = Pick<AssetEntity, 'name' | 'symbol' | 'denomination'>;

/** Known without the X-chain. */
const AVAX: Asset = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 };
const UNKNOWN: Asset = { name: '', symbol: '', denomination: 0 };

/** Of an asset by its id in hex; without a name while it is not on record. */
export type AssetLookup = (assetId: string) => Asset;

/** Queries about assets of the X-chain. */
@Injectable()
export class AssetRepository {
  private readonly query = new ShapedQuery(({ network }: { readonly network: NetworkName }) =>
    selectColumns(fromPartition(this.assets, 'a', network), { a: ASSET }).where(
      'a.assetId = ANY(:ids::bytea[])',
    ),
  );

  constructor(
    @InjectRepository(AssetEntity) private readonly assets: Repository<AssetEntity>,
    private readonly database: ListDatabase,
  ) {}

  /** Of those with the ids, hex; AVAX needs no record. */
  async find(
    network: NetworkName,
    { avaxAssetId }: IndexedNetwork,
    ids: Iterable<string>,
  ): Promise<AssetLookup> {
    const others = new Set(ids);
    if (avaxAssetId !== undefined) others.delete(avaxAssetId);
    const recorded = await this.findRecorded(network, [...others]);
    return (id) => (id === avaxAssetId ? AVAX : (recorded.get(id) ?? UNKNOWN));
  }

  private async findRecorded(
    network: NetworkName,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Asset>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.query(this.query.statement({ network }, { ids: ids.map(toBytes) }));
    return new Map(rows.map(ASSET.read).map((asset) => [asset.assetId, asset]));
  }
}
