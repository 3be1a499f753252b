import { Injectable } from '@nestjs/common';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { Database } from '../../../platform/database/database.js';
import { partitionOf } from '../../../platform/database/partition.js';

/** L1 validators of the P-chain index, which keeps those that were removed. */
@Injectable()
export class L1ValidatorRepository {
  constructor(private readonly database: Database) {}

  /** The transaction that began a validation: a conversion or a registration. Undefined where the index does not know it (yet). */
  async findFirstTransaction(network: NetworkName, validationId: Uint8Array): Promise<Buffer | undefined> {
    const [row] = await this.database.query<{ tx_id: Buffer }>({
      text: `SELECT tx_id FROM ${partitionOf('l1_validators', network)} WHERE validation_id = $1`,
      values: [Buffer.from(validationId)],
      onePlan: true,
    });
    return row?.tx_id;
  }
}
