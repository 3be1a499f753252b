import { Injectable } from '@nestjs/common';
import type { FoundVertex, VertexStore } from '../../../avalanche/chain-sync/vertex-walk.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { partitionOf } from '../../../platform/database/chains.js';
import { Database, type Queryable } from '../../../platform/database/database.js';
import { columnsOf, readAll, tableNameOf } from '../../../platform/database/entity-columns.js';
import { toBytes } from '../../../platform/database/shaped-query.js';
import { Table } from '../../../platform/database/table.js';
import { XChainVertex } from '../entities/x-chain.entities.js';

const TABLE = tableNameOf(XChainVertex);
const ROWS = new Table(XChainVertex);
const ID = columnsOf(XChainVertex, 'vertexId');
const CONTENT = columnsOf(XChainVertex, 'vertexId', 'height', 'bytes');
/** A vertex has up to a megabyte; most have a few hundred bytes. */
const PAGE = 100;

export interface KeptVertex {
  readonly id: Id;
  readonly bytes: Uint8Array;
}

/** The vertices of networks whose history is being read. No lock is needed: whoever adds a vertex, its hash proves it. */
@Injectable()
export class VertexRepository {
  constructor(private readonly database: Database) {}

  /** To be walked through from the stop vertex, or on from wherever an earlier walk ended. */
  async open(network: NetworkName, stopVertexId: Id): Promise<VertexStore> {
    await this.want(this.database, network, [stopVertexId]);
    return {
      wanted: () => this.wanted(network),
      keep: (vertices) => this.keep(network, vertices),
    };
  }

  /** All that were kept, by height and then by id. */
  async *inOrder(network: NetworkName): AsyncGenerator<KeptVertex, void> {
    const first = { height: '-1', id: '' };
    for (let after = first; ;) {
      const rows = await readAll(
        this.database,
        CONTENT,
        `FROM ${partitionOf(TABLE, network)} WHERE (height, vertex_id) > ($1, $2)
          ORDER BY height, vertex_id LIMIT ${PAGE}`,
        [after.height, Buffer.from(after.id, 'hex')],
      );
      yield* rows.flatMap(toKept);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = { height: String(last.height), id: last.vertexId };
    }
  }

  /** Those of them that were kept, in any order. */
  async find(network: NetworkName, ids: readonly Id[]): Promise<KeptVertex[]> {
    const rows = await readAll(
      this.database,
      CONTENT,
      `FROM ${partitionOf(TABLE, network)} WHERE network = $1 AND vertex_id = ANY($2)`,
      [network, ids.map(toBytes)],
    );
    return rows.flatMap(toKept);
  }

  private async wanted(network: NetworkName): Promise<Id[]> {
    const rows = await readAll(
      this.database,
      ID,
      `FROM ${partitionOf(TABLE, network)} WHERE bytes IS NULL`,
      [],
    );
    return rows.map(({ vertexId }) => vertexId);
  }

  private keep(network: NetworkName, vertices: readonly FoundVertex[]): Promise<Id[]> {
    return this.database.transaction(async (transaction) => {
      const ids = vertices.map(({ id }) => id);
      const known = await readAll(
        transaction,
        ID,
        `FROM ${partitionOf(TABLE, network)} WHERE network = $1 AND vertex_id = ANY($2) AND bytes IS NOT NULL`,
        [network, ids.map(toBytes)],
      );
      const isKnown = new Set(known.map(({ vertexId }) => vertexId));
      const added = vertices.filter(({ id }) => !isKnown.has(id));
      if (added.length === 0) return [];
      await ROWS.upsert(
        transaction,
        network,
        added.map(({ id: vertexId, height, bytes }) => ({ vertexId, height, bytes })),
      );
      const named = new Set(added.flatMap(({ parentIds }) => parentIds));
      return this.want(transaction, network, [...named]);
    });
  }

  private async want(target: Queryable, network: NetworkName, ids: readonly Id[]): Promise<Id[]> {
    const rows = await target.query<{ id: string }>({
      text: `INSERT INTO ${TABLE} (network, vertex_id) SELECT $1, unnest($2::bytea[])
             ON CONFLICT DO NOTHING RETURNING encode(vertex_id, 'hex') AS id`,
      values: [network, ids.map(toBytes)],
    });
    return rows.map(({ id }) => id);
  }
}

/** Of a history that is executed, or forgotten. */
export async function removeVertices(target: Queryable, network: NetworkName): Promise<void> {
  await target.execute({ text: `TRUNCATE ${partitionOf(TABLE, network)}`, values: [] });
}

function toKept({ vertexId: id, bytes }: Pick<XChainVertex, 'vertexId' | 'bytes'>): KeptVertex[] {
  return bytes === null ? [] : [{ id, bytes }];
}
