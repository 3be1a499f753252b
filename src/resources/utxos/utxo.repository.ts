import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { UtxoEntity } from '../../indexes/utxos/utxo.entities.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import {
  comparesAmounts,
  hasFewLargeUtxos,
  listedAddresses,
  pageOf,
  UTXO,
  type UtxoListRequest,
  type UtxoRow,
} from './utxo-list.js';
import { ORDERS } from '../../platform/http/pagination/keyset.js';

interface Shape {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
  /** SQL of the page's keys. */
  readonly page: string;
}

@Injectable()
export class UtxoRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));
  private readonly byId = new ShapedQuery(({ network }: { readonly network: NetworkName }) =>
    selectColumns(fromPartition(this.utxos, 'u', network), { u: UTXO })
      .where(`u.network = '${network}'`)
      .andWhere('u.utxoId = ANY(:ids::bytea[])')
      .andWhere('u.blockTime IS NOT NULL'),
  );
  private readonly few = new ShapedQuery(({ isFew }: { readonly isFew: string }) => this.buildFew(isFew));

  constructor(
    @InjectRepository(UtxoEntity) private readonly utxos: Repository<UtxoEntity>,
    private readonly database: ListDatabase,
  ) {}

  async list(request: UtxoListRequest): Promise<UtxoRow[]> {
    const few = comparesAmounts(request)
      ? await this.database.query<{ address: string }>(this.addressesWithFewLargeUtxos(request))
      : [];
    const addresses = few.map(({ address }) => address);
    const rows = await this.database.query(this.statement(request, addresses));
    return rows.map((row) => UTXO.read(row) as UtxoRow);
  }

  /** Those of the ids (hex) whose creation is known. */
  async find(network: NetworkName, ids: readonly string[]): Promise<UtxoRow[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.query(this.statementOf(network, ids));
    return rows.map((row) => UTXO.read(row) as UtxoRow);
  }

  statementOf(network: NetworkName, ids: readonly string[]): Statement {
    return this.byId.statement({ network }, { ids: ids.map(toBytes) });
  }

  statement(request: UtxoListRequest, few: readonly string[]): Statement {
    const { network, sortOrder, filters } = request;
    const { text: page, values } = pageOf(request, few);
    return this.query.statement({ network, sortOrder, page }, values, { onePlan: filters.minAmount === 0n });
  }

  addressesWithFewLargeUtxos(request: UtxoListRequest): Statement {
    const { text: isFew, values } = hasFewLargeUtxos(request);
    const addresses = listedAddresses(request).map(toBytes);
    return this.few.statement({ isFew }, { ...values, addresses }, { onePlan: false });
  }

  private build({ network, sortOrder, page }: Shape): SelectQueryBuilder<UtxoEntity> {
    const direction = ORDERS[sortOrder];
    const query = fromPartition(this.utxos, 'u', network)
      .addCommonTableExpression(page, 'page')
      .innerJoin('page', 'page', `u.network = '${network}' AND u.utxo_id = page.utxo_id`)
      .orderBy('page.key', direction)
      .addOrderBy('page.utxo_id', direction);
    return selectColumns(query, { u: UTXO });
  }

  private buildFew(isFew: string): SelectQueryBuilder<ObjectLiteral> {
    return this.utxos.manager
      .createQueryBuilder()
      .select("encode(address.value, 'hex')", 'address')
      .from('(SELECT unnest(:addresses::bytea[]) AS value)', 'address')
      .where(isFew);
  }
}
