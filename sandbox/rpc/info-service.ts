import { z } from 'zod';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { type SimulatedNode, UPGRADE_TIME_SECONDS } from '../peer/simulated-node.js';
import type { RecordedPChain } from '../p-chain/recorded-p-chain.js';
import type { NodeIdentity } from '../world/validator-node.js';
import { formatVersion } from '../world/versions.js';
import type { World } from '../world/world.js';
import { NodeIdsArgument, NoArguments, TextArgument } from './arguments.js';
import { method, type RpcMethods, RpcFault, type RpcService } from './json-rpc-endpoint.js';

export const VM_IDS = {
  avm: 'jvYyfQTxGMJLuGWa55kdP2p2zSUYsQ5Raupu4TW34ZAUBAbtq',
  evm: 'mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6',
  platform: 'rWhpuQPF1kb72esV2momhMuTYGkEb1oL29pt2EBXWmSy4kxnT',
  subnetEvm: 'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy',
} as const;

const FX_IDS = {
  qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT: 'nftfx',
  rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy: 'propertyfx',
  spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ: 'secp256k1fx',
} as const;

const NETWORK_NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'mainnet'],
  [5, 'fuji'],
  [12345, 'local'],
]);

const ACTIVE_SINCE = '2020-12-05T05:00:00Z';
const NOT_SCHEDULED = '9999-12-01T00:00:00Z';

const ACTIVE_UPGRADES = [
  'apricotPhase1Time',
  'apricotPhase2Time',
  'apricotPhase3Time',
  'apricotPhase4Time',
  'apricotPhase5Time',
  'apricotPhasePre6Time',
  'apricotPhase6Time',
  'apricotPhasePost6Time',
  'banffTime',
  'cortinaTime',
  'durangoTime',
  'etnaTime',
  'fortunaTime',
  'graniteTime',
] as const;

/** Those of a local network, unless a recording has others. */
const UPGRADES = {
  ...Object.fromEntries(ACTIVE_UPGRADES.map((name) => [name, ACTIVE_SINCE])),
  apricotPhase4MinPChainHeight: 0,
  cortinaXChainStopVertexID: PRIMARY_NETWORK_ID,
  graniteEpochDuration: 30_000_000_000,
  heliconTime: NOT_SCHEDULED,
};

export interface InfoServiceParts {
  readonly world: World;
  readonly identity: NodeIdentity;
  readonly node: SimulatedNode;
  readonly validators: readonly SimulatedNode[];
  readonly recorded: RecordedPChain | null;
}

/** `info.*` with the shapes of avalanchego v1.14.2 (api/info/service.go). */
export function makeInfoService(parts: InfoServiceParts): RpcService {
  return { name: 'info', methods: makeMethods(parts), missing: new Set(['acps', 'getTxFee', 'uptime']) };
}

function makeMethods(parts: InfoServiceParts): RpcMethods {
  const { world, identity, node, recorded } = parts;
  return new Map([
    ['getNetworkID', method(NoArguments, () => ({ networkID: String(world.networkId) }))],
    ['getNetworkName', method(NoArguments, () => ({ networkName: networkName(world.networkId) }))],
    ['getNodeID', method(NoArguments, () => describeNode(identity))],
    ['getNodeIP', method(NoArguments, () => ({ ip: node.address }))],
    [
      'getNodeVersion',
      method(NoArguments, () => {
        const version = nodeVersion(world);
        return {
          version,
          databaseVersion: 'v1.4.5',
          rpcProtocolVersion: '46',
          gitCommit: '',
          vmVersions: { avm: version, evm: `v${formatVersion(world.versions.node)}`, platform: version },
        };
      }),
    ],
    [
      'getVMs',
      method(NoArguments, () => ({
        vms: {
          [VM_IDS.avm]: ['avm'],
          [VM_IDS.evm]: ['evm'],
          [VM_IDS.platform]: ['platform'],
          [VM_IDS.subnetEvm]: ['subnetevm'],
        },
        fxs: FX_IDS,
      })),
    ],
    ['upgrades', method(NoArguments, () => recorded?.recording.upgrades ?? UPGRADES)],
    [
      'getBlockchainID',
      method(z.object({ alias: TextArgument }), ({ alias }) => ({ blockchainID: lookUp(world, alias) })),
    ],
    [
      'isBootstrapped',
      method(z.object({ chain: TextArgument }), ({ chain }) => isBootstrapped(world, chain)),
    ],
    ['peers', method(z.object({ nodeIDs: NodeIdsArgument }), ({ nodeIDs }) => describePeers(parts, nodeIDs))],
  ]);
}

function nodeVersion({ versions: { node } }: World): string {
  return `${node.name}/${formatVersion(node)}`;
}

function networkName(networkId: number): string {
  return NETWORK_NAMES.get(networkId) ?? `network-${networkId}`;
}

function describeNode({ nodeId, signer }: NodeIdentity) {
  return {
    nodeID: nodeId,
    nodePOP: {
      publicKey: `0x${toHex(signer.publicKey)}`,
      proofOfPossession: `0x${toHex(signer.proofOfPossession())}`,
    },
  };
}

/** The id of a blockchain that this node runs, which are those of the primary network; an id is an alias of itself. */
export function lookUp(world: World, alias: string): string {
  const aliases = new Map([
    ['P', PRIMARY_NETWORK_ID],
    ['platform', PRIMARY_NETWORK_ID],
    ['X', idToString(world.xChainId)],
    ['avm', idToString(world.xChainId)],
    ['C', idToString(world.cChainId)],
    ['evm', idToString(world.cChainId)],
  ]);
  const known = aliases.get(alias) ?? (world.subnetOf(alias) === PRIMARY_NETWORK_ID ? alias : undefined);
  if (known === undefined) throw new RpcFault(`there is no ID with alias: ${alias}`);
  return known;
}

function isBootstrapped(world: World, chain: string) {
  if (chain === '') throw new RpcFault("argument 'chain' not given");
  try {
    lookUp(world, chain);
  } catch {
    throw new RpcFault(`there is no chain with alias/ID '${chain}'`);
  }
  return { isBootstrapped: true };
}

/**
 * The node is connected to every validator that takes connections and has an address, and claims the same of those that were recorded:
 * nobody is there, so they have no address, and a mark that no real node sends.
 */
function describePeers({ world, validators, recorded }: InfoServiceParts, nodeIds: readonly string[]) {
  const wanted = new Set(nodeIds);
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const common = {
    version: nodeVersion(world),
    upgradeTime: Number(UPGRADE_TIME_SECONDS),
    lastSent: now,
    lastReceived: now,
    observedUptime: '100',
    supportedACPs: [],
    objectedACPs: [],
    benched: [],
    simulated: true,
  };
  const reachable = validators
    .filter(({ isListed }) => isListed)
    .map(({ nodeId, address }) => ({
      ...common,
      ip: address,
      publicIP: address,
      nodeID: nodeId,
      trackedSubnets: [PRIMARY_NETWORK_ID, ...(world.tracksL1(nodeId) ? [world.subnetId] : [])].sort(),
    }));
  const known = new Set(reachable.map(({ nodeID }) => nodeID));
  const others = (recorded?.answers.validators[PRIMARY_NETWORK_ID] ?? [])
    .map(({ nodeID }) => String(nodeID))
    .filter((nodeID) => !known.has(nodeID))
    .map((nodeID) => ({ ...common, ip: '', publicIP: '', nodeID, trackedSubnets: [PRIMARY_NETWORK_ID] }));
  const peers = [...reachable, ...others].filter(({ nodeID }) => wanted.size === 0 || wanted.has(nodeID));
  return { numPeers: String(peers.length), peers };
}
