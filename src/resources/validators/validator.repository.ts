import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { partitionOf } from '../../platform/database/partition.js';
import type { Statement } from '../../platform/database/statement.js';
import {
  likePattern,
  type ValidatorFilters,
  type ValidatorListRequest,
  type ValidatorRow,
  validatorsWithKey,
  validatorsWithoutKey,
} from './validator-list.js';

/**
 * Up to this many nodes, the list takes all of the nodes' validations and sorts them. When the parts fit more nodes than that,
 * walking the list and comparing soon fills a page.
 */
const MAX_SINGLE_NODES = 200;

@Injectable()
export class ValidatorRepository {
  constructor(private readonly database: Database) {}

  async list(request: ValidatorListRequest): Promise<ValidatorRow[]> {
    const rows = await this.run(validatorsWithKey(request));
    if (rows.length === request.limit) return rows;
    const rest = validatorsWithoutKey({ ...request, limit: request.limit - rows.length });
    return [...rows, ...(await this.run(rest))];
  }

  async findNodes(
    network: NetworkName,
    parts: readonly string[],
  ): Promise<NonNullable<ValidatorFilters['nodes']>> {
    const rows = await this.database.query<{ id: string }>(
      nodesWithParts(network, parts, MAX_SINGLE_NODES + 1),
    );
    return rows.length > MAX_SINGLE_NODES ? { parts } : { ids: rows.map(({ id }) => id) };
  }

  private async run(statement: Statement | undefined): Promise<ValidatorRow[]> {
    return statement === undefined ? [] : this.database.query(statement);
  }
}

export function nodesWithParts(network: NetworkName, parts: readonly string[], limit: number): Statement {
  return {
    text: `SELECT encode(node_id, 'hex') AS id FROM ${partitionOf('nodes', network)}
            WHERE node_id_text LIKE ANY($1::text[]) LIMIT ${limit}`,
    values: [parts.map(likePattern)],
  };
}
