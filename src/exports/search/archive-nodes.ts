import { greatest, least } from '../../avalanche/bigints.js';
import { Injectable, Logger } from '@nestjs/common';
import { type EvmClient, MAX_NODE_LAG_BLOCKS } from '../../avalanche/evm/rpc/evm-client.js';
import { isBlockMissing, isStateMissing } from '../../avalanche/evm/rpc/evm-rejections.js';
import { findFalseStates } from '../../avalanche/evm/history/state-check.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import { proveChain } from '../../platform/evm-chains/foreign-chain.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import type { SearchRange } from '../../avalanche/evm/history/account-history.js';
import { TransactionExportError } from '../transaction-export.error.js';

/** A node may begin to prune, or be replaced by one that does. */
const BELIEVED_MS = 600_000;
/** Others go on without one that does not answer; alone, it is asked again with the next attempt. */
const AWAY_MS = 5_000;
/** Between the ends of a range, besides those. */
const HEIGHTS_BETWEEN = 2;

interface Proof {
  readonly range: SearchRange;
  readonly until: number;
}

interface Refusal {
  readonly reason: string;
  /** Ranges that begin above it may be there: many nodes keep the states of the last year. Undefined where it is to be asked for none. */
  readonly from: bigint | undefined;
}

interface ArchiveNode {
  readonly url: string;
  readonly client: EvmClient;
  /** Has the states of a range. */
  proof: Proof | undefined;
  refusal: (Refusal & { readonly until: number }) | undefined;
  /** Could not be tried. */
  away: { readonly until: number; readonly error: unknown } | undefined;
}

/** Which of a chain's nodes have the states of old blocks: each is tried before it is believed. */
@Injectable()
export class ArchiveNodes {
  private readonly logger = new Logger(ArchiveNodes.name);
  private readonly nodes = new Map<EvmChain, readonly ArchiveNode[]>();
  private readonly pools = new Map<string, EvmClient>();

  constructor(private readonly chains: EvmChains) {}

  /**
   * A client of those that have the states of a range.
   *
   * Throws TransactionExportError `STATE_UNAVAILABLE` when none has, and the error of a node that is away when all others have none.
   */
  async of(chain: EvmChain, range: SearchRange, signal: AbortSignal): Promise<EvmClient> {
    return this.poolOf((await this.usable(chain, range, signal)).map(({ url }) => url));
  }

  /** A client of each of them. Throws as `of`. */
  async each(chain: EvmChain, range: SearchRange, signal: AbortSignal): Promise<EvmClient[]> {
    return (await this.usable(chain, range, signal)).map(({ client }) => client);
  }

  private async usable(
    chain: EvmChain,
    range: SearchRange,
    signal: AbortSignal,
  ): Promise<readonly ArchiveNode[]> {
    const failures: unknown[] = [];
    const usable: ArchiveNode[] = [];
    for (const node of this.nodesOf(chain)) {
      if (node.away !== undefined && node.away.until > performance.now()) {
        failures.push(node.away.error);
        continue;
      }
      try {
        if (await this.has(chain, node, range, signal)) usable.push(node);
      } catch (error) {
        signal.throwIfAborted();
        node.away = { until: performance.now() + AWAY_MS, error };
        failures.push(error);
      }
    }
    if (usable.length > 0) return usable;
    if (failures.length > 0) throw failures[0];
    throw new TransactionExportError(
      'STATE_UNAVAILABLE',
      `no node of chain ${chain.chainId} has the states of blocks ${range.from} to ${range.to}`,
    );
  }

  private async has(
    chain: EvmChain,
    node: ArchiveNode,
    range: SearchRange,
    signal: AbortSignal,
  ): Promise<boolean> {
    const now = performance.now();
    const { proof, refusal } = node;
    if (refusal !== undefined && refusal.until > now && range.from <= (refusal.from ?? range.from)) {
      return false;
    }
    if (proof !== undefined && proof.until > now && isWithin(range, proof.range)) return true;
    const refused = await this.try(chain, node.client, range, signal);
    const until = performance.now() + BELIEVED_MS;
    if (refused === undefined) {
      node.proof = { range: widened(proof, range), until };
      return true;
    }
    const { reason, from } = refused;
    node.refusal = { reason, from, until };
    // Ranges of an export follow one another, each as far as the node goes back.
    if (refusal === undefined || refusal.until <= now) {
      this.logger.warn(
        `${node.client.hosts[0]} is not asked for states of chain ${chain.chainId}: ${reason}`,
      );
    }
    return false;
  }

  /** Undefined: it has them. */
  private async try(
    chain: EvmChain,
    client: EvmClient,
    range: SearchRange,
    signal: AbortSignal,
  ): Promise<Refusal | undefined> {
    try {
      const { foreign } = await proveChain(client, chain, { signal });
      if (foreign !== undefined) return { reason: `it serves ${foreign}`, from: undefined };
      const reason = await findFalseStates(client, heightsOf(range), signal);
      return reason === undefined ? undefined : { reason, from: undefined };
    } catch (error) {
      if (!(error instanceof RpcError && isStateMissing(error))) throw error;
      // That a node does not have the newest blocks yet passes.
      const isNew = async () => range.to + MAX_NODE_LAG_BLOCKS >= (await client.blockNumber({ signal }));
      if (isBlockMissing(error) && (await isNew())) throw error;
      return { reason: error.reason, from: range.from };
    }
  }

  private nodesOf(chain: EvmChain): readonly ArchiveNode[] {
    let nodes = this.nodes.get(chain);
    if (nodes === undefined) {
      const clients = this.chains.nodesOf(chain).map(({ evm }) => evm);
      nodes = clients.map((client, index) => ({
        url: chain.rpcUrls[index] ?? '',
        client,
        proof: undefined,
        refusal: undefined,
        away: undefined,
      }));
      this.nodes.set(chain, nodes);
    }
    return nodes;
  }

  private poolOf(urls: readonly string[]): EvmClient {
    const key = urls.join(' ');
    let client = this.pools.get(key);
    if (client === undefined) {
      client = this.chains.connect(urls);
      this.pools.set(key, client);
    }
    return client;
  }
}

/** Both ends, and some between them. */
function heightsOf({ from, to }: SearchRange): bigint[] {
  const first = from < 0n ? 0n : from;
  const between = Array.from({ length: HEIGHTS_BETWEEN }, () => {
    const share = Math.floor(Math.random() * Number(to - first));
    return first + BigInt(share);
  });
  const last = to > first ? to - 1n : first;
  return [...new Set([first, ...between, last])];
}

function isWithin(range: SearchRange, known: SearchRange): boolean {
  return known.from <= range.from && range.to <= known.to;
}

/** Ranges of an export follow one another. */
function widened(proof: Proof | undefined, range: SearchRange): SearchRange {
  if (proof === undefined || proof.until <= performance.now()) return range;
  return { from: least(proof.range.from, range.from), to: greatest(proof.range.to, range.to) };
}
