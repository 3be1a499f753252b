import { createHash } from 'node:crypto';
import { type NetworkName, PUBLIC_NETWORKS } from '../config/network-names.js';

/** Name of the P-chain's index: in its tables' `chain` columns, its workflow's id and the health answer. */
export const P_CHAIN = 'p-chain';

/** The same of the X-chain. */
export const X_CHAIN = 'x-chain';

/** The chains of the primary network, as their lists are known by. */
export const PRIMARY_CHAINS = ['P', 'X', 'C'] as const;
export type PrimaryChain = (typeof PRIMARY_CHAINS)[number];

/** As callers name them. */
export const PRIMARY_CHAIN_NAMES = { P: P_CHAIN, X: X_CHAIN, C: 'c-chain' } as const satisfies Record<
  PrimaryChain,
  string
>;

/** The same for an EVM chain, or for what fills in one facet of it. */
export function evmChainName(chainId: bigint, facet?: string): string {
  return facet === undefined ? `evm-${chainId}` : `evm-${chainId}:${facet}`;
}

/** Findings of an audit stand beside the indexes, under a name of its own. */
const AUDITS = ['p-chain-audit', 'x-chain-audit', 'evm-audit', 'native-supply-audit'] as const;
export type AuditName = (typeof AUDITS)[number];

export function isAudit(chain: string): boolean {
  return AUDITS.some((name) => name === chain);
}

/** Undefined for a name of another kind. */
export function parseEvmChainName(name: string): { chainId: bigint; facet: string | undefined } | undefined {
  const [, id, facet] = /^evm-(\d+)(?::(.+))?$/.exec(name) ?? [];
  return id === undefined ? undefined : { chainId: BigInt(id), facet };
}

/** An EVM chain id is unique within a network only: local networks and sandboxes have the same ones. */
export interface EvmChainRef {
  readonly network: NetworkName;
  readonly chainId: bigint;
}

/** Above every EVM chain id. */
const KEYS_PER_NETWORK = 2n ** 53n;

/** As many networks as fit into the bigint of Postgres. */
const NETWORK_SLOTS = 2 ** 10;

/** Key of an EVM chain's rows and partitions: on mainnet the chain id itself. */
export function evmChainKey({ network, chainId }: EvmChainRef): bigint {
  return BigInt(networkSlot(network)) * KEYS_PER_NETWORK + chainId;
}

const slots = new Map<NetworkName, number>(PUBLIC_NETWORKS.map((name, slot) => [name, slot]));

/**
 * Number of a network in keys. It follows from the name alone, so that all processes have the same one, whatever else is configured; two
 * names with one number cannot be configured together (`networks-file.ts`).
 */
export function networkSlot(name: NetworkName): number {
  let slot = slots.get(name);
  if (slot === undefined) {
    const taken = PUBLIC_NETWORKS.length;
    slot = taken + (createHash('sha256').update(name).digest().readUInt32BE() % (NETWORK_SLOTS - taken));
    slots.set(name, slot);
  }
  return slot;
}

/**
 * The partition of one network, and of one chain where the table is divided further, as the migrations name them. Asked by itself,
 * and not as the part of the whole that fits, Postgres plans it faster, and answers from an index alone where that has all columns.
 */
export function partitionOf(table: string, network: NetworkName, chain?: PrimaryChain): string {
  return `${table}_${network}${chain === undefined ? '' : `_${chain.toLowerCase()}`}`;
}
