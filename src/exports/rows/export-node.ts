import type { SearchRange } from '../../avalanche/evm/history/account-history.js';
import { readTokenBalances, type TokenHoldingAt } from '../../avalanche/evm/history/token-balances.js';
import { findFirstBlockAtOrAfter } from '../../avalanche/evm/blocks/block-by-date.js';
import type { EvmBlock, EvmHeader } from '../../avalanche/evm/blocks/block.js';
import type { TraceSource } from '../../avalanche/evm/transfers/block-tracer.js';
import type { EvmClient, StateQuery } from '../../avalanche/evm/rpc/evm-client.js';
import type { LogWindows } from '../../avalanche/evm/rpc/log-windows.js';
import { EvmError } from '../../avalanche/evm/evm.error.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import { type BlockWithMovements, movementsOf } from '../../avalanche/evm/transfers/movement-reader.js';
import { transferFilters } from '../../avalanche/evm/transfers/transfer-filters.js';
import { readTokenMetadata, type TokenMetadata } from '../../avalanche/evm/transfers/token-metadata.js';
import { isAvalancheError } from '../../avalanche/avalanche.error.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { proveChain } from '../../platform/evm-chains/foreign-chain.js';
import { ChainMintRules } from '../../indexes/evm/sources/chain-mint-rules.js';
import type { GenesisAllocations } from '../../indexes/evm/sources/genesis-allocations.js';
import type { ArchiveNodes } from '../search/archive-nodes.js';
import { TransactionExportError } from '../transaction-export.error.js';

/** Blocks that prove a search for logs. */
const LOG_PROOF_CALLS = 3;

const NODE_CODES: ReadonlySet<string> = new Set(['NODE_BEHIND', 'STATE_UNAVAILABLE']);

/** Whether asking again, or another node, may help. */
export function isNodeFailure(error: unknown): boolean {
  if (!isAvalancheError(error)) return false;
  return error instanceof RpcError || error instanceof EvmError || NODE_CODES.has(error.code);
}

/** The nodes of one chain, for one turn of an export. Nothing is asked of them before they have proved to be of this chain. */
export class ExportNode {
  private proof: Promise<void> | undefined;
  /** Under way, by range. */
  private readonly archiveProofs = new Map<string, Promise<EvmClient>>();

  constructor(
    private readonly chain: EvmChain,
    private readonly client: EvmClient,
    private readonly tracer: TraceSource,
    private readonly rules: ChainMintRules,
    private readonly archives: ArchiveNodes,
    private readonly signal: AbortSignal,
  ) {}

  /** Fit for logs. */
  get hosts(): string[] {
    return this.client.hosts;
  }

  async tip(): Promise<bigint> {
    await this.prove();
    return this.client.blockNumber({ signal: this.signal });
  }

  async header(height: bigint): Promise<EvmHeader> {
    await this.prove();
    const header = await this.client.getBlockHeader({ height, signal: this.signal });
    return header ?? this.behind(height);
  }

  /** In the order of the queries, from nodes that have the states of the range. Throws TransactionExportError `STATE_UNAVAILABLE`. */
  async states(queries: readonly StateQuery[], range: SearchRange): Promise<bigint[]> {
    const client = await this.archiveOf(range);
    return client.statesAt({ queries, signal: this.signal });
  }

  /** The same of each node that has them, by host; none while there is only one. Throws as `states`. */
  async statesByNode(
    queries: readonly StateQuery[],
    range: SearchRange,
  ): Promise<readonly { readonly host: string; readonly values: readonly bigint[] }[]> {
    const clients = await this.archives.each(this.chain, range, this.signal);
    if (clients.length < 2 || queries.length === 0) return [];
    return Promise.all(
      clients.map(async (client) => ({
        host: client.hosts[0] ?? '',
        values: await client.statesAt({ queries, signal: this.signal }),
      })),
    );
  }

  /** Of tokens, as {@link readTokenBalances}. Throws as `states`. */
  async tokenBalances(
    places: readonly TokenHoldingAt[],
    range: SearchRange,
  ): Promise<(bigint | undefined)[]> {
    const client = await this.archiveOf(range);
    return readTokenBalances(places, client, this.signal);
  }

  /** Which of the accounts have code after a block. Throws as `states`. */
  async contractsAmong(
    addresses: readonly Address[],
    height: bigint,
    range: SearchRange,
  ): Promise<Address[]> {
    const client = await this.archiveOf(range);
    const haveCode = await client.hasCodeAt({ addresses, height, signal: this.signal });
    return addresses.filter((_, index) => haveCode[index]);
  }

  /** Blocks of the range's beginning whose logs of transfers name one of the accounts, and how many calls it took. */
  async transferHeights(addresses: readonly Address[], { from, to }: SearchRange, windows: LogWindows) {
    await this.prove();
    const { client, signal } = this;
    const filters = transferFilters(addresses);
    let calls = 0;
    const choose = (span: bigint) => ({ from: from + 1n, to: from + span < to ? from + span : to });
    const window = await windows.read(client, choose, async (range) => {
      calls += filters.length + LOG_PROOF_CALLS;
      const { logs } = await client.getLogs({ ...range, filters, signal });
      return {
        heights: logs.flatMap((found) => found.map(({ height }) => height)),
        count: logs.flat().length,
      };
    });
    const heights = [...new Set(window.found.heights)].sort((a, b) => (a < b ? -1 : 1));
    return { from, to: window.to, heights, calls };
  }

  /** Blocks at which the chain's rules change the balance of one of the accounts. */
  async upgradeHeights(addresses: readonly Address[], { from, to }: SearchRange): Promise<bigint[]> {
    await this.prove();
    const { minter, states } = await this.rules.upgradesAt(this.client, this.signal);
    const times = [...minter, ...states]
      .filter(({ changes }) => changes.some(({ address }) => addresses.includes(address)))
      .map(({ timestampSeconds }) => timestampSeconds);
    const heights: bigint[] = [];
    for (const timestampSeconds of new Set(times)) {
      const height = await findFirstBlockAtOrAfter({
        timestampSeconds,
        lowestHeight: from < 0n ? 0n : from,
        highestHeight: to,
        getHeader: (at) => this.header(at),
      });
      if (height !== undefined && height > from) heights.push(height);
    }
    return heights;
  }

  /** All of them. Throws TransactionExportError `NODE_BEHIND`. */
  async blocksAt(heights: readonly bigint[]): Promise<EvmBlock[]> {
    await this.prove();
    const blocks = await this.client.getBlocksAt({ heights, signal: this.signal });
    const missing = heights[blocks.length];
    return missing === undefined ? blocks : this.behind(missing);
  }

  /** `auto`: with internal movements, unless tracing is off in the chain's configuration. */
  async movementsOf(blocks: readonly EvmBlock[], traces: 'auto' | 'off'): Promise<BlockWithMovements[]> {
    await this.prove();
    const { client, tracer, signal, chain } = this;
    const rules = await this.rules.read(client, signal);
    return movementsOf(blocks, {
      client,
      tracer,
      signal,
      traces: traces === 'off' ? 'off' : chain.traces,
      rules,
    });
  }

  /**
   * Whether the upgrades of the chain's rules are known: they may mint coins, and stand in no block. A node that is away shows nothing, in
   * either way.
   */
  async knowsUpgrades(): Promise<boolean> {
    try {
      return await this.rules.knowsUpgrades(this.client, this.signal);
    } catch (error) {
      if (error instanceof RpcError) return true;
      throw error;
    }
  }

  /** Whether the movements of the first block are known. */
  knowsGenesis(): Promise<boolean> {
    return this.rules.knowsGenesis();
  }

  async tokenMetadata(contracts: readonly Address[]): Promise<TokenMetadata[]> {
    await this.prove();
    return readTokenMetadata({ client: this.client, contracts, signal: this.signal });
  }

  /** Nodes that have proved both, their chain and the states; those who ask at the same time wait for the same proof. */
  private archiveOf(range: SearchRange): Promise<EvmClient> {
    const key = `${range.from} ${range.to}`;
    const asked =
      this.archiveProofs.get(key) ??
      this.archives.of(this.chain, range, this.signal).finally(() => this.archiveProofs.delete(key));
    this.archiveProofs.set(key, asked);
    return asked;
  }

  private prove(): Promise<void> {
    this.proof ??= this.assertChain();
    return this.proof;
  }

  private async assertChain(): Promise<void> {
    const { foreign } = await proveChain(this.client, this.chain, { signal: this.signal });
    if (foreign === undefined) return;
    throw new EvmError('MALFORMED', `a node of chain ${this.chain.chainId} serves ${foreign}`);
  }

  private behind(height: bigint): never {
    const { chainId } = this.chain;
    throw new TransactionExportError(
      'NODE_BEHIND',
      `the nodes of chain ${chainId} do not have block ${height} yet`,
    );
  }
}

/** The nodes of all chains of an export, for one turn. */
export class ExportNodes {
  private readonly nodes = new Map<bigint, ExportNode>();

  constructor(
    private readonly sources: {
      readonly chains: EvmChains;
      readonly genesis: GenesisAllocations;
      readonly archives: ArchiveNodes;
    },
    private readonly signal: AbortSignal,
  ) {}

  of(chain: EvmChain): ExportNode {
    const { chains, genesis, archives } = this.sources;
    let node = this.nodes.get(chain.chainId);
    if (node === undefined) {
      const rules = new ChainMintRules(chain, genesis);
      const [client, tracer] = [chains.clientOf(chain), chains.tracerOf(chain)];
      node = new ExportNode(chain, client, tracer, rules, archives, this.signal);
      this.nodes.set(chain.chainId, node);
    }
    return node;
  }
}
