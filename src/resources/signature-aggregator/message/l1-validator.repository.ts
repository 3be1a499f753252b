import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { L1ValidatorEntity } from '../../../indexes/p-chain/entities/l1-validator.entity.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { Database } from '../../../platform/database/database.js';
import { fromPartition, ShapedQuery } from '../../../platform/database/shaped-query.js';

/** L1 validators of the P-chain index, which keeps those that were removed. */
@Injectable()
export class L1ValidatorRepository {
  private readonly byId = new ShapedQuery(({ network }: { readonly network: NetworkName }) =>
    fromPartition(this.validators, 'v', network)
      .select('v.txId', 'txId')
      .where('v.validationId = :validationId'),
  );

  constructor(
    @InjectRepository(L1ValidatorEntity) private readonly validators: Repository<L1ValidatorEntity>,
    private readonly database: Database,
  ) {}

  /** The transaction that began a validation: a conversion or a registration. Undefined where the index does not know it (yet). */
  async findFirstTransaction(network: NetworkName, validationId: Uint8Array): Promise<Buffer | undefined> {
    const statement = this.byId.statement({ network }, { validationId: Buffer.from(validationId) });
    const [row] = await this.database.query<{ txId: Buffer }>(statement);
    return row?.txId;
  }
}
