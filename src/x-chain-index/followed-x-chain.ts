import { setImmediate as nextTurn } from 'node:timers/promises';
import { AvmError } from '../avalanche/avm/avm.error.js';
import { loadAvmGenesis, type AvmGenesis } from '../avalanche/avm/genesis/genesis.js';
import { AvmExecution } from '../avalanche/avm/state/avm-execution.js';
import { PRIMARY_NETWORK } from '../avalanche/platformvm/ids.js';
import { AVM_ID, EVM_ID } from '../avalanche/platformvm/vm-ids.js';
import { RpcError } from '../avalanche/rpc/rpc.error.js';
import type { NetworkName } from '../config/config.module.js';
import type { FollowedChain, ReadContext } from '../indexing/chain-follower.js';
import { IndexError, mustStop } from '../indexing/index.error.js';
import { NodeFailure } from '../indexing/node-failure.js';
import type { NodeAtTip } from '../indexing/node-pool.js';
import { WriteBehind } from '../indexing/write-behind.js';
import type { ChainLetters } from '../utxo-store/utxo.js';
import { hasHistory, historyTime } from './history-times.js';
import type { XChainName, XChainNode, XChainNodes, XChainPosition } from './sources/x-chain-node.js';
import type { XChainWriter, XCheckpoint, XHistory } from './x-chain-writer.js';

/** Other work of this process (signatures, heartbeats) waits no longer than this for blocks to be applied. */
const MAX_TURN_MS = 10;
/** Also a slow node's blocks are on record after this time. */
const MAX_BATCH_MS = 5_000;
/** Of what there is before block 0. */
const BEFORE_BLOCKS = -1n;

/** What follows from the chain's genesis and stays. */
interface Chain {
  readonly genesis: AvmGenesis;
  readonly letters: ChainLetters;
  readonly execution: AvmExecution;
  /** What is on record. */
  written: XCheckpoint;
}

/** One piece of the chain, applied: a block, or a transaction of the time before. */
type Step = Pick<XCheckpoint, 'height' | 'blockId' | 'blockTime' | 'history'> & {
  readonly transactions: number;
};

/** One network's X-chain: its blocks into the database, from wherever the database says it stands. No state but UTXOs is needed. */
export class FollowedXChain implements FollowedChain<XChainPosition, XChainNode> {
  private chain: Chain | null = null;

  constructor(
    private readonly store: { readonly network: NetworkName; readonly writer: XChainWriter },
    private readonly nodes: XChainNodes,
    /** Blocks, or transactions where there are more, per transaction of the database while catching up. */
    private readonly batchBlocks: number,
  ) {}

  get position(): XChainPosition {
    const { height, blockId, networkId, blockchainId } = this.current().written;
    return { height, blockId, chain: { networkId, blockchainId } };
  }

  get notice(): string | undefined {
    if (this.chain?.written.history.state !== 'missing') return undefined;
    return 'what there was before blocks (Cortina) is missing: no node has an index of it (--index-enabled); with one that has, reindex';
  }

  forget(): void {
    this.chain = null;
  }

  async open(signal: AbortSignal): Promise<void> {
    const { network, writer } = this.store;
    const written = await writer.findCheckpoint(network);
    if (written === null) {
      this.chain = await this.begin(signal);
    } else if (this.chain === null) {
      this.chain = await prepare(written, () => written);
    } else if (this.chain.written.blockchainId === written.blockchainId) {
      this.chain.execution.takeChanges(); // of an attempt that ended
      this.chain.written = written;
    } else {
      this.chain = await prepare(written, () => written);
    }
  }

  async copy({ node, tip }: NodeAtTip<XChainNode>, context: ReadContext): Promise<void> {
    if (this.current().written.history.state === 'reading') {
      await this.apply(node, (signal) => this.readHistory(node, signal), context);
    }
    if (this.current().written.history.state === 'reading' || Date.now() >= context.until) return;
    await this.apply(node, (signal) => this.readBlocks(node, tip, signal), context);
  }

  /** Writes the genesis of the chain that the nodes name. */
  private async begin(signal: AbortSignal): Promise<Chain> {
    const name = await this.nodes.askAny(async (node) => {
      const named = await node.getName(signal);
      await loadAvmGenesis(named); // otherwise another node may be the right one
      return named;
    }, signal);
    const history = await this.findHistory(name.networkId, signal);
    const chain = await prepare(name, ({ identity, time }) => ({
      ...{ height: BEFORE_BLOCKS, blockId: identity.blockchainId, blockTime: time },
      ...{ ...identity, history },
    }));
    const { assets, time } = chain.genesis;
    for (const { id, transaction } of assets) {
      chain.execution.applyGenesis(id, transaction, { blockHeight: BEFORE_BLOCKS, blockTime: time });
    }
    await this.write(chain, null, chain.written);
    return chain;
  }

  /** From the node that has most of it. */
  private async findHistory(networkId: number, signal: AbortSignal): Promise<XHistory> {
    if (!hasHistory(networkId)) return { state: 'complete' };
    const counts = await Promise.all(
      this.nodes.all.map((node) => node.transactionIndex.count(signal).catch(() => null)),
    );
    const end = counts.reduce<bigint>((most, count) => (count !== null && count > most ? count : most), 0n);
    return end === 0n ? { state: 'missing' } : { state: 'reading', next: 0n, end };
  }

  private current(): Chain {
    if (this.chain === null) throw new IndexError('CHECKPOINT_MOVED', 'no state is loaded');
    return this.chain;
  }

  private async *readHistory(node: XChainNode, signal: AbortSignal): AsyncGenerator<Step, void> {
    const { execution, genesis, written } = this.current();
    if (written.history.state !== 'reading') return;
    const { next, end } = written.history;
    if ((await node.transactionIndex.count(signal)) !== end) {
      throw new RpcError(
        'NODE_BAD_RESPONSE',
        `the node has no index of all ${end} transactions before blocks`,
        {
          host: node.host,
          method: 'index.getLastAccepted',
        },
      );
    }
    let index = next;
    for await (const transaction of node.transactionIndex.read(next, end, signal)) {
      const blockTime = historyTime(written.networkId, genesis.time, { index, end });
      execution.apply(transaction, { blockHeight: BEFORE_BLOCKS, blockTime });
      index += 1n;
      const history: XHistory =
        index === end ? { state: 'complete' } : { state: 'reading', next: index, end };
      yield { height: BEFORE_BLOCKS, blockId: transaction.id, blockTime, history, transactions: 1 };
    }
  }

  private async *readBlocks(node: XChainNode, tip: bigint, signal: AbortSignal): AsyncGenerator<Step, void> {
    const { execution, written } = this.current();
    const { history } = written;
    for await (const block of node.readBlocks(written, tip, signal)) {
      execution.applyBlock(block);
      const { height, id: blockId, time, transactions } = block;
      yield { height, blockId, blockTime: Number(time), history, transactions: transactions.length };
    }
  }

  /** Takes steps and writes one batch of them while the next one is read. */
  private async apply(
    node: XChainNode,
    read: (signal: AbortSignal) => AsyncGenerator<Step, void>,
    { until, signal, report }: ReadContext,
  ): Promise<void> {
    const chain = this.current();
    const writing = new WriteBehind();
    let last: Step | undefined;
    let flushed: XCheckpoint = chain.written;
    const flush = async (): Promise<void> => {
      if (last === undefined) return;
      const { height, blockId, blockTime, history } = last;
      const [after, checkpoint] = [flushed, { ...chain.written, height, blockId, blockTime, history }];
      const changes = chain.execution.takeChanges();
      [flushed, last] = [checkpoint, undefined];
      await writing.begin(async () => {
        const { network, writer } = this.store;
        await writer.write({ network, after, checkpoint, changes, letters: chain.letters });
        chain.written = checkpoint;
        report();
      });
    };
    try {
      try {
        await this.take(read(signal), until, flush, (step) => (last = step));
      } catch (error) {
        if (!(error instanceof RpcError || error instanceof AvmError)) throw error;
        await flush(); // what came before is good
        throw new NodeFailure(node, error);
      }
      await flush();
    } finally {
      await writing.settle().catch((error: unknown) => {
        this.forget();
        // A batch whose rows contradict the database is the node's fault, or ours: another node decides.
        if (mustStop(error)) throw new NodeFailure(node, error);
        throw error;
      });
    }
  }

  private async take(
    steps: AsyncGenerator<Step, void>,
    until: number,
    flush: () => Promise<void>,
    note: (step: Step) => void,
  ): Promise<void> {
    let taken = 0;
    let batchStartedAt = Date.now();
    let turnStartedAt = performance.now();
    for await (const step of steps) {
      note(step);
      taken += Math.max(1, step.transactions);
      if (performance.now() - turnStartedAt > MAX_TURN_MS) {
        await nextTurn();
        turnStartedAt = performance.now();
      }
      const now = Date.now();
      if (taken >= this.batchBlocks || now - batchStartedAt > MAX_BATCH_MS) {
        await flush();
        taken = 0;
        batchStartedAt = now;
      }
      if (now >= until) return;
    }
  }

  private async write(chain: Chain, after: null, checkpoint: XCheckpoint): Promise<void> {
    const { network, writer } = this.store;
    const changes = chain.execution.takeChanges();
    await writer.write({ network, after, checkpoint, changes, letters: chain.letters });
  }
}

async function prepare(name: XChainName, written: (genesis: AvmGenesis) => XCheckpoint): Promise<Chain> {
  const genesis = await loadAvmGenesis(name);
  return {
    genesis,
    letters: chainLetters(genesis),
    execution: new AvmExecution(genesis.identity),
    written: written(genesis),
  };
}

function chainLetters({ blockchains }: AvmGenesis): ChainLetters {
  const letters = new Map<string, 'P' | 'X' | 'C'>([[PRIMARY_NETWORK, 'P']]);
  for (const { blockchainId, vmId } of blockchains) {
    if (vmId === AVM_ID) letters.set(blockchainId, 'X');
    if (vmId === EVM_ID) letters.set(blockchainId, 'C');
  }
  return letters;
}
