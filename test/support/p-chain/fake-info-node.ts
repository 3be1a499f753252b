import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import type { PeerAddress } from '../../../src/avalanche/p2p/network/address.js';
import { LOCAL_NETWORK_ID } from '../../../sandbox/generated/p-chain-generator.js';

const CallSchema = z.object({
  id: z.number(),
  method: z.string(),
  params: z.object({ nodeIDs: z.array(z.string()).optional() }),
});

/** Enough of a node's `info` for a client of its peers: which these are, and which version it runs. Stopped with `close`. */
export class FakeInfoNode {
  /** Undefined: it does not say, as public endpoints may do. */
  version: string | undefined;
  versionCalls = 0;
  peers: readonly PeerAddress[] = [];
  networkId = LOCAL_NETWORK_ID;
  tellsPeers = true;
  /** The node ids that `info.peers` was asked for, call by call; none for all. */
  readonly peersCalls: string[][] = [];
  private readonly server = createServer((request, response) => {
    void readCall(request).then(({ id, method, params }) => {
      const result = this.answer(method, params.nodeIDs ?? []);
      const error = { code: -32601, message: 'no such method' };
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }),
      );
    });
  });

  static async start(version: string): Promise<FakeInfoNode> {
    const node = new FakeInfoNode();
    node.version = version;
    await new Promise<void>((resolve) => node.server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(method: string, nodeIds: readonly string[]): object | undefined {
    switch (method) {
      case 'info.getNetworkID':
        return { networkID: String(this.networkId) };
      case 'info.getNodeVersion':
        this.versionCalls += 1;
        return this.version === undefined ? undefined : { version: this.version };
      case 'info.peers':
        this.peersCalls.push([...nodeIds]);
        if (!this.tellsPeers) return undefined;
        return {
          peers: this.peers.map(({ nodeId, host, port }) => ({
            nodeID: nodeId,
            ip: hostAndPort(host, port),
            publicIP: hostAndPort(host, port),
            version: 'avalanchego/1.15.0',
          })),
        };
      default:
        return undefined;
    }
  }
}

function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

async function readCall(request: IncomingMessage): Promise<z.infer<typeof CallSchema>> {
  return CallSchema.parse(await json(request));
}
