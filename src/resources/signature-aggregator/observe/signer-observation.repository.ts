import { Injectable } from '@nestjs/common';
import { toHex } from '../../../avalanche/ids/hex.js';
import { idFromString } from '../../../avalanche/ids/id.js';
import { nodeIdFromString, nodeIdToString } from '../../../avalanche/ids/node-id.js';
import { arrayLiteral } from '../../../platform/database/array-literal.js';
import { Database } from '../../../platform/database/database.js';

/** Which validator. Ids as text. */
export interface SignerName {
  readonly subnetId: string;
  readonly nodeId: string;
}

export interface SignerConnection extends SignerName {
  readonly isConnected: boolean;
  readonly connection: string;
  readonly version: string | null;
  readonly addresses: readonly string[];
}

/** Times are ages in milliseconds, since clocks differ. */
export interface SignerOutcome extends SignerName {
  readonly answeredAgoMs: number | null;
  readonly latencyMs: number | null;
  readonly signedAgoMs: number | null;
  readonly refusedAgoMs: number | null;
  readonly refusal: string | null;
  readonly isOwnRefusal: boolean | null;
  readonly wrongKeyAgoMs: number | null;
}

/** As it is read: times in UNIX seconds. */
export interface ObservedSigner {
  readonly nodeId: string;
  /** Whether a process looks after it at present. */
  readonly isFresh: boolean;
  readonly connected: boolean;
  readonly since: number;
  readonly connection: string;
  readonly version: string | null;
  readonly addresses: readonly string[];
  readonly answeredAt: number | null;
  readonly latencyMs: number | null;
  /** Of a signature that was verified. */
  readonly signedAt: number | null;
  readonly refusedAt: number | null;
  readonly refusal: string | null;
  readonly isOwnRefusal: boolean | null;
  /** While no later signature was right. */
  readonly wrongKeyAt: number | null;
}

/** Unchanged rows are written so often. */
const REFRESHED = `interval '30 seconds'`;
/** Observations that no process has confirmed for so long are over. */
const STALE = `interval '90 seconds'`;
const KEPT = `interval '7 days'`;

const ago = (name: string): string => `now() - input.${name} * interval '1 millisecond'`;
const newest = (name: string): string => `greatest(known.${name}, EXCLUDED.${name})`;
const seconds = (name: string): string => `extract(epoch FROM ${name})::float8`;

/** By the clock of Postgres. Rows in order, so that processes which write at the same time wait for each other in one direction. */
@Injectable()
export class SignerObservationRepository {
  constructor(private readonly database: Database) {}

  /**
   * That a validator is not connected is believed of a process which has lost it (`isLost`), and of any other where no process is
   * connected to it.
   */
  async saveConnections(
    network: string,
    rows: readonly SignerConnection[],
    { isLost }: { isLost: boolean },
  ): Promise<void> {
    if (rows.length === 0) return;
    const wasSeen = `known.seen_at > now() - ${STALE}`;
    await this.database.execute({
      text: `INSERT INTO signer_observations AS known
         (network, subnet_id, node_id, connected, since, seen_at, connection, version, addresses)
       SELECT $1, subnet_id, node_id, connected, now(), CASE WHEN connected THEN now() END, connection, version,
              string_to_array(addresses, ' ')
         FROM unnest($3::bytea[], $4::bytea[], $5::boolean[], $6::text[], $7::text[], $8::text[])
           AS input (subnet_id, node_id, connected, connection, version, addresses)
        ORDER BY subnet_id, node_id
       ON CONFLICT (network, subnet_id, node_id) DO UPDATE SET connected = EXCLUDED.connected,
         since = CASE WHEN known.connected = EXCLUDED.connected AND (NOT known.connected OR ${wasSeen}) THEN known.since
           WHEN EXCLUDED.connected OR ${wasSeen} THEN now() ELSE coalesce(known.seen_at, now()) END,
         seen_at = coalesce(EXCLUDED.seen_at, known.seen_at), connection = EXCLUDED.connection,
         version = coalesce(EXCLUDED.version, known.version), addresses = EXCLUDED.addresses, updated_at = now()
        WHERE ($2 OR EXCLUDED.connected OR NOT known.connected OR NOT ${wasSeen})
          AND (known.connected <> EXCLUDED.connected OR known.connection <> EXCLUDED.connection
            OR known.updated_at < now() - ${REFRESHED})`,
      values: [
        network,
        isLost,
        ...names(rows),
        rows.map(({ isConnected }) => isConnected),
        rows.map(({ connection }) => connection),
        rows.map(({ version }) => version),
        rows.map(({ addresses }) => addresses.join(' ')),
      ],
    });
  }

  /** A validator that is in no set which is kept connected has nothing but this. */
  async saveOutcomes(network: string, rows: readonly SignerOutcome[]): Promise<void> {
    if (rows.length === 0) return;
    await this.database.execute({
      text: `INSERT INTO signer_observations AS known (network, subnet_id, node_id, connected, since, connection, addresses,
         answered_at, latency_ms, signed_at, refused_at, refusal, is_own_refusal, wrong_key_at)
       SELECT $1, subnet_id, node_id, false, now(), 'not tracked', '{}', ${ago('answered')}, latency, ${ago('signed')},
              ${ago('refused')}, refusal, is_own, ${ago('wrong')}
         FROM unnest($2::bytea[], $3::bytea[], $4::float8[], $5::int[], $6::float8[], $7::float8[], $8::text[], $9::boolean[],
           $10::float8[]) AS input (subnet_id, node_id, answered, latency, signed, refused, refusal, is_own, wrong)
        ORDER BY subnet_id, node_id
       ON CONFLICT (network, subnet_id, node_id) DO UPDATE SET answered_at = ${newest('answered_at')},
         latency_ms = coalesce(EXCLUDED.latency_ms, known.latency_ms), signed_at = ${newest('signed_at')},
         refused_at = ${newest('refused_at')}, refusal = coalesce(EXCLUDED.refusal, known.refusal),
         is_own_refusal = coalesce(EXCLUDED.is_own_refusal, known.is_own_refusal), wrong_key_at = ${newest('wrong_key_at')}`,
      values: [
        network,
        ...names(rows),
        rows.map(({ answeredAgoMs }) => answeredAgoMs),
        rows.map(({ latencyMs }) => latencyMs),
        rows.map(({ signedAgoMs }) => signedAgoMs),
        rows.map(({ refusedAgoMs }) => refusedAgoMs),
        rows.map(({ refusal }) => refusal),
        rows.map(({ isOwnRefusal }) => isOwnRefusal),
        rows.map(({ wrongKeyAgoMs }) => wrongKeyAgoMs),
      ],
    });
  }

  async removeOld(network: string): Promise<void> {
    await this.database.execute({
      text: `DELETE FROM signer_observations WHERE network = $1 AND updated_at < now() - ${KEPT}`,
      values: [network],
    });
  }

  async list(network: string, subnetId: string): Promise<ObservedSigner[]> {
    const rows = await this.database.query<Omit<ObservedSigner, 'nodeId'> & { nodeId: Buffer }>({
      text: `SELECT node_id AS "nodeId", updated_at > now() - ${STALE} AND (NOT connected OR seen_at > now() - ${STALE}) AS "isFresh",
              connected, ${seconds('since')} AS since, connection, version, addresses, ${seconds('answered_at')} AS "answeredAt",
              latency_ms AS "latencyMs", ${seconds('signed_at')} AS "signedAt", ${seconds('refused_at')} AS "refusedAt",
              refusal, is_own_refusal AS "isOwnRefusal",
              ${seconds(`CASE WHEN wrong_key_at > coalesce(signed_at, '-infinity') THEN wrong_key_at END`)} AS "wrongKeyAt"
         FROM signer_observations WHERE network = $1 AND subnet_id = $2`,
      values: [network, Buffer.from(idFromString(subnetId))],
    });
    return rows.map((row) => ({ ...row, nodeId: nodeIdToString(row.nodeId) }));
  }
}

function names(rows: readonly SignerName[]): [string, string] {
  return [
    arrayLiteral(
      'bytea',
      rows.map(({ subnetId }) => toHex(idFromString(subnetId))),
    ),
    arrayLiteral(
      'bytea',
      rows.map(({ nodeId }) => toHex(nodeIdFromString(nodeId))),
    ),
  ];
}
