import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import type {
  OperationType,
  RecordOperationInput,
} from '../../../workflows/contracts/export-transactions.js';
import { organisation } from '../../access/keys/caller.js';
import { OperationEntity } from './operation.entities.js';
import { type Operation, OPERATION_TYPES } from './operation.js';

/** Of an operation that ended before its workflow could record anything, the request is not known. */
export type OperationRecord = Omit<RecordOperationInput, 'request'> & Pick<OperationEntity, 'request'>;

/** The last reports of operations; outlives their workflows. */
@Injectable()
export class OperationRepository {
  constructor(@InjectRepository(OperationEntity) private readonly operations: Repository<OperationEntity>) {}

  async find(operationId: string): Promise<Operation | undefined> {
    const row = await this.operations.findOneBy({ operationId });
    return row === null ? undefined : toOperation(row);
  }

  /** Of each type; none that runs has lost its file. */
  countRunning(): Promise<{ type: OperationType; count: number }[]> {
    return Promise.all(
      OPERATION_TYPES.map(async (type) => ({
        type,
        count: await this.operations.countBy({ type, status: 'RUNNING', filesRemoved: false }),
      })),
    );
  }

  /** Ends the life of a finished file, of which nothing can be downloaded from then on; whether it had any left. */
  async expire(operationId: string): Promise<boolean> {
    const { affected } = await this.operations
      .createQueryBuilder()
      .update({ expiresAt: () => 'floor(extract(epoch FROM now()))' })
      .where('operation_id = :operationId AND NOT files_removed', { operationId })
      .andWhere('expires_at > extract(epoch FROM now())')
      .execute();
    return affected === 1;
  }

  /** An end is final, and an older state that arrives late never replaces a newer one. */
  async save({ operationId, type, requestDigest, request, state }: OperationRecord): Promise<void> {
    const { percentage: _, rows, bytes, ...reported } = state;
    const row = { operationId, type, requestDigest, request, ...reported, rowCount: rows, byteCount: bytes };
    await this.operations.manager.transaction(async (manager) => {
      await manager
        .createQueryBuilder(OperationEntity, 'known')
        .insert()
        .values(row)
        .orUpdate(REPORTED, ['operation_id'], {
          overwriteCondition: {
            where: `known.status = 'RUNNING' AND (EXCLUDED.status <> 'RUNNING' OR EXCLUDED.updated_at >= known.updated_at)`,
          },
        })
        .execute();
      if (state.status !== 'RUNNING') await announceEnd(manager, operationId);
    });
  }
}

/**
 * Puts an event for each webhook of the owner that asks for it into the outbox. Saved again, the end finds that they are there.
 */
async function announceEnd(manager: EntityManager, operationId: string): Promise<void> {
  await manager.query(
    `INSERT INTO webhook_events (webhook_id, event_id, created_at, event)
     SELECT webhook.webhook_id, operation.operation_id::text, operation.updated_at, jsonb_build_object(
              'type', 'operation.finished', 'timestamp', to_char(to_timestamp(operation.updated_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
              'data', jsonb_build_object('operationId', operation.operation_id, 'operationType', operation.type, 'operationStatus', operation.status))
       FROM operations operation
       JOIN export_claims claim ON claim.operation_id = operation.operation_id
       JOIN webhooks webhook ON claim.owner = $2::text || webhook.org_id AND 'operation.finished' = ANY (webhook.event_types)
      WHERE operation.operation_id = $1
     ON CONFLICT DO NOTHING`,
    [operationId, organisation('')],
  );
}

/** The columns of what changes. */
const REPORTED = [
  'status',
  'message',
  'code',
  'next_date',
  'row_count',
  'byte_count',
  'updated_at',
  'expires_at',
];

export function toOperation(row: OperationEntity): Operation {
  const { operationId, type, requestDigest, filesRemoved: isFileRemoved } = row;
  const { status, message, code, nextDate, createdAt, updatedAt, expiresAt } = row;
  return {
    operationId,
    type,
    requestDigest,
    state: {
      status,
      message,
      code,
      nextDate,
      rows: row.rowCount,
      bytes: row.byteCount,
      createdAt,
      updatedAt,
      expiresAt,
    },
    isFileRemoved,
  };
}
