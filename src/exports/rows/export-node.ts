import type { EvmHeader } from '../../avalanche/evm/blocks/block.js';
import type { TraceSource } from '../../avalanche/evm/transfers/block-tracer.js';
import type { EvmClient } from '../../avalanche/evm/rpc/evm-client.js';
import { EvmError } from '../../avalanche/evm/evm.error.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import { type BlockWithMovements, readMovements } from '../../avalanche/evm/transfers/movement-reader.js';
import { readTokenMetadata, type TokenMetadata } from '../../avalanche/evm/transfers/token-metadata.js';
import { isAvalancheError } from '../../avalanche/avalanche.error.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import type { EvmChain } from '../../platform/evm-chains/evm-chain.js';
import type { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { proveChain } from '../../platform/evm-chains/foreign-chain.js';
import { ChainMintRules } from '../../indexes/evm/sources/chain-mint-rules.js';
import type { GenesisAllocations } from '../../indexes/evm/sources/genesis-allocations.js';
import { TransactionExportError } from '../transaction-export.error.js';

/** Whether asking again, or another node, may help. */
export function isNodeFailure(error: unknown): boolean {
  if (!isAvalancheError(error)) return false;
  return error instanceof RpcError || error instanceof EvmError || error.code === 'NODE_BEHIND';
}

/** The nodes of one chain, for one turn of an export. Nothing is asked of them before they have proved to be of this chain. */
export class ExportNode {
  private proof: Promise<void> | undefined;

  constructor(
    private readonly chain: EvmChain,
    private readonly client: EvmClient,
    private readonly tracer: TraceSource,
    private readonly rules: ChainMintRules,
    private readonly signal: AbortSignal,
  ) {}

  async tip(): Promise<bigint> {
    await this.prove();
    return this.client.blockNumber({ signal: this.signal });
  }

  async header(height: bigint): Promise<EvmHeader> {
    await this.prove();
    const header = await this.client.getBlockHeader({ height, signal: this.signal });
    return header ?? this.behind(height);
  }

  /** At least one block. */
  async movements(range: { fromHeight: bigint; toHeight: bigint }): Promise<BlockWithMovements[]> {
    await this.prove();
    const { client, tracer, signal, chain } = this;
    const rules = await this.rules.read(client, signal);
    const blocks = await readMovements({ client, tracer, signal, traces: chain.traces, rules, ...range });
    return blocks.length > 0 ? blocks : this.behind(range.fromHeight);
  }

  /** Whether the movements of the first block are known. */
  knowsGenesis(): Promise<boolean> {
    return this.rules.knowsGenesis();
  }

  async tokenMetadata(contracts: readonly Address[]): Promise<TokenMetadata[]> {
    await this.prove();
    return readTokenMetadata({ client: this.client, contracts, signal: this.signal });
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
    private readonly sources: { readonly chains: EvmChains; readonly genesis: GenesisAllocations },
    private readonly signal: AbortSignal,
  ) {}

  of(chain: EvmChain): ExportNode {
    const { chains, genesis } = this.sources;
    let node = this.nodes.get(chain.chainId);
    if (node === undefined) {
      const rules = new ChainMintRules(chain, genesis);
      node = new ExportNode(chain, chains.clientOf(chain), chains.tracerOf(chain), rules, this.signal);
      this.nodes.set(chain.chainId, node);
    }
    return node;
  }
}
