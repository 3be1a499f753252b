import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toHex } from '../avalanche/ids/hex.js';
import { idFromString } from '../avalanche/ids/id.js';
import type { JsonRpcClient } from '../avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../avalanche/rpc/platform-client.js';
import type { Network } from '../networks/network.js';
import { arrayLiteral } from '../indexing/sql/array-literal.js';

interface Observation {
  readonly txId: string;
  readonly nodeId: string;
  readonly uptime: number;
}

export interface PollResult {
  readonly nodesAsked: number;
  readonly validators: number;
}

/** What no block tells of validators: how long nodes saw them, and what they run. */
@Injectable()
export class ValidatorPoller {
  constructor(private readonly dataSource: DataSource) {}

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
    await this.dataSource.query(
      `UPDATE validators SET uptime_performance = input.uptime, node_version = coalesce(input.version, node_version)
       FROM unnest($2::bytea[], $3::double precision[], $4::text[]) AS input (tx_id, uptime, version)
       WHERE network = $1 AND validators.tx_id = input.tx_id AND status = 'active'
         AND (uptime_performance, node_version)
           IS DISTINCT FROM (input.uptime, coalesce(input.version, node_version))
         AND validators.tx_id IN (
           SELECT tx_id FROM validators
           WHERE network = $1 AND status = 'active' AND tx_id = ANY($2::bytea[]) FOR UPDATE SKIP LOCKED
         )`,
      [
        network,
        arrayLiteral(
          'bytea',
          validators.map(({ txId }) => toHex(idFromString(txId))),
        ),
        arrayLiteral(
          'numeric',
          validators.map(({ uptime }) => uptime),
        ),
        arrayLiteral(
          'text',
          validators.map(({ nodeId }) => versions.get(nodeId) ?? null),
        ),
      ],
    );
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
