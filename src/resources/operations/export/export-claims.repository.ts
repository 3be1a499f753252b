import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import {
  FOLLOWS,
  follows,
  keysetParameters,
  type PagePlace,
} from '../../../platform/http/pagination/keyset.js';
import { acceptedAt, type Operation } from '../operation.js';
import { ExportClaim, OperationEntity } from '../operation.entities.js';
import { toOperation } from '../operation.repository.js';
import { SILENT_SECONDS } from '../../../exports/storage/storage-space.js';

/** An export that has been started and still counts against its owner's limits. */
export interface ClaimedExport {
  readonly operationId: string;
  /** Hex. */
  readonly requestDigest: string;
  readonly isRunning: boolean;
  readonly bytes: number;
  /** Until its file is removed; null while it runs. */
  readonly secondsLeft: number | null;
}

export interface ListedOperation {
  readonly operation: Operation;
  /** UNIX seconds. */
  readonly claimedAt: number;
}

/** Running and stored exports of an owner. */
export interface OwnedExports extends CalledToday {
  readonly exports: readonly ClaimedExport[];
}

interface CalledToday {
  /** Blocks that those claimed today (UTC) have read from nodes; of running ones what they still may. */
  readonly calledToday: number;
  /** Until what is counted begins anew. */
  readonly secondsLeftToday: number;
}

export type Claim = Pick<ExportClaim, 'operationId' | 'type' | 'owner' | 'requestDigest'>;

/** The export that answers a request. */
export interface Claimed {
  readonly operationId: string;
  /** Blocks that it may read from nodes. */
  readonly maxNodeCalls: number;
}

/** Another export that answers the request, or what the new one may do. */
export type Decision = Pick<Claimed, 'maxNodeCalls'> | { readonly join: string };

/** Of claims. */
const IS_ABOUT_TO_BEGIN = `c.claimedAt > extract(epoch FROM now()) - ${SILENT_SECONDS}`;
/** In claims and their operations; whether the export runs. */
const IS_RUNNING = `((o.status = 'RUNNING' AND NOT o.filesRemoved) OR (o.status IS NULL AND ${IS_ABOUT_TO_BEGIN}))`;
const TODAY = "date_trunc('day', now(), 'UTC')";

const LIST_KEYS = { 'c.claimed_at': 'bigint', 'uuid_send(c.operation_id)': 'bytea' } as const;

/** Whose exports there are. */
@Injectable()
export class ExportClaimsRepository {
  constructor(@InjectRepository(ExportClaim) private readonly claims: Repository<ExportClaim>) {}

  /** Puts the export on record, unless `decide` names another one or throws; one at a time for each owner. */
  claim(
    { operationId, type, owner, requestDigest }: Claim,
    decide: (owned: OwnedExports) => Decision,
  ): Promise<Claimed> {
    return this.claims.manager.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [owner]);
      const known = await findClaim(manager, operationId);
      if (known !== undefined) return known;
      const decision = decide({
        exports: await findExports(manager, owner),
        ...(await sumCalls(manager, owner)),
      });
      if ('join' in decision) {
        const joined = await findClaim(manager, decision.join);
        if (joined === undefined) throw new Error(`there is no claim ${decision.join}`);
        return joined;
      }
      const claimedAt = (): string => 'extract(epoch FROM now())';
      const claim = { operationId, type, owner, requestDigest };
      await manager.insert(ExportClaim, { ...claim, claimedAt, ...decision });
      return { operationId, ...decision };
    });
  }

  async find(owner: string): Promise<OwnedExports> {
    const { manager } = this.claims;
    return { exports: await findExports(manager, owner), ...(await sumCalls(manager, owner)) };
  }

  /** Undefined for an operation that is not known, or no longer. */
  async findOwner(operationId: string): Promise<string | undefined> {
    return (await this.claims.findOneBy({ operationId }))?.owner;
  }

  /** The latest first, as they last reported: of one that runs, how it began. */
  async list(owner: string, { after, limit }: PagePlace): Promise<ListedOperation[]> {
    const query = this.claims
      .createQueryBuilder('c')
      .leftJoinAndMapOne('c.operation', OperationEntity, 'o', 'o.operationId = c.operationId')
      .where('c.owner = :owner', { owner })
      .andWhere(`(o.operationId IS NOT NULL OR ${IS_ABOUT_TO_BEGIN})`)
      .orderBy('c.claimed_at', 'DESC')
      .addOrderBy('c.operation_id', 'DESC')
      .limit(limit);
    if (after !== undefined) {
      query.andWhere(follows(LIST_KEYS, FOLLOWS.desc), keysetParameters(LIST_KEYS, after));
    }
    const rows: (ExportClaim & { readonly operation?: OperationEntity | null })[] = await query.getMany();
    return rows.map(({ operation, ...claim }) => ({
      operation: operation ? toOperation(operation) : notBegun(claim),
      claimedAt: claim.claimedAt,
    }));
  }

  /** No longer about to begin. Who it belongs to stays known: its start may have been heard after all. */
  async doubt(operationId: string): Promise<void> {
    const claimedAt = (): string => `claimed_at - ${SILENT_SECONDS + 1}`; // it is rounded
    await this.claims.update({ operationId }, { claimedAt });
  }
}

function notBegun({ operationId, type, requestDigest, claimedAt }: ExportClaim): Operation {
  return { operationId, type, requestDigest, state: acceptedAt(claimedAt), isFileRemoved: false };
}

async function findClaim(manager: EntityManager, operationId: string): Promise<Claimed | undefined> {
  const claim = await manager.findOneBy(ExportClaim, { operationId });
  return claim === null ? undefined : { operationId, maxNodeCalls: claim.maxNodeCalls };
}

/** All that run or have files. */
function findExports(manager: EntityManager, owner: string): Promise<ClaimedExport[]> {
  return ownedBy(manager, owner)
    .select('c.operationId', 'operationId')
    .addSelect("encode(c.requestDigest, 'hex')", 'requestDigest')
    .addSelect(IS_RUNNING, 'isRunning')
    .addSelect('coalesce(o.byteCount, 0)::float8', 'bytes')
    .addSelect('ceil(o.expiresAt - extract(epoch FROM now()))::float8', 'secondsLeft')
    .andWhere(`(${IS_RUNNING} OR (o.status LIKE 'COMPLETED%' AND NOT o.filesRemoved))`)
    .getRawMany<ClaimedExport>();
}

async function sumCalls(manager: EntityManager, owner: string): Promise<CalledToday> {
  const calls = `CASE WHEN ${IS_RUNNING} THEN c.maxNodeCalls ELSE c.nodeCalls END`;
  const row = await ownedBy(manager, owner)
    .select(`coalesce(sum(${calls}), 0)::float8`, 'calledToday')
    .addSelect(`ceil(extract(epoch FROM ${TODAY} + interval '24 hours' - now()))::float8`, 'secondsLeftToday')
    .andWhere(`c.claimedAt >= extract(epoch FROM ${TODAY})`)
    .getRawOne<CalledToday>();
  if (row === undefined) throw new Error('a sum has a row');
  return row;
}

function ownedBy(manager: EntityManager, owner: string): SelectQueryBuilder<ExportClaim> {
  return manager
    .createQueryBuilder(ExportClaim, 'c')
    .leftJoin(OperationEntity, 'o', 'o.operationId = c.operationId')
    .where('c.owner = :owner', { owner });
}
