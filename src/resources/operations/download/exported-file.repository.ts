import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { ExportProofEntity } from '../../../exports/proof/export-proof.entity.js';
import { ExportPartEntity } from '../../../exports/turns/export-part.entity.js';
import { OperationEntity } from '../operation.entities.js';
import type { ExportedFile } from './exported-file.js';

interface PartRow {
  readonly isRemoved: boolean;
  /** Record of the operation at its end. */
  readonly fileBytes: string;
  /** Null for an operation without parts, as is all that follows. */
  readonly part: number | null;
  readonly storageKey: string | null;
  readonly bytes: string | null;
  readonly storedBytes: string | null;
  readonly state: string | null;
  readonly crc: string | null;
}

/** Record of a file, and why it is not the whole one. */
export interface IncompleteFile {
  readonly problem: string;
}

@Injectable()
export class ExportedFileRepository {
  constructor(@InjectRepository(OperationEntity) private readonly operations: Repository<OperationEntity>) {}

  /** The text of its proof; undefined unless there is one. */
  async findProof(operationId: string): Promise<string | undefined> {
    const proof = await this.operations.manager.findOneBy(ExportProofEntity, { operationId });
    return proof?.content;
  }

  /** Undefined unless there is a file. One statement, so that a removal is seen wholly or not at all. */
  async find(operationId: string): Promise<ExportedFile | IncompleteFile | undefined> {
    const rows = await this.operations
      .createQueryBuilder('o')
      .leftJoin(ExportPartEntity, 'p', 'p.operationId = o.operationId')
      .select('o.filesRemoved', 'isRemoved')
      .addSelect('o.byteCount', 'fileBytes')
      .addSelect('p.part', 'part')
      .addSelect('p.storageKey', 'storageKey')
      .addSelect('p.bytes', 'bytes')
      .addSelect('p.storedBytes', 'storedBytes')
      .addSelect("p.positionAfter ->> 'state'", 'state')
      .addSelect("p.positionAfter ->> 'crc'", 'crc')
      .where({ operationId, status: In(['COMPLETED', 'COMPLETED_WITH_WARNING']) })
      .andWhere('o.expiresAt > extract(epoch FROM now())')
      .orderBy('p.part')
      .getRawMany<PartRow>();
    if (rows.length === 0 || rows[0]?.isRemoved === true) return undefined;
    const problem = problemOf(rows);
    return problem === undefined ? fileOf(operationId, rows) : { problem };
  }
}

/** A database that was restored to an earlier state may know an operation's end and lack its last parts. */
function problemOf(rows: readonly PartRow[]): string | undefined {
  const missing = rows.findIndex(({ part }, index) => part !== index);
  if (missing !== -1) return `part ${missing} is missing`;
  const last = rows.at(-1);
  if (last?.state === 'more' || last?.state === null) return `part ${rows.length} is missing`;
  const [found, recorded] = [sum(rows), Number(last?.fileBytes)];
  return found === recorded ? undefined : `its parts have ${found} of ${recorded} bytes`;
}

function sum(rows: readonly PartRow[]): number {
  return rows.reduce((bytes, row) => bytes + Number(row.bytes), 0);
}

function fileOf(operationId: string, rows: readonly PartRow[]): ExportedFile {
  const pieces = rows.flatMap(({ storageKey, bytes, storedBytes }) =>
    storageKey === null || Number(bytes) === 0
      ? []
      : [
          {
            storageKey,
            bytes: Number(bytes),
            storedBytes: Number(storedBytes),
          },
        ],
  );
  return { operationId, bytes: sum(rows), pieces, crc: Number(rows.at(-1)?.crc) };
}
