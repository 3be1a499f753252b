import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { hrpOfNetwork } from '../../avalanche/ids/address.js';
import { IdError } from '../../avalanche/ids/id.error.js';
import { nodeIdFromString } from '../../avalanche/ids/node-id.js';
import { parsePeer } from '../../avalanche/p2p/network/address.js';
import { blockchainsOf, parseGenesis } from '../../avalanche/platformvm/genesis/genesis.js';
import type { Id } from '../../avalanche/platformvm/ids.js';
import { toUpgradeTimes, type UpgradeTimes } from '../../avalanche/platformvm/state/upgrade-times.js';
import { AVM_ID, EVM_ID } from '../../avalanche/platformvm/vm-ids.js';
import { UpgradesSchema } from '../../avalanche/rpc/info-client.js';
import { networkSlot } from '../database/chains.js';
import { isPublicNetworkId, type NetworkName, PUBLIC_NETWORKS } from './network-names.js';
import { expandUrls, MAX_URLS, UrlTemplateSchema } from './url-template.js';
import { areUnique, parseJson, parseSettings, textOf } from './parse-settings.js';

/** Facts of a network that is not known to the project. */
export interface OwnNetwork {
  /** Human-readable part of its addresses. */
  readonly hrp: string;
  /** Of the P-chain: bytes. */
  readonly genesis: Uint8Array;
  readonly ids: Readonly<Record<'avaxAssetId' | 'xChainId' | 'cChainId', Id>>;
  /** Without them, its nodes report them. */
  readonly upgrades: UpgradeTimes | undefined;
}

/** A network of the file. */
export interface FileNetwork {
  readonly name: NetworkName;
  readonly networkId: number;
  readonly nodeUrls: readonly string[];
  /** `NodeID-…@host:port` */
  readonly peers: readonly string[];
  readonly own: OwnNetwork;
}

const MAX_NETWORKS = 64;
export const MAX_NETWORK_ID = 2 ** 32 - 1;
/** Far more than mainnet's genesis has. */
const MAX_GENESIS_BYTES = 16 * 1024 * 1024;
/** The longest name of a table or index with its network has to fit into the 63 bytes of Postgres. */
const NAME = /^[a-z][a-z0-9]{0,15}$/;

/** Other names for networks, and parts of the health answer, among which networks stand. */
const TAKEN_NAMES: ReadonlySet<string> = new Set([
  ...PUBLIC_NETWORKS,
  'testnet',
  'sandbox',
  'database',
  'temporal',
  'workers',
]);

/** `NodeID-…@host:port` */
export const PeerSchema = z
  .string()
  .refine(
    (peer) => parsePeer(peer).some(({ nodeId }) => isNodeId(nodeId)),
    'must look like NodeID-…@host:port, with the right characters and a port',
  );
export const MAX_LISTED_PEERS = 10_000;

function isNodeId(text: string): boolean {
  try {
    return nodeIdFromString(text).length > 0;
  } catch (error) {
    if (error instanceof IdError) return false;
    throw error;
  }
}

const NetworkSchema = z.strictObject({
  name: z
    .string()
    .regex(NAME, 'must be lower-case letters and digits, a letter first, 16 at most')
    .refine((name) => !TAKEN_NAMES.has(name), 'has a meaning of its own: choose another'),
  networkId: z
    .number()
    .int()
    .min(1)
    .max(MAX_NETWORK_ID)
    .refine((id) => !isPublicNetworkId(id), 'is that of mainnet or fuji, which are served by their names'),
  hrp: z
    .string()
    .regex(/^[a-z]{1,30}$/, 'must be lower-case letters')
    .optional(),
  nodeUrls: z.array(UrlTemplateSchema).max(MAX_URLS).default([]),
  bootstrappers: z.array(PeerSchema).max(MAX_LISTED_PEERS).default([]),
  genesisFile: z.string().min(1),
  upgrades: UpgradesSchema.optional(),
});

const FileSchema = z
  .strictObject({ networks: z.array(NetworkSchema).max(MAX_NETWORKS) })
  .superRefine(({ networks }, context) => {
    const clash = (what: string, values: readonly unknown[]): void => {
      if (!areUnique(values)) context.addIssue(what);
    };
    const names = networks.map(({ name }) => name);
    clash('two networks have one name', names);
    clash(
      'two networks have one networkId',
      networks.map(({ networkId }) => networkId),
    );
    clash('the keys of two names are equal: rename one', [...new Set(names)].map(networkSlot));
  });

const GenesisFileSchema = z.strictObject({ gzippedBase64: z.base64() });

/** Reads NETWORKS_FILE, and the files of genesis that it names beside itself. Throws Error that names what is wrong. */
export function readNetworksFile(file: string, env: NodeJS.ProcessEnv): FileNetwork[] {
  const path = resolve(file);
  try {
    return parseNetworks(parseJson(readFileSync(path, 'utf8')), (name) => resolve(dirname(path), name), env);
  } catch (error) {
    throw new Error(`NETWORKS_FILE: ${path} cannot be used: ${textOf(error)}`, { cause: error });
  }
}

function parseNetworks(
  content: unknown,
  place: (file: string) => string,
  env: NodeJS.ProcessEnv,
): FileNetwork[] {
  return parseSettings(FileSchema, content).networks.map((network) => {
    try {
      return toNetwork(network, place(network.genesisFile), env);
    } catch (error) {
      throw new Error(`network ${network.name}: ${textOf(error)}`, { cause: error });
    }
  });
}

function toNetwork(
  { name, networkId, hrp, bootstrappers, upgrades, ...given }: z.output<typeof NetworkSchema>,
  genesisFile: string,
  env: NodeJS.ProcessEnv,
): FileNetwork {
  const nodeUrls = readUrls(given.nodeUrls, env);
  if (nodeUrls.length === 0 && bootstrappers.length === 0) {
    throw new Error('it needs nodeUrls whose variables are set, or bootstrappers');
  }
  const genesis = readGenesis(genesisFile);
  return {
    name,
    networkId,
    nodeUrls,
    peers: bootstrappers,
    own: {
      hrp: hrp ?? hrpOfNetwork(networkId),
      genesis,
      ids: idsOf(genesis, networkId),
      upgrades: upgrades && toUpgradeTimes(upgrades.timesSeconds),
    },
  };
}

function readUrls(templates: readonly string[], env: NodeJS.ProcessEnv): string[] {
  try {
    return expandUrls(templates, env);
  } catch (error) {
    throw new Error(`nodeUrls: ${textOf(error)}`, { cause: error });
  }
}

/** In the form of the project's own files of genesis. */
function readGenesis(path: string): Uint8Array {
  try {
    const { gzippedBase64 } = GenesisFileSchema.parse(parseJson(readFileSync(path, 'utf8')));
    const bytes = gunzipSync(Buffer.from(gzippedBase64, 'base64'), { maxOutputLength: MAX_GENESIS_BYTES });
    return new Uint8Array(bytes);
  } catch (error) {
    throw new Error(`genesisFile: ${path} is no genesis as generate.go writes it`, { cause: error });
  }
}

/** They follow from the genesis. */
function idsOf(bytes: Uint8Array, networkId: number): OwnNetwork['ids'] {
  const genesis = parseGenesis(bytes);
  if (genesis.networkId !== networkId) {
    throw new Error(`genesisFile: it is of network ${genesis.networkId}, not ${networkId}`);
  }
  const chains = blockchainsOf(genesis);
  const idOf = (vmId: Id): Id | undefined => chains.find((chain) => chain.vmId === vmId)?.blockchainId;
  const [xChainId, cChainId] = [idOf(AVM_ID), idOf(EVM_ID)];
  if (xChainId === undefined || cChainId === undefined) {
    throw new Error('genesisFile: it has no X-chain or no C-chain');
  }
  return { avaxAssetId: genesis.avaxAssetId, xChainId, cChainId };
}
