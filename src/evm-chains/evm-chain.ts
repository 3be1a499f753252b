import { z } from 'zod';
import { idFromString } from '../avalanche/ids/id.js';
import { IdError } from '../avalanche/ids/id.error.js';
import { NETWORK_NAMES, type NetworkName } from '../config/config.module.js';

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
}

const MAX_CHAINS = 256;
const MAX_URLS = 16;
const MAX_CHAIN_ID = BigInt(Number.MAX_SAFE_INTEGER);

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

const ChainSchema = z.strictObject({
  network: z.enum(NETWORK_NAMES),
  chainId: DecimalSchema.refine((id) => id > 0n && id <= MAX_CHAIN_ID, `must be from 1 to ${MAX_CHAIN_ID}`),
  blockchainId: BlockchainIdSchema,
  name: z.string().min(1).max(64),
  rpcUrls: z.array(z.string()).min(1).max(MAX_URLS),
  startHeight: z.union([z.literal('tip'), DecimalSchema]),
  // Goes into the file as it is; no spreadsheet takes it for a formula.
  nativeSymbol: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.$]{0,15}$/, 'must be a symbol like AVAX'),
  nativeDecimals: z.number().int().min(0).max(36),
  traces: z.enum(['auto', 'off']).default('auto'),
});

const FileSchema = z
  .strictObject({ chains: z.array(ChainSchema).max(MAX_CHAINS) })
  .refine(({ chains }) => new Set(chains.map(({ chainId }) => chainId)).size === chains.length, {
    message: 'a chain id stands in it twice',
  });

const UrlSchema = z.url({ protocol: /^https?$/ });

/** A variable in a URL, e.g. `${FUJI_NODE_URL}/ext/bc/C/rpc`. */
const VARIABLE = /\$\{([A-Z0-9_]+)\}/g;

/**
 * Reads the configuration file's text. A URL may name environment variables; one that holds several values, separated by commas,
 * makes several URLs, and a URL whose variable is not set is left out. So is a chain without any URL.
 *
 * @throws Error that names what is wrong
 */
export function parseEvmChains(text: string, env: NodeJS.ProcessEnv): EvmChain[] {
  const parsed = FileSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(problems.join('; '));
  }
  return parsed.data.chains.flatMap((chain) => {
    const rpcUrls = chain.rpcUrls.flatMap((url) => expandUrl(url, env));
    const bad = rpcUrls.find((url) => !UrlSchema.safeParse(url).success);
    if (bad !== undefined)
      throw new Error(`chain ${chain.chainId}: not a URL with http or https among rpcUrls`);
    return rpcUrls.length === 0 ? [] : [{ ...chain, rpcUrls: rpcUrls.slice(0, MAX_URLS) }];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('not JSON');
  }
}

function expandUrl(url: string, env: NodeJS.ProcessEnv): string[] {
  let expanded = [url];
  for (const [variable, name = ''] of url.matchAll(VARIABLE)) {
    const values = (env[name] ?? '')
      .split(',')
      .map((value) => value.trim().replace(/\/+$/, ''))
      .filter((value) => value !== '');
    expanded = expanded.flatMap((text) => values.map((value) => text.replace(variable, () => value)));
  }
  return expanded;
}
