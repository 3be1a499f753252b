import { greatest } from '../../bigints.js';
import { EvmError } from '../evm.error.js';
import { HeaderForms } from '../commitments/assert-commitments.js';
import {
  type EvmBlock,
  type EvmHeader,
  type EvmReceipt,
  type EvmSignedBlock,
  type FoundLog,
  parseBlock,
  parseFoundLogs,
  parseHeader,
  parseReceipt,
  parseReceipts,
} from '../blocks/block.js';
import { BlockRead, joinBlock, type JoinedBlock, provedBlocks } from '../blocks/joined-block.js';
import {
  BatchRpcClient,
  type BatchRpcClientOptions,
  type EvmCall,
  type EvmCallOutcome,
} from './batch-rpc-client.js';
import {
  type Address,
  type Hash,
  type Hex,
  readData,
  readUint256,
  readUint64,
  toQuantity,
} from './hex-values.js';
import { type BlockTraceAnswer, toUnavailable, traceCall, type TraceTarget } from './block-trace.js';
import {
  type ContractAnswer,
  contractAnswer,
  type ContractCall,
  type CodeCall,
  contractCall,
  type Unanswered,
} from './contract-call.js';
import { isWanted, type LogFilter, logsOf } from './log-filter.js';
import { type ChainUpgrades, readChainUpgrades } from '../transfers/native-mints.js';
import { isMethodMissing, isNotYet, isStateMissing } from './evm-rejections.js';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ContractCalls extends CallOptions {
  readonly calls: readonly ContractCall[];
  readonly blockTag?: bigint | 'latest';
}

/** One field of an account's state after a block. */
export interface StateQuery {
  readonly address: Address;
  readonly field: 'nonce' | 'balance';
  readonly height: bigint;
}

/** Logs of a stretch of blocks by filter, and the blocks at both its ends. */
export interface LogWindow {
  readonly first: EvmHeader;
  readonly last: EvmHeader;
  /** In the order of the filters. */
  readonly logs: readonly (readonly FoundLog[])[];
}

/** More than any request needs; a slip in a caller's arithmetic should not fill the memory. */
const MAX_BLOCKS_PER_CALL = 10_000n;

/** Each may meet another of the nodes behind a URL. */
const STATE_ATTEMPTS = 5;

/** Behind one URL may be nodes that are a few blocks apart. */
export const MAX_NODE_LAG_BLOCKS = 128n;

/**
 * The JSON-RPC of EVM chains (avalanchego v1.15.0 vms/saevm, graft/coreth and graft/subnet-evm) for one chain, over equal nodes.
 *
 * Quantities are bigint, and nothing is believed unchecked: whatever is malformed or out of range is refused and asked of the next node.
 * Every method rejects with RpcError, or EvmError where documented.
 */
export class EvmClient {
  private hasBlockReceipts = true;
  private readonly forms = new HeaderForms();

  constructor(private readonly rpc: BatchRpcClient) {}

  static connect(options: BatchRpcClientOptions): EvmClient {
    return new EvmClient(new BatchRpcClient(options));
  }

  /** Hosts of the configured nodes, fit for logs. */
  get hosts(): string[] {
    return this.rpc.hosts;
  }

  async chainId({ signal }: CallOptions = {}): Promise<bigint> {
    const parse = (result: unknown) => readUint64(result, 'chain id');
    return this.rpc.call({ method: 'eth_chainId', params: [], parse }, signal);
  }

  /** The `latest` block: the last that was executed; with asynchronous execution more may be accepted already. */
  async blockNumber({ signal }: CallOptions = {}): Promise<bigint> {
    const parse = (result: unknown) => readUint64(result, 'block number');
    return this.rpc.call({ method: 'eth_blockNumber', params: [], parse }, signal);
  }

  /** In wei, after a block's execution. Throws as {@link statesAt}. */
  async balanceAt({
    address,
    height,
    signal,
  }: { address: Address; height: bigint } & CallOptions): Promise<bigint> {
    const queries = [{ address, field: 'balance' as const, height }];
    const [balance] = await this.statesAt({ queries, ...(signal === undefined ? {} : { signal }) });
    if (balance === undefined) throw new RangeError('a query ended without an answer');
    return balance;
  }

  /**
   * Nonces, and balances in wei, after the blocks' execution, in the order of the queries. A node that is no archive has them of recent
   * blocks only, and behind one URL may be some that are and some that are not: what one of them refuses is asked again.
   */
  async statesAt({ queries, signal }: { queries: readonly StateQuery[] } & CallOptions): Promise<bigint[]> {
    return this.askForStates(queries.map(stateCall), signal);
  }

  /** Whether there is code at each address after a block's execution. Throws as {@link statesAt}. */
  async hasCodeAt({
    addresses,
    height,
    signal,
  }: { addresses: readonly Address[]; height: bigint } & CallOptions): Promise<boolean[]> {
    const calls = addresses.map((address) => ({
      method: 'eth_getCode',
      params: [address, toQuantity(height)],
      parse: (result: unknown) => readData(result, 'code') !== '0x',
    }));
    return this.askForStates(calls, signal);
  }

  /** In the order of the calls. */
  private async askForStates<T>(calls: readonly EvmCall<T>[], signal?: AbortSignal): Promise<T[]> {
    return (await this.outcomesWithStates(calls, signal)).map((outcome) => {
      if (outcome.ok) return outcome.value;
      throw outcome.error;
    });
  }

  private async outcomesWithStates<T>(
    calls: readonly EvmCall<T>[],
    signal?: AbortSignal,
  ): Promise<EvmCallOutcome<T>[]> {
    const outcomes = await this.rpc.callMany(calls, signal);
    for (let attempt = 1; attempt < STATE_ATTEMPTS; attempt += 1) {
      const missing = [...outcomes.keys()].filter((index) => isWithoutState(outcomes[index]));
      if (missing.length === 0) break;
      const again = await this.rpc.callMany(
        missing.flatMap((index) => calls[index] ?? []),
        signal,
      );
      for (const [at, outcome] of again.entries()) outcomes[missing[at] ?? 0] = outcome;
    }
    return outcomes;
  }

  /** The chain's rules as its node has them, unread. */
  async chainConfig({ signal }: CallOptions = {}): Promise<unknown> {
    const parse = (result: unknown) => result;
    return this.rpc.call({ method: 'eth_getChainConfig', params: [], parse }, signal);
  }

  /** The chain's rules as the node reports them; undefined where it reports nothing that can be read. */
  async chainUpgrades({ signal }: CallOptions = {}): Promise<ChainUpgrades | undefined> {
    const request = { method: 'eth_getChainConfig', params: [], parse: readChainUpgrades };
    const [outcome] = await this.rpc.callMany([request], signal);
    if (outcome === undefined || outcome.ok) return outcome?.value;
    if (outcome.error.code !== 'NODE_BAD_RESPONSE') toUnavailable(outcome.error);
    return undefined;
  }

  /**
   * Blocks with their receipts from `fromHeight` to `toHeight`, both included, in order. Shorter, or empty, when the chain
   * has not come so far. Neither the first block's parent nor the blocks' order of hashes is checked: see assertChain.
   *
   * Throws EvmError `RECEIPTS_MISMATCH`, `ROOT_MISMATCH`; `BLOCK_UNAVAILABLE` when the first one is missing far below the tip.
   */
  async getBlocks({
    fromHeight,
    toHeight,
    signal,
  }: { fromHeight: bigint; toHeight: bigint } & CallOptions): Promise<EvmBlock[]> {
    const found = await this.getBlocksAt({ heights: heightsBetween(fromHeight, toHeight), signal });
    if (found.length === 0) await this.assertAboveTip(fromHeight, signal);
    return found;
  }

  /** The same at single heights, ascending, up to the first that the node does not have. Throws EvmError `RECEIPTS_MISMATCH`, `ROOT_MISMATCH`. */
  async getBlocksAt({ heights, signal }: { heights: readonly bigint[] } & CallOptions): Promise<EvmBlock[]> {
    return this.hasBlockReceipts
      ? this.getWithBlockReceipts(heights, signal)
      : this.getWithEachReceipt(heights, signal);
  }

  /** undefined while the chain has not come so far. Throws EvmError `BLOCK_UNAVAILABLE`. */
  async getBlockHeader({ height, signal }: { height: bigint } & CallOptions): Promise<EvmHeader | undefined> {
    const [header] = await this.getBlockHeaders({ heights: [height], signal });
    if (header === undefined) await this.assertAboveTip(height, signal);
    return header;
  }

  /** In the order of the heights; undefined for each that the node does not have. */
  async getBlockHeaders({
    heights,
    signal,
  }: { heights: readonly bigint[] } & CallOptions): Promise<(EvmHeader | undefined)[]> {
    const calls = heights.map((height) => this.headerCall(height));
    return (await this.rpc.callMany(calls, signal)).map(valueOrNotYet);
  }

  /**
   * Logs of a stretch of blocks, both ends included. A node that lacks some of the blocks leaves their logs out without a word
   * (avalanchego v1.15.0 graft/coreth/eth/filters). That both ends are there, and one block between them, by the same request, is
   * the least proof; a node that was synced from a state has its genesis, but not what follows. Where it took several requests,
   * the newest blocks' logs are proved by their receipts.
   *
   * Throws EvmError `BLOCK_UNAVAILABLE` where the node does not have one of these, or does not search them yet; RpcError, also when
   * it is too much at once.
   */
  async getLogs({
    from,
    to,
    filters,
    signal,
  }: { from: bigint; to: bigint; filters: readonly LogFilter[] } & CallOptions): Promise<LogWindow> {
    const between = from === 0n && to > 0n ? 1n : (from + to) / 2n;
    const heights = [from, between, to];
    const headerCalls = heights.map((height) => this.headerCall(height));
    const logCalls = filters.map(({ address, topics }): EvmCall<FoundLog[]> => ({
      method: 'eth_getLogs',
      params: [
        {
          fromBlock: toQuantity(from),
          toBlock: toQuantity(to),
          topics,
          ...(address === undefined ? {} : { address }),
        },
      ],
      parse: (result) => parseFoundLogs(result, { from, to }),
    }));
    const calls: EvmCall<EvmHeader | FoundLog[] | undefined>[] = [...headerCalls, ...logCalls];
    const outcomes = await this.rpc.callMany(calls, signal);
    const [first, middle, last] = outcomes.slice(0, heights.length).map(valueOrNotYet);
    const logs = outcomes.slice(heights.length).map(valueOrNotYet);
    if (!isHeader(first) || !isHeader(middle) || !isHeader(last) || !logs.every(isFoundLogs)) {
      throw new EvmError(
        'BLOCK_UNAVAILABLE',
        `the node does not have all of the blocks ${heights.join(', ')}, or not their logs`,
      );
    }
    const window = { first, last, logs };
    return isOneAnswer(outcomes) ? window : this.withNewestProved(window, filters, signal);
  }

  /** In the order of the hashes. Throws EvmError `BLOCK_UNAVAILABLE` for a transaction that the node does not have. */
  async getReceipts({ hashes, signal }: { hashes: readonly Hash[] } & CallOptions): Promise<EvmReceipt[]> {
    const receipts = (await this.rpc.callMany(hashes.map(receiptCall), signal)).map(valueOrNotYet);
    return receipts.map((receipt, index) => {
      if (receipt !== undefined) return receipt;
      throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have the receipt of ${hashes[index]}`);
    });
  }

  /** `eth_call` of many contracts; a contract's failure is its answer. Only the node's failures reject. */
  async callContracts(query: ContractCalls): Promise<ContractAnswer[]> {
    return (await this.outcomesOf(query)).map((outcome) => {
      const answer = contractAnswer(outcome);
      if (answer.status !== 'unanswered') return answer;
      throw outcome.ok ? new RangeError('an answer that is none') : outcome.error;
    });
  }

  /** The same, where each call that the node fails at has its own error: the answers to the others are not lost. */
  async tryContracts(query: ContractCalls): Promise<(ContractAnswer | Unanswered)[]> {
    return (await this.outcomesOf(query)).map(contractAnswer);
  }

  /** The same upon the states of old blocks, each call upon its own; asked again as {@link statesAt}. */
  async callContractsAt({
    calls,
    signal,
  }: { calls: readonly ((ContractCall | CodeCall) & { height: bigint })[] } & CallOptions): Promise<
    (ContractAnswer | Unanswered)[]
  > {
    const requests = calls.map((call) => contractCall(call, toQuantity(call.height)));
    return (await this.outcomesWithStates(requests, signal)).map(contractAnswer);
  }

  private outcomesOf({ calls, blockTag = 'latest', signal }: ContractCalls): Promise<EvmCallOutcome<Hex>[]> {
    const tag = typeof blockTag === 'bigint' ? toQuantity(blockTag) : blockTag;
    return this.rpc.callMany(
      calls.map((call) => contractCall(call, tag)),
      signal,
    );
  }

  async call({ to, data, ...options }: ContractCall & { blockTag?: bigint | 'latest' } & CallOptions) {
    const [answer] = await this.callContracts({ calls: [{ to, data }], ...options });
    if (answer === undefined) throw new RangeError('a call ended without an answer');
    return answer;
  }

  /** In the order of the blocks. Most public nodes have no tracer, pruned ones no state to trace upon: then the answer is a refusal. */
  async traceBlocks({
    blocks,
    signal,
  }: { blocks: readonly TraceTarget[] } & CallOptions): Promise<BlockTraceAnswer[]> {
    const outcomes = await this.rpc.callMany(blocks.map(traceCall), signal);
    // A node that is silent is away. One that answers everything else has a block that takes it too long to trace.
    if (outcomes.some(hasTimedOut)) await this.blockNumber({ signal });
    return outcomes.map((outcome) => {
      if (outcome.ok) return outcome.value;
      if (hasTimedOut(outcome)) return { status: 'unavailable', reason: outcome.error.reason };
      return toUnavailable(outcome.error);
    });
  }

  /** Closes idle connections; running calls fail. */
  close(): void {
    this.rpc.close();
  }

  private async getWithBlockReceipts(heights: readonly bigint[], signal?: AbortSignal): Promise<EvmBlock[]> {
    const reads = heights.map((height) => ({ height, joined: new BlockRead() }));
    const calls = reads.flatMap(({ height, joined }): EvmCall<true | undefined>[] => [
      this.blockCall(height, (block) => joined.takeBlock(block)),
      receiptsCall(height, (receipts) => joined.takeReceipts(receipts)),
    ]);
    const outcomes = await this.rpc.callMany(calls, signal);
    if (outcomes.some((outcome) => !outcome.ok && isMethodMissing(outcome.error))) {
      // Nodes behind one list of URLs are taken to be equal; asking one by one is right everywhere.
      this.hasBlockReceipts = false;
      return this.getWithEachReceipt(heights, signal);
    }
    const found: JoinedBlock[] = [];
    for (const [index, { joined }] of reads.entries()) {
      const hasBlock = valueOrNotYet(outcomes[2 * index]);
      const hasReceipts = valueOrNotYet(outcomes[2 * index + 1]);
      if (hasBlock === undefined || hasReceipts === undefined) break;
      found.push(joined.get());
    }
    return provedBlocks(found);
  }

  private async getWithEachReceipt(heights: readonly bigint[], signal?: AbortSignal): Promise<EvmBlock[]> {
    const calls = heights.map((height) => this.blockCall(height, (block) => block));
    const blocks: EvmSignedBlock[] = [];
    for (const outcome of await this.rpc.callMany(calls, signal)) {
      const block = valueOrNotYet(outcome);
      if (block === undefined) break;
      blocks.push(block);
    }
    const receiptCalls = blocks.flatMap((block) => block.transactions.map(({ hash }) => receiptCall(hash)));
    const receipts = (await this.rpc.callMany(receiptCalls, signal)).map(valueOrNotYet);
    let at = 0;
    const found: JoinedBlock[] = [];
    for (const block of blocks) {
      const own = receipts.slice(at, (at += block.transactions.length));
      const present = own.filter((receipt) => receipt !== undefined);
      if (present.length < own.length) break;
      found.push(joinBlock(block, present));
    }
    return provedBlocks(found);
  }

  /** undefined for a block that the node does not have. */
  private blockCall<T>(height: bigint, take: (block: EvmSignedBlock) => T): EvmCall<T | undefined> {
    return {
      method: 'eth_getBlockByNumber',
      params: [toQuantity(height), true],
      parse: (result) => {
        if (result === null) return undefined;
        const block = parseBlock(result, height);
        this.forms.assertHash(block, result);
        return take(block);
      },
    };
  }

  /** undefined for a block that the node does not have. */
  private headerCall(height: bigint): EvmCall<EvmHeader | undefined> {
    return {
      method: 'eth_getBlockByNumber',
      params: [toQuantity(height), false],
      parse: (result) => {
        if (result === null) return undefined;
        const header = parseHeader(result, height);
        this.forms.assertHash(header, result);
        return header;
      },
    };
  }

  /**
   * A header from one node behind a URL proves nothing of the logs that another one found. Blocks that some of them may not have
   * yet are read whole; older ones all of them have. (Headers' blooms are of no use: since Helicon they are of other blocks.)
   */
  private async withNewestProved(
    window: LogWindow,
    filters: readonly LogFilter[],
    signal?: AbortSignal,
  ): Promise<LogWindow> {
    const { first, last } = window;
    const tip = await this.blockNumber({ signal });
    const newest = tip - MAX_NODE_LAG_BLOCKS;
    if (last.height < newest) return window;
    // That would be all blocks of a long window; one of the others has its last one.
    if (last.height > tip + MAX_NODE_LAG_BLOCKS) {
      throw new EvmError(
        'BLOCK_UNAVAILABLE',
        `one of the nodes is at block ${tip}, far behind ${last.height}`,
      );
    }
    const fromHeight = greatest(first.height, newest);
    const blocks = await this.getBlocks({ fromHeight, toHeight: last.height, signal });
    if (blocks.at(-1)?.hash !== last.hash) {
      throw new EvmError('BLOCK_UNAVAILABLE', `the node does not have all blocks up to ${last.height}`);
    }
    const newLogs = blocks.flatMap(logsOf);
    const logs = filters.map((filter, index) => [
      ...(window.logs[index] ?? []).filter(({ height }) => height < fromHeight),
      ...newLogs.filter((log) => isWanted(log, filter)),
    ]);
    return { first, last, logs };
  }

  private async assertAboveTip(height: bigint, signal?: AbortSignal): Promise<void> {
    const tip = await this.blockNumber({ signal });
    if (height + MAX_NODE_LAG_BLOCKS < tip) {
      throw new EvmError(
        'BLOCK_UNAVAILABLE',
        `the node is at block ${tip}, but does not have block ${height}`,
      );
    }
  }
}

function heightsBetween(fromHeight: bigint, toHeight: bigint): bigint[] {
  const count = toHeight - fromHeight + 1n;
  if (fromHeight < 0n || count < 0n || count > MAX_BLOCKS_PER_CALL) {
    throw new RangeError('impossible range of blocks');
  }
  return Array.from({ length: Number(count) }, (_, offset) => fromHeight + BigInt(offset));
}

function receiptsCall<T>(height: bigint, take: (receipts: EvmReceipt[]) => T): EvmCall<T | undefined> {
  return {
    method: 'eth_getBlockReceipts',
    params: [toQuantity(height)],
    parse: (result) => (result === null ? undefined : take(parseReceipts(result))),
  };
}

function receiptCall(hash: Hash): EvmCall<EvmReceipt | undefined> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [hash],
    parse: (result) => (result === null ? undefined : parseReceipt(result)),
  };
}

function stateCall({ address, field, height }: StateQuery): EvmCall<bigint> {
  const params = [address, toQuantity(height)];
  return field === 'nonce'
    ? { method: 'eth_getTransactionCount', params, parse: (result) => readUint64(result, 'nonce') }
    : { method: 'eth_getBalance', params, parse: (result) => readUint256(result, 'balance') };
}

function isWithoutState(outcome: EvmCallOutcome<unknown> | undefined): boolean {
  return outcome?.ok === false && isStateMissing(outcome.error);
}

function isOneAnswer(outcomes: readonly EvmCallOutcome<unknown>[]): boolean {
  const requests = new Set(outcomes.map((outcome) => (outcome.ok ? outcome.request : undefined)));
  return requests.size === 1;
}

function isHeader(value: EvmHeader | FoundLog[] | undefined): value is EvmHeader {
  return value !== undefined && !isFoundLogs(value);
}

function isFoundLogs(value: EvmHeader | FoundLog[] | undefined): value is FoundLog[] {
  return Array.isArray(value);
}

/** undefined also when the node reports that the block is still to come. */
function valueOrNotYet<T>(outcome: EvmCallOutcome<T> | undefined): T | undefined {
  if (outcome?.ok) return outcome.value;
  if (outcome === undefined || isNotYet(outcome.error)) return undefined;
  throw outcome.error;
}

function hasTimedOut(outcome: EvmCallOutcome<unknown>): boolean {
  return !outcome.ok && outcome.error.code === 'NODE_TIMED_OUT';
}
