import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { PeerAddress } from '../../src/avalanche/p2p/network/address.js';
import { onCleanup } from './harness/cleanup.js';

const PeersParamsSchema = z.object({ nodeIDs: z.array(z.string()).default([]) });

/** Answers of a node about itself and its peers. */
export interface NodeInfo {
  version: unknown;
  peers: readonly PeerAddress[];
  /** The node ids that `info.peers` was asked for, call by call; none for all. */
  readonly peersCalls: (readonly string[])[];
}

/** A node of peers that are not the sandbox's own. Stopped afterwards. */
export async function startInfoNode(
  given: Partial<NodeInfo>,
  networkId?: number,
): Promise<{ node: Sandbox; info: NodeInfo }> {
  const info: NodeInfo = { version: 'avalanchego/1.15.0', peers: [], peersCalls: [], ...given };
  const answers = {
    'info.getNodeVersion': () => ({ version: info.version }),
    'info.peers': (params: unknown) => {
      info.peersCalls.push(PeersParamsSchema.parse(params).nodeIDs);
      return { peers: info.peers.map(describe) };
    },
  };
  const node = await startSandbox({
    validators: 1,
    recording: null,
    node: { answers },
    ...(networkId === undefined ? {} : { networkId }),
  });
  onCleanup(() => node.stop());
  return { node, info };
}

function describe({ nodeId, host, port }: PeerAddress): object {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return { nodeID: nodeId, ip: address, publicIP: address, version: 'avalanchego/1.15.0' };
}
