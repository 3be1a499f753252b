import { z } from 'zod';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import { toHex } from '../../avalanche/ids/hex.js';
import { idFromString } from '../../avalanche/ids/id.js';
import { IdError } from '../../avalanche/ids/id.error.js';
import type { NetworkConfig, NetworkName } from '../config/config.module.js';
import { isNetworkName } from '../config/network-names.js';
import { expandUrls, MAX_URLS, UrlTemplateSchema } from '../config/url-template.js';
import { areUnique, parseJson, parseSettings, textOf } from '../config/parse-settings.js';

/** One EVM chain of the configuration. */
export interface EvmChain {
  readonly network: NetworkName;
  /** EVM chain id; at most 2^53 - 1, as EIP-2294 wants it. */
  readonly chainId: bigint;
  /** Cb58. */
  readonly blockchainId: string;
  readonly name: string;
  /** Equal nodes, tried in order. */
  readonly rpcUrls: readonly string[];
  /** First height to index; `tip` for wherever the chain is when the index begins. */
  readonly startHeight: bigint | 'tip';
  readonly nativeSymbol: string;
  readonly nativeDecimals: number;
  /** Whether internal transfers are read with the debug tracer; `auto`: where the nodes have one. */
  readonly traces: 'auto' | 'off';
  /** `logs`: nothing but the watched logs, which is a small part of the work. */
  readonly index: 'full' | 'logs';
  readonly watch: readonly WatchedSet[];
  /** Contracts whose interchain messages are watched. */
  readonly messengers: readonly Address[];
  /** Older blocks are dropped from the index; all are kept when left out. */
  readonly keepDays?: number | undefined;
  /** Whether it is the C-chain of a network of NETWORKS_FILE, by that network's genesis. */
  readonly isOwnCChain?: boolean;
  /** Whether signatures of its messages are collected as soon as they are indexed; not when left out. */
  readonly signOnSight?: boolean | undefined;
}

/** Logs that can be kept as they are: of messengers, and updates of tokens' metadata. */
const WATCHED_SETS = ['messages', 'tokens'] as const;

type WatchedSet = (typeof WATCHED_SETS)[number];

/** The interchain messenger, first version, whose address is the same on every chain. */
export const MESSENGER: Address = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf';

const LOCAL_C_CHAIN_ID = 43112n;
/** Of mainnet, Fuji and local networks. */
const C_CHAIN_IDS: ReadonlySet<bigint> = new Set([43114n, 43113n, LOCAL_C_CHAIN_ID]);

/** Whether the chain is one of a primary network: only those have imports and exports. */
export function isCChain({ chainId, isOwnCChain = false }: CChainMarks): boolean {
  return isOwnCChain || C_CHAIN_IDS.has(chainId);
}

type CChainMarks = Pick<EvmChain, 'chainId' | 'isOwnCChain'>;

/** Whether the chain is of a local network, whose ids follow from no name. */
export function isLocalCChain({ chainId }: Pick<EvmChain, 'chainId'>): boolean {
  return chainId === LOCAL_C_CHAIN_ID;
}

const MAX_CHAINS = 256;
const MAX_MESSENGERS = 16;
/** A century. */
const MAX_KEEP_DAYS = 36_500;
const MAX_CHAIN_ID = BigInt(Number.MAX_SAFE_INTEGER);
/** Of the bigint that Postgres keeps heights in. */
const MAX_HEIGHT = 2n ** 63n - 1n;

/** The node URLs of the chain's network; every other variable is one of the environment. */
const NODE_URL = 'NODE_URL';

const DecimalSchema = z
  .string()
  .regex(/^(0|[1-9]\d{0,18})$/, 'must be a whole number in decimal digits')
  .transform(BigInt);

const BlockchainIdSchema = z.string().refine((text) => {
  try {
    return idFromString(text).length > 0;
  } catch (error) {
    if (error instanceof IdError) return false;
    throw error;
  }
}, 'must be a blockchain id in cb58');

const AddressSchema = z
  .templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)])
  .transform((address): Address => `0x${address.slice(2).toLowerCase()}`);

/** Stands for whichever network is simulated. */
const SANDBOX = 'sandbox';

const ChainFieldsSchema = z.strictObject({
  network: z
    .string()
    .refine(
      (name) => name === SANDBOX || isNetworkName(name),
      'must be mainnet, fuji, sandbox, or one of NETWORKS_FILE',
    ),
  chainId: DecimalSchema.refine((id) => id > 0n && id <= MAX_CHAIN_ID, `must be from 1 to ${MAX_CHAIN_ID}`),
  blockchainId: BlockchainIdSchema,
  name: z.string().min(1).max(64),
  rpcUrls: z.array(UrlTemplateSchema).min(1).max(MAX_URLS),
  startHeight: z.union([
    z.literal('tip'),
    DecimalSchema.refine((height) => height <= MAX_HEIGHT, `must be at most ${MAX_HEIGHT}`),
  ]),
  // Goes into the file as it is; no spreadsheet takes it for a formula.
  nativeSymbol: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.$]{0,15}$/, 'must be a symbol like AVAX'),
  nativeDecimals: z.number().int().min(0).max(36),
  traces: z.enum(['auto', 'off']).default('auto'),
  index: z.enum(['full', 'logs']).default('full'),
  watch: z
    .array(z.enum(WATCHED_SETS))
    .max(WATCHED_SETS.length)
    .default(['messages', 'tokens'])
    .transform((sets) => [...new Set(sets)]),
  messengers: z
    .array(AddressSchema)
    .min(1)
    .max(MAX_MESSENGERS)
    .default([MESSENGER])
    .transform((addresses) => [...new Set(addresses)]),
  keepDays: z.number().int().min(1).max(MAX_KEEP_DAYS).optional(),
  signOnSight: z.boolean().optional(),
});

const ChainSchema = ChainFieldsSchema.refine(
  ({ signOnSight, watch }) => signOnSight !== true || watch.includes('messages'),
  { path: ['signOnSight'], error: 'needs the messages of the chain to be indexed: add "messages" to watch' },
);

const FileSchema = z
  .strictObject({ chains: z.array(ChainSchema).max(MAX_CHAINS) })
  .refine(({ chains }) => areUnique(chains.map(({ network, chainId }) => `${network} ${chainId}`)), {
    message: 'a chain id stands in it twice for one network',
  })
  // Messages are known by it: a copied entry would give one chain's to another.
  .refine(
    ({ chains }) => areUnique(chains.map(({ network, blockchainId }) => `${network} ${blockchainId}`)),
    { message: 'a blockchain id stands in it twice for one network' },
  );

export interface ChainSurroundings {
  readonly networks: readonly Pick<NetworkConfig, 'name' | 'nodeUrls' | 'sandbox' | 'own'>[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Reads the configuration file's text. A URL may name variables; one that holds several values, separated by commas, makes
 * several URLs, and a URL whose variable is not set is left out. So is a chain without any URL, and a chain of a real network
 * in whose place a sandbox stands.
 *
 * Throws Error that names what is wrong.
 */
export function parseEvmChains(text: string, surroundings: ChainSurroundings): EvmChain[] {
  return parseSettings(FileSchema, parseJson(text)).chains.flatMap((chain) => {
    const network = findNetwork(chain.network, surroundings);
    if (network === undefined) return [];
    const variables = { ...surroundings.env, [NODE_URL]: network.nodeUrls.join(',') };
    const rpcUrls = readUrls(chain, variables);
    if (rpcUrls.length === 0) return [];
    return [{ ...chain, network: network.name, rpcUrls, isOwnCChain: isOwnCChain(chain, network) }];
  });
}

function readUrls(
  { chainId, rpcUrls }: Pick<EvmChain, 'chainId' | 'rpcUrls'>,
  variables: NodeJS.ProcessEnv,
): string[] {
  try {
    return expandUrls(rpcUrls, variables);
  } catch (error) {
    throw new Error(`chain ${chainId}: rpcUrls: ${textOf(error)}`, { cause: error });
  }
}

function isOwnCChain(
  { blockchainId }: Pick<EvmChain, 'blockchainId'>,
  { own }: ChainSurroundings['networks'][number],
): boolean {
  return own !== undefined && toHex(idFromString(blockchainId)) === own.ids.cChainId;
}

function findNetwork(name: NetworkName, { networks }: ChainSurroundings) {
  if (name !== SANDBOX) return networks.find((network) => network.name === name && !network.sandbox);
  const simulated = networks.filter(({ sandbox }) => sandbox);
  return simulated.find((network) => network.name === 'fuji') ?? simulated[0];
}
