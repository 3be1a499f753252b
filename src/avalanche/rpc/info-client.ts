import { z, type ZodType } from 'zod';
import type { CallOptions, JsonRpcClient } from './json-rpc-client.js';
import {
  DecimalSchema,
  IdSchema,
  NodeIdSchema,
  PublicKeyBytesSchema,
  HexSchema,
  TimeSchema,
  Uint32Schema,
  Uint64Schema,
} from './schemas.js';

const INFO_PATH = '/ext/info';

/** Far more than any node keeps connections. */
const MAX_PEERS = 50_000;

const NodeIdentitySchema = z
  .object({
    nodeID: NodeIdSchema,
    nodePOP: z.object({ publicKey: PublicKeyBytesSchema, proofOfPossession: HexSchema }).optional(),
  })
  .transform(({ nodeID, nodePOP }) => ({
    nodeId: nodeID,
    publicKey: nodePOP?.publicKey,
    proofOfPossession: nodePOP?.proofOfPossession,
  }));

const NodeVersionSchema = z.object({
  version: z.string(),
  databaseVersion: z.string().optional(),
  rpcProtocolVersion: Uint32Schema.optional(),
  gitCommit: z.string().optional(),
  vmVersions: z.record(z.string(), z.string()).optional(),
});

const PeerInfoSchema = z
  .object({
    nodeID: NodeIdSchema,
    ip: z.string(),
    publicIP: z.string(),
    version: z.string(),
    upgradeTime: Uint64Schema.optional(),
    observedUptime: DecimalSchema.optional(),
    trackedSubnets: z.array(IdSchema).nullish(),
    benched: z.array(z.string()).nullish(),
  })
  .transform((peer) => ({
    nodeId: peer.nodeID,
    /** The address this connection really has, e.g. of an inbound connection: not for dialling. */
    ip: peer.ip,
    /** `host:port` that the peer claims to listen on; empty or absurd when it claims none. */
    publicIp: peer.publicIP,
    version: peer.version,
    upgradeTime: peer.upgradeTime,
    observedUptime: peer.observedUptime,
    trackedSubnets: peer.trackedSubnets ?? [],
    benched: peer.benched ?? [],
  }));

/** Times of upgrades by their names, as a node has them in its configuration and reports them. */
export const UpgradesSchema = z.record(z.string(), z.unknown()).transform((config, context) => {
  const timesSeconds = new Map<string, number>();
  for (const [key, value] of Object.entries(config)) {
    if (!key.endsWith('Time')) continue;
    const time = TimeSchema.safeParse(value);
    if (!time.success) {
      context.addIssue('an upgrade time is not a time');
      return z.NEVER;
    }
    timesSeconds.set(key.slice(0, -'Time'.length), time.data);
  }
  const duration = config['graniteEpochDuration'];
  return { timesSeconds, graniteEpochDurationMs: typeof duration === 'number' ? duration / 1e6 : undefined };
});

export type NodeIdentity = z.infer<typeof NodeIdentitySchema>;
export type NodeVersion = z.infer<typeof NodeVersionSchema>;
export type PeerInfo = z.infer<typeof PeerInfoSchema>;
/** `timesSeconds` is keyed by upgrade name: `durango`, `etna`, `granite`, … */
export type Upgrades = z.infer<typeof UpgradesSchema>;

/**
 * `info.*` of avalanchego v1.14.2 (api/info/service.go). Every method rejects with RpcError; public endpoints switch
 * some of them off (`getNodeId`, `getNodeIp`), which shows as `NODE_REJECTED` or HTTP 403.
 */
export class InfoClient {
  constructor(private readonly rpc: JsonRpcClient) {}

  async getNetworkId(options?: CallOptions): Promise<number> {
    const schema = z.object({ networkID: Uint32Schema });
    return (await this.call('getNetworkID', {}, schema, options)).networkID;
  }

  async getNodeId(options?: CallOptions): Promise<NodeIdentity> {
    return this.call('getNodeID', {}, NodeIdentitySchema, options);
  }

  /** `host:port` of the node's own staking port. */
  async getNodeIp(options?: CallOptions): Promise<string> {
    return (await this.call('getNodeIP', {}, z.object({ ip: z.string() }), options)).ip;
  }

  /** `version` reads `avalanchego/1.15.0`. */
  async getNodeVersion(options?: CallOptions): Promise<NodeVersion> {
    return this.call('getNodeVersion', {}, NodeVersionSchema, options);
  }

  /** The peers this node is connected to, without itself; all of them when `nodeIds` is empty. */
  async peers({ nodeIds = [], signal }: { nodeIds?: readonly string[] } & CallOptions = {}): Promise<
    PeerInfo[]
  > {
    const schema = z.object({ peers: z.array(PeerInfoSchema).max(MAX_PEERS) });
    return (await this.call('peers', { nodeIDs: nodeIds }, schema, { signal })).peers;
  }

  async getBlockchainId({ alias, signal }: { alias: string } & CallOptions): Promise<string> {
    const schema = z.object({ blockchainID: IdSchema });
    return (await this.call('getBlockchainID', { alias }, schema, { signal })).blockchainID;
  }

  async isBootstrapped({ chain, signal }: { chain: string } & CallOptions): Promise<boolean> {
    const schema = z.object({ isBootstrapped: z.boolean() });
    return (await this.call('isBootstrapped', { chain }, schema, { signal })).isBootstrapped;
  }

  async upgrades(options?: CallOptions): Promise<Upgrades> {
    return this.call('upgrades', {}, UpgradesSchema, options);
  }

  private call<T>(method: string, params: object, schema: ZodType<T>, options?: CallOptions): Promise<T> {
    return this.rpc.call({
      path: INFO_PATH,
      method: `info.${method}`,
      params,
      schema,
      signal: options?.signal,
    });
  }
}
