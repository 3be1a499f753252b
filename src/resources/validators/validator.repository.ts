import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { NodeEntity, ObservedNode } from '../../indexes/p-chain/entities/node.entities.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { Statement } from '../../platform/database/database.js';
import { ListDatabase } from '../../platform/database/list-database.js';
import { partitionOf } from '../../platform/database/chains.js';
import { fromPartition, selectColumns, ShapedQuery, toBytes } from '../../platform/database/shaped-query.js';
import { FOLLOWS, follows, keysetParameters, ORDERS } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import {
  isSelective,
  OBSERVED,
  possibleStatuses,
  RANGES,
  SORT_KEYS,
  VALIDATION,
  VALIDATION_STATUSES,
  type ValidationStatus,
  type ValidatorFilters,
  type ValidatorListRequest,
  type ValidatorRow,
  type ValidatorSortKey,
} from './validator-list.js';

/**
 * Up to this many nodes, the list takes all of the nodes' validations and sorts them. When the parts fit more nodes than that,
 * walking the list and comparing soon fills a page.
 */
const MAX_SINGLE_NODES = 200;

interface Shape {
  readonly network: NetworkName;
  readonly sortBy: ValidatorSortKey;
  readonly sortOrder: SortOrder;
  readonly limit: number;
  /** Those that there is a walk for. */
  readonly statuses: readonly ValidationStatus[];
  /** The rows that have the sort key, or those without, which follow all others in the order of their ids. */
  readonly hasKey: boolean;
  readonly hasPlace: boolean;
  readonly hasSubnet: boolean;
  readonly nodes: 'ids' | 'parts' | undefined;
  /** Names of the parameters, such as `minShares`. */
  readonly bounds: readonly string[];
}

@Injectable()
export class ValidatorRepository {
  private readonly query = new ShapedQuery((shape: Shape) => this.build(shape));
  private readonly nodesQuery = new ShapedQuery(({ network }: Pick<Shape, 'network'>) =>
    fromPartition(this.nodes, 'n', network)
      .select("encode(n.nodeId, 'hex')", 'id')
      .where('n.nodeIdText LIKE ANY(:parts::text[])')
      .limit(MAX_SINGLE_NODES + 1),
  );

  constructor(
    @InjectRepository(ValidatorEntity) private readonly validators: Repository<ValidatorEntity>,
    @InjectRepository(NodeEntity) private readonly nodes: Repository<NodeEntity>,
    private readonly database: ListDatabase,
  ) {}

  async list(request: ValidatorListRequest): Promise<ValidatorRow[]> {
    const rows = await this.run(this.withKey(request));
    if (rows.length === request.limit) return rows;
    const rest = this.withoutKey({ ...request, limit: request.limit - rows.length });
    return [...rows, ...(await this.run(rest))];
  }

  async findNodes(
    network: NetworkName,
    parts: readonly string[],
  ): Promise<NonNullable<ValidatorFilters['nodes']>> {
    const found = await this.database.query<{ id: string }>(this.nodesWithParts(network, parts));
    return found.length > MAX_SINGLE_NODES ? { parts } : { ids: found.map(({ id }) => id) };
  }

  /** One more than are taken. */
  nodesWithParts(network: NetworkName, parts: readonly string[]): Statement {
    return this.nodesQuery.statement({ network }, { parts: parts.map(likePattern) }, { onePlan: false });
  }

  /** The rows that have the sort key, from `after` on. Undefined when there can be none. */
  withKey(request: ValidatorListRequest): Statement | undefined {
    const { type, statuses } = SORT_KEYS[request.sortBy];
    if (request.after?.[0] === null) return undefined;
    return this.statement(
      request,
      statuses,
      true,
      keysetParameters({ key: type, id: 'bytea' }, request.after),
    );
  }

  /** The rows without the sort key. Undefined when there can be none. */
  withoutKey(request: ValidatorListRequest): Statement | undefined {
    const { statuses, isNullable } = SORT_KEYS[request.sortBy];
    const [key, txId = null] = request.after ?? [];
    const without = VALIDATION_STATUSES.filter((status) => isNullable || !statuses.includes(status));
    return this.statement(
      request,
      without,
      false,
      keysetParameters({ id: 'bytea' }, key === null ? [txId] : undefined),
    );
  }

  private statement(
    { network, sortBy, sortOrder, limit, filters }: ValidatorListRequest,
    among: readonly ValidationStatus[],
    hasKey: boolean,
    place: Readonly<Record<string, unknown>>,
  ): Statement | undefined {
    const statuses = possibleStatuses(filters).filter((status) => among.includes(status));
    if (statuses.length === 0) return undefined;
    const { subnetId, nodes } = filters;
    const bounds = boundsOf(filters);
    const shape: Shape = {
      network,
      sortBy,
      sortOrder,
      limit,
      statuses,
      hasKey,
      hasPlace: Object.keys(place).length > 0,
      hasSubnet: subnetId !== undefined,
      nodes: nodes === undefined ? undefined : 'ids' in nodes ? 'ids' : 'parts',
      bounds: Object.keys(bounds),
    };
    const parameters = {
      ...(subnetId !== undefined && { subnetId: toBytes(subnetId) }),
      ...(nodes !== undefined && {
        nodes: 'ids' in nodes ? nodes.ids.map(toBytes) : nodes.parts.map(likePattern),
      }),
      ...bounds,
      ...place,
    };
    return this.query.statement(shape, parameters, { onePlan: !isSelective(filters) });
  }

  private async run(statement: Statement | undefined): Promise<ValidatorRow[]> {
    if (statement === undefined) return [];
    const rows = await this.database.query<Pick<ValidatorRow, 'subnetWeight' | 'validatorPart'>>(statement);
    return rows.map((row) => {
      const { subnetWeight, validatorPart } = row;
      return Object.assign(VALIDATION.read(row), OBSERVED.read(row), { subnetWeight, validatorPart });
    });
  }

  /**
   * One walk per status over the index that has the order, each no longer than the page, merged. The statuses are apart because
   * an index can only be walked in order when all that stands before the key is one value.
   */
  private build(shape: Shape): SelectQueryBuilder<ObjectLiteral> {
    const { network, limit } = shape;
    const direction = directionOf(shape);
    const order = [...(shape.hasKey ? [SORT_KEYS[shape.sortBy].column] : []), 'tx_id'];
    const walks = shape.statuses.map((status) => `(${this.walk(shape, status).getQuery()})`);
    const orderBy = order.map((key) => `${key} ${direction}`).join(', ');
    const page = `SELECT * FROM (${walks.join(' UNION ALL ')}) found ORDER BY ${orderBy} LIMIT ${limit}`;
    const query = this.validators.manager
      .createQueryBuilder()
      .addCommonTableExpression(page, 'page')
      .from('page', 'page')
      .leftJoin(
        partitionOf('subnet_stakes', network),
        's',
        `s.network = '${network}' AND s.subnet_id = page.subnet_id`,
      )
      .leftJoin(
        `(SELECT l.subnet_id, sum(l.weight) AS weight FROM ${partitionOf('l1_validators', network)} l
           WHERE l.weight > 0 AND l.subnet_id = ANY(ARRAY(SELECT DISTINCT subnet_id FROM page WHERE status = 'active'))
           GROUP BY l.subnet_id)`,
        'l1',
        'l1.subnet_id = page.subnet_id',
      )
      .leftJoin(
        ObservedNode,
        'observed',
        `observed.network = '${network}' AND observed.node_id = page.node_id AND page.status = 'active'`,
      );
    selectColumns(query, { page: VALIDATION, observed: OBSERVED })
      .addSelect('s.total_weight + coalesce(l1.weight, 0)', 'subnetWeight')
      .addSelect(
        `CASE WHEN page.status = 'active' THEN (
           SELECT sum(d.validator_part) FROM ${partitionOf('delegators', network)} d
            WHERE d.validator_tx_id = page.tx_id AND d.status IN ('pending', 'active')) END`,
        'validatorPart',
      );
    for (const key of order) query.addOrderBy(`page.${key}`, direction);
    return query;
  }

  private walk(shape: Shape, status: ValidationStatus): SelectQueryBuilder<ValidatorEntity> {
    const { column, type, statuses } = SORT_KEYS[shape.sortBy];
    const { key, id } = walkedKeys(shape);
    const comparison = FOLLOWS[shape.sortOrder];
    const conditions = [
      `v.status = '${status}'`,
      ...(shape.hasKey
        ? [`v.${column} IS NOT NULL`]
        : statuses.includes(status)
          ? [`v.${column} IS NULL`]
          : []),
      ...(shape.hasPlace
        ? [follows(shape.hasKey ? { [key]: type, [id]: 'bytea' } : { [id]: 'bytea' }, comparison)]
        : []),
      ...(shape.hasSubnet ? ['v.subnet_id = :subnetId::bytea'] : []),
      ...(shape.nodes === 'ids' ? ['v.node_id = ANY((SELECT :nodes)::bytea[])'] : []),
      ...(shape.nodes === 'parts' ? ['v.node_id_text LIKE ANY(:nodes::text[])'] : []),
      ...RANGES.flatMap((range) => [
        ...(shape.bounds.includes(`${range.name}Min`) ? [bound(range, '>=', 'Min')] : []),
        ...(shape.bounds.includes(`${range.name}Max`) ? [bound(range, '<=', 'Max')] : []),
      ]),
    ];
    const walk = selectColumns(fromPartition(this.validators, 'v', shape.network), { v: VALIDATION })
      .where(conditions.join(' AND '))
      .limit(shape.limit);
    if (shape.hasKey) walk.addOrderBy(key, directionOf(shape));
    return walk.addOrderBy(id, directionOf(shape));
  }
}

/**
 * A few nodes' validations are all taken and sorted. The planner would rather walk a list and hope to meet them soon; a key that is
 * in no index leaves it no other way.
 */
function walkedKeys({ nodes, sortBy, hasKey }: Shape): { readonly key: string; readonly id: string } {
  const column = `v.${SORT_KEYS[sortBy].column}`;
  if (nodes !== 'ids') return { key: column, id: 'v.tx_id' };
  return { key: `(${column} + 0)`, id: hasKey ? 'v.tx_id' : 'substr(v.tx_id, 1)' };
}

function bound(
  { name, column, type }: (typeof RANGES)[number],
  operator: string,
  end: 'Min' | 'Max',
): string {
  return `v.${column} ${operator} :${name}${end}::${type}`;
}

/** The values of all bounds that there are. */
function boundsOf(filters: ValidatorFilters): Record<string, string> {
  const bounds: Record<string, string> = {};
  for (const { name } of RANGES) {
    const { min, max } = filters[name] ?? {};
    if (min !== undefined) bounds[`${name}Min`] = String(min);
    if (max !== undefined) bounds[`${name}Max`] = String(max);
  }
  return bounds;
}

function directionOf({ sortOrder }: Shape): 'ASC' | 'DESC' {
  return ORDERS[sortOrder];
}

/** Node ids hold none of the pattern's own characters. */
function likePattern(part: string): string {
  return `%${part}%`;
}
