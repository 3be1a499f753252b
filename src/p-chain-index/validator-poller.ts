import { Injectable } from '@nestjs/common';
import { toHex } from '../avalanche/ids/hex.js';
import { idFromString } from '../avalanche/ids/id.js';
import type { JsonRpcClient } from '../avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../avalanche/rpc/platform-client.js';
import { Database } from '../database/database.js';
import type { Network } from '../networks/network.js';
import { id, record } from '../indexing/sql/field.js';
import { columnLiterals, unnest } from '../indexing/sql/table.js';
import { OBSERVATION } from './sql/staker-tables.js';

interface Observation {
  readonly txId: string;
  readonly nodeId: string;
  readonly uptime: number;
}

export interface PollResult {
  readonly nodesAsked: number;
  readonly validators: number;
}

const OBSERVED = record({ txId: id('tx_id'), observation: OBSERVATION });

/** What no block tells of validators: how long nodes saw them, and what they run. */
@Injectable()
export class ValidatorPoller {
  constructor(private readonly database: Database) {}

  /** Throws RpcError when no node answers; one that is away only has no say. */
  async poll(network: Network, signal: AbortSignal): Promise<PollResult> {
    const clients = network.rpc.perNode();
    const answers = await Promise.allSettled(clients.map((rpc) => observe(rpc, signal)));
    const views = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const [first] = answers;
    if (views.length === 0 && first?.status === 'rejected') throw first.reason;
    const peers = await network.info.peers({ signal });
    const versions = new Map(peers.map(({ nodeId, version }) => [nodeId, version]));
    const validators = medians(views.flat());
    await this.save(network.name, validators, versions);
    return { nodesAsked: views.length, validators: validators.length };
  }

  /**
   * Rows that the index is writing at this moment are left for the next poll: neither waits for the other, so they
   * cannot block each other.
   */
  private async save(
    network: string,
    validators: readonly Observation[],
    versions: ReadonlyMap<string, string>,
  ): Promise<void> {
    const rows = validators.map(({ txId, nodeId, uptime }) => ({
      txId: toHex(idFromString(txId)),
      observation: { uptime, version: versions.get(nodeId) ?? null },
    }));
    await this.database.execute({
      text: `UPDATE validators SET uptime_performance = input.uptime_performance,
         node_version = coalesce(input.node_version, validators.node_version)
       FROM ${unnest(OBSERVED.columns, 2)}
       WHERE network = $1 AND validators.tx_id = input.tx_id AND status = 'active'
         AND (validators.uptime_performance, validators.node_version)
           IS DISTINCT FROM (input.uptime_performance, coalesce(input.node_version, validators.node_version))
         AND validators.tx_id IN (
           SELECT tx_id FROM validators
           WHERE network = $1 AND status = 'active' AND tx_id = ANY($2::bytea[]) FOR UPDATE SKIP LOCKED
         )`,
      values: [network, ...columnLiterals(OBSERVED.columns, rows)],
    });
  }
}

/** Only the primary network's validators have an uptime. */
async function observe(rpc: JsonRpcClient, signal: AbortSignal): Promise<Observation[]> {
  const validators = await new PlatformClient(rpc).getCurrentValidators({ signal });
  return validators.flatMap((validator) =>
    validator.kind === 'staker' && validator.uptimePercentage !== undefined
      ? [{ txId: validator.txId, nodeId: validator.nodeId, uptime: validator.uptimePercentage }]
      : [],
  );
}

/** Nodes differ: each counts only while it was up itself. One that sees everybody at 0 or 100 does not decide. */
export function medians(observations: readonly Observation[]): Observation[] {
  const byTxId = new Map<string, { nodeId: string; uptimes: number[] }>();
  for (const { txId, nodeId, uptime } of observations) {
    const known = byTxId.get(txId);
    if (known === undefined) byTxId.set(txId, { nodeId, uptimes: [uptime] });
    else known.uptimes.push(uptime);
  }
  return [...byTxId].map(([txId, { nodeId, uptimes }]) => ({ txId, nodeId, uptime: median(uptimes) }));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}
