import { groupBy } from '../../avalanche/group-by.js';
import { Injectable } from '@nestjs/common';
import { toHex } from '../../avalanche/ids/hex.js';
import { nodeIdFromString } from '../../avalanche/ids/node-id.js';
import type { Network } from '../../platform/networks/network.js';
import { OpenPeers } from '../../platform/networks/open-peers.js';
import { Geolocator } from './observations/geolocator.js';
import { observePeers, observeNode, type NodeObservation, type SeenNode } from './observations/look.js';
import { type DescribedRow, ObservationRepository } from './observations/observation.repository.js';

/** Hours that reachability and benched shares speak of, the running one included. */
export const OBSERVED_HOURS = 24;
const HOUR_MS = 3_600_000;
/** The observer where no node is. */
const OURSELVES = 'own connections';

export interface PollResult {
  /** Nodes that reported anything. */
  readonly nodesAsked: number;
  /** Those of them that listed their peers. */
  readonly peerListsRead: number;
  /** Validators whose uptime was reported. */
  readonly validators: number;
}

interface NodesObservation extends NodeObservation {
  readonly observer: string;
}

/** Facts about validators that are in no block: their uptime and reachability as nodes see them, their version and location. */
@Injectable()
export class ValidatorPoller {
  constructor(
    private readonly observations: ObservationRepository,
    private readonly geolocator: Geolocator,
    private readonly peers: OpenPeers,
  ) {}

  /** Without a node by our own connections. Throws RpcError when no node answers; one that is away does not count. */
  async poll(network: Network, signal: AbortSignal, now = Date.now()): Promise<PollResult> {
    const looks = network.hasNode
      ? await observeFromNodes(network, signal)
      : this.observeFromHere(network.name);
    const uptimes = medians(looks.flatMap(({ uptimes: reported }) => [...(reported ?? [])]));
    await this.observations.saveUptimes(
      network.name,
      [...uptimes].map(([nodeId, uptime]) => ({ nodeId: toRowId(nodeId), uptime })),
    );
    await this.saveSeen(network.name, looks, Math.floor(now / HOUR_MS));
    const peerListsRead = looks.filter(({ seen }) => seen !== undefined).length;
    return { nodesAsked: looks.length, peerListsRead, validators: uptimes.size };
  }

  private observeFromHere(network: string): NodesObservation[] {
    const peers = this.peers.of(network);
    return peers === undefined ? [] : [{ observer: OURSELVES, ...observePeers(peers) }];
  }

  private async saveSeen(network: string, looks: readonly NodesObservation[], hour: number): Promise<void> {
    for (const { observer, seen } of looks) {
      if (seen === undefined) continue;
      const rows = seen.map((node) => ({ ...node, nodeId: toRowId(node.nodeId) }));
      await this.observations.countLook({ network, observer, hour }, rows);
    }
    await this.observations.sumUp(network, hour - OBSERVED_HOURS + 1);
    await this.observations.describe(network, await this.described(looks));
  }

  /** Nodes in the order of the configuration: the first that knows a version or a location provides it. */
  private async described(looks: readonly NodesObservation[]): Promise<DescribedRow[]> {
    const byNodeId = new Map<string, SeenNode>();
    for (const node of looks.flatMap(({ seen }) => seen ?? [])) {
      const known = byNodeId.get(node.nodeId);
      byNodeId.set(node.nodeId, {
        ...node,
        version: known?.version ?? node.version,
        addresses: [...(known?.addresses ?? []), ...node.addresses],
      });
    }
    return Promise.all(
      [...byNodeId.values()].map(async ({ nodeId, version, addresses }) => ({
        nodeId: toRowId(nodeId),
        version,
        place: await this.geolocator.locate(addresses),
      })),
    );
  }
}

/** Throws RpcError. */
async function observeFromNodes({ rpc: all }: Network, signal: AbortSignal): Promise<NodesObservation[]> {
  const answers = await Promise.allSettled(
    all.perNode().map(async (rpc): Promise<NodesObservation> => {
      return { observer: rpc.hosts.join(), ...(await observeNode(rpc, signal)) };
    }),
  );
  const looks = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const [first] = answers;
  if (looks.length === 0 && first?.status === 'rejected') throw first.reason;
  return looks;
}

function toRowId(nodeId: string): string {
  return toHex(nodeIdFromString(nodeId));
}

/** By node. The asked nodes differ: each measures only while it is up itself. One that sees all peers at 0 or 100 does not decide. */
export function medians(uptimes: Iterable<readonly [nodeId: string, uptime: number]>): Map<string, number> {
  const byNodeId = groupBy(uptimes, ([nodeId]) => nodeId);
  return new Map([...byNodeId].map(([nodeId, own]) => [nodeId, median(own.map(([, uptime]) => uptime))]));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}
