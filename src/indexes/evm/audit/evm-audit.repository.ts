import { Injectable } from '@nestjs/common';
import { evmChainKey, type EvmChainRef } from '../../../platform/database/chains.js';
import { Database } from '../../../platform/database/database.js';
import { columnsWithout, readAll } from '../../../platform/database/entity-columns.js';
import { EvmLogEntity } from '../entities/evm-log.entities.js';
import type { Facet } from '../facets/facets.js';
import { readRows } from '../rows/copy-rows.js';
import type { CopiedTable } from '../rows/evm-tables.js';
import { type AuditedRows, rowsOf } from './audited-rows.js';

const LOG = columnsWithout(EvmLogEntity, 'chainKey', 'logSet', 'seq');

/** A block's rows in the database. */
@Injectable()
export class EvmAuditRepository {
  constructor(private readonly database: Database) {}

  async rowsAt(chain: EvmChainRef, facet: Facet, height: bigint): Promise<AuditedRows> {
    const chainKey = evmChainKey(chain);
    return this.database.transaction(async (transaction) => {
      const texts = new Map<CopiedTable, string>();
      for (const table of [...facet.tables, ...(facet.wholeTables ?? [])]) {
        texts.set(table, await readRows(transaction, table, { chainKey, height }));
      }
      const logs =
        facet.logSet === undefined
          ? []
          : await readAll(
              transaction,
              LOG,
              'FROM evm_logs WHERE chain_key = $1 AND log_set = $2 AND height = $3',
              [chainKey, facet.logSet.name, height],
            );
      return rowsOf(facet, (table) => texts.get(table) ?? '', logs);
    });
  }
}
