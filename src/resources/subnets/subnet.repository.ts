import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import type { IdHex } from '../../avalanche/ids/text.js';
import { SubnetEntity } from '../../indexes/p-chain/entities/subnet.entities.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { partitionOf } from '../../platform/database/chains.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters, ORDERS } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import {
  BLOCKCHAIN,
  type BlockchainRow,
  SUBNET,
  type SubnetListRequest,
  type SubnetRow,
  type SubnetWithBlockchains,
} from './subnet-list.js';

/** A page of ten thousand subnets has one or a few of each. */
const MAX_OWNERS = 50_000;
/** The same of blockchains, of which anybody can make any number for next to nothing. */
const MAX_BLOCKCHAINS = 20_000;

const KEYS = { 's.block_height': 'bigint', 's.subnet_id': 'bytea' } as const;

interface Shape {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
  readonly limit: number;
  readonly hasPlace: boolean;
}

interface CountedBlockchain extends BlockchainRow {
  /** Of this genesis and all before it. */
  readonly genesisBytes: number;
}

@Injectable()
export class SubnetRepository {
  private readonly subnetsQuery = new ShapedQuery((shape: Shape) => this.buildSubnets(shape));
  private readonly oneQuery = new ShapedQuery(({ network }: Pick<Shape, 'network'>) =>
    selectColumns(fromPartition(this.subnets, 's', network), { s: SUBNET }).where(
      's.subnet_id = :subnetId::bytea',
    ),
  );
  private readonly blockchainsQuery = new ShapedQuery(({ network }: Pick<Shape, 'network'>) =>
    this.buildBlockchains(network),
  );

  constructor(
    @InjectRepository(SubnetEntity) private readonly subnets: Repository<SubnetEntity>,
    private readonly database: ListDatabase,
  ) {}

  /**
   * Ends early, at least after one subnet, where the genesis data would become more than `maxGenesisBytes`, owners more than MAX_OWNERS,
   * or blockchains more than MAX_BLOCKCHAINS; then `isCut` is true. When the first subnet alone passes a limit, its blockchains beyond it
   * come without genesis data, or not at all.
   */
  async list(
    request: SubnetListRequest,
    maxGenesisBytes: number,
  ): Promise<{ rows: SubnetWithBlockchains[]; isCut: boolean }> {
    const found = await this.database.query<{ walked: string }>(this.statement(request));
    const whole = await this.withBlockchains(request.network, found.map(SUBNET.read), maxGenesisBytes);
    return { rows: whole.rows, isCut: whole.isCut || Number(found[0]?.walked ?? 0) > found.length };
  }

  /** Undefined when there is none. Blockchains beyond the limit come without genesis data. */
  async find(
    network: NetworkName,
    subnetId: IdHex,
    maxGenesisBytes: number,
  ): Promise<SubnetWithBlockchains | undefined> {
    const found = await this.database.query(
      this.oneQuery.statement({ network }, { subnetId: toBytes(subnetId) }),
    );
    const { rows } = await this.withBlockchains(network, found.map(SUBNET.read), maxGenesisBytes);
    return rows[0];
  }

  private async withBlockchains(
    network: NetworkName,
    subnets: readonly SubnetRow[],
    maxGenesisBytes: number,
  ): Promise<{ rows: SubnetWithBlockchains[]; isCut: boolean }> {
    const ids = subnets.map(({ subnetId }) => subnetId);
    const blockchains = await this.database.query<{ genesis: string | null; genesisBytes: string }>(
      this.blockchainsOf(network, ids, maxGenesisBytes),
    );
    const counted = blockchains.map((row) => ({
      ...BLOCKCHAIN.read(row),
      genesis: row.genesis,
      genesisBytes: Number(row.genesisBytes),
    }));
    return cut(subnets, counted, maxGenesisBytes);
  }

  /** By the block that created them, and id. */
  statement({ network, sortOrder, after, limit }: SubnetListRequest): Statement {
    const shape = { network, sortOrder, limit, hasPlace: after !== undefined };
    return this.subnetsQuery.statement(shape, keysetParameters(KEYS, after));
  }

  /**
   * The blockchains of the subnets, in the subnets' order. `genesisBytes` runs over all of them; a genesis that begins within the
   * limit is read, one beyond it stays where it is. One blockchain more than are shown.
   */
  blockchainsOf(network: NetworkName, subnetIds: readonly string[], maxGenesisBytes: number): Statement {
    return this.blockchainsQuery.statement({ network }, { ids: subnetIds.map(toBytes), maxGenesisBytes });
  }

  /** Owners are counted before they are read: a page of thousands of subnets may have more of them than fit into memory. */
  private buildSubnets({ network, sortOrder, limit, hasPlace }: Shape): SelectQueryBuilder<ObjectLiteral> {
    const direction = ORDERS[sortOrder];
    const inOrder = `ORDER BY block_height ${direction}, subnet_id ${direction}`;
    const walk = selectColumns(fromPartition(this.subnets, 's', network), { s: SUBNET })
      .where(hasPlace ? follows(KEYS, FOLLOWS[sortOrder]) : 'true')
      .orderBy('s.block_height', direction)
      .addOrderBy('s.subnet_id', direction)
      .limit(limit);
    const query = this.subnets.manager
      .createQueryBuilder()
      .addCommonTableExpression(walk.getQuery(), 'walk')
      .from(
        `(SELECT walk.*, sum(coalesce(cardinality(owner_addresses), 0)) OVER (${inOrder}) AS addresses,
                 row_number() OVER (${inOrder}) AS place, count(*) OVER () AS walked FROM walk)`,
        'counted',
      )
      .where(`place = 1 OR addresses <= ${MAX_OWNERS}`)
      .orderBy('counted.block_height', direction)
      .addOrderBy('counted.subnet_id', direction);
    return selectColumns(query, { counted: SUBNET }).addSelect('walked', 'walked');
  }

  private buildBlockchains(network: NetworkName): SelectQueryBuilder<ObjectLiteral> {
    const query = this.subnets.manager
      .createQueryBuilder()
      .from(
        `(SELECT b.*, subnet.position, sum(coalesce(octet_length(b.genesis), 0)) OVER (
             ORDER BY subnet.position, b.block_height, b.blockchain_id ROWS UNBOUNDED PRECEDING
           ) AS genesis_bytes
            FROM unnest(:ids::bytea[]) WITH ORDINALITY AS subnet (id, position)
           CROSS JOIN LATERAL (
             SELECT * FROM ${partitionOf('blockchains', network)} own WHERE own.subnet_id = subnet.id
              ORDER BY own.block_height, own.blockchain_id LIMIT ${MAX_BLOCKCHAINS + 1}
           ) b)`,
        'counted',
      )
      .orderBy('position')
      .addOrderBy('counted.block_height')
      .addOrderBy('counted.blockchain_id')
      .limit(MAX_BLOCKCHAINS + 1);
    return selectColumns(query, { counted: BLOCKCHAIN })
      .addSelect('genesis_bytes', 'genesisBytes')
      .addSelect('CASE WHEN genesis_bytes <= :maxGenesisBytes::bigint THEN genesis END', 'genesis');
  }
}

function cut(
  rows: readonly SubnetRow[],
  blockchains: readonly CountedBlockchain[],
  maxGenesisBytes: number,
): { rows: SubnetWithBlockchains[]; isCut: boolean } {
  const bySubnet = new Map(rows.map(({ subnetId }) => [subnetId, [] as BlockchainRow[]]));
  const tooLarge = new Set<string>();
  for (const blockchain of blockchains.slice(0, MAX_BLOCKCHAINS)) {
    bySubnet.get(blockchain.subnetId)?.push(blockchain);
    if (blockchain.genesisBytes > maxGenesisBytes) tooLarge.add(blockchain.subnetId);
  }
  const beyond = blockchains[MAX_BLOCKCHAINS]?.subnetId;
  const whole = beyond === undefined ? rows.length : rows.findIndex(({ subnetId }) => subnetId === beyond);
  const end = rows.findIndex(
    ({ subnetId }, index) => index > 0 && (index >= whole || tooLarge.has(subnetId)),
  );
  const shown = end === -1 ? rows : rows.slice(0, end);
  return {
    rows: shown.map((row) => ({ ...row, blockchains: bySubnet.get(row.subnetId) ?? [] })),
    isCut: end !== -1,
  };
}
