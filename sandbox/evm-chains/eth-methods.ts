import { z } from 'zod';
import { packAnswers, unpackQuestions } from '../../src/avalanche/evm/history/calls-in-one.js';
import { type Address, type Hex, toQuantity } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { RecordedEvmBlock } from '../recording/evm-recording.js';
import { EvmFault, type EvmMethod, evmMethod, INVALID_PARAMS } from '../rpc/evm-endpoint.js';
import {
  AddressArgument,
  type Block,
  BlockArgument,
  type BlockOrHash,
  BlockOrHashArgument,
  CallArgument,
  FlagArgument,
  HashArgument,
  LogFilterArgument,
  TracerArgument,
} from './arguments.js';
import { assertFew, assertSearched, assertTraceable, searchedLogs } from './misconduct.js';
import type { ServedEvmChain } from './served-evm-chain.js';

const noArguments = (run: () => unknown): EvmMethod => evmMethod(z.tuple([]), run);

/**
 * JSON-RPC methods of an EVM chain of the sandbox (avalanchego v1.15.0 vms/saevm/sae/rpc, before Helicon graft/coreth internal/ethapi;
 * libevm eth/tracers).
 */
export function makeEthMethods(chain: ServedEvmChain): ReadonlyMap<string, EvmMethod> {
  const { recording } = chain;
  return new Map([
    ['eth_chainId', noArguments(() => recording.chainId)],
    ['net_version', noArguments(() => String(Number(recording.chainId)))],
    ['web3_clientVersion', noArguments(() => recording.avalanchegoVersion)],
    ['eth_syncing', noArguments(() => false)],
    ['eth_blockNumber', noArguments(() => toQuantity(BigInt(chain.tip)))],
    ['eth_getBlockByNumber', getBlockByNumber(chain)],
    ['eth_getBlockByHash', getBlockByHash(chain)],
    ['eth_getBlockReceipts', getBlockReceipts(chain)],
    ['eth_getTransactionByHash', getTransactionByHash(chain)],
    ['eth_getTransactionReceipt', getTransactionReceipt(chain)],
    ['eth_getLogs', getLogs(chain)],
    ['eth_getBalance', getBalance(chain)],
    ['eth_getTransactionCount', getTransactionCount(chain)],
    ['eth_getCode', getCode(chain)],
    ['eth_call', call(chain)],
    ...(recording.chainConfig === undefined
      ? []
      : [['eth_getChainConfig', noArguments(() => recording.chainConfig)] as const]),
  ]);
}

/** Of nodes that have the debug tracer. */
export function makeDebugMethods(chain: ServedEvmChain): ReadonlyMap<string, EvmMethod> {
  return new Map([
    ['debug_traceBlockByNumber', traceBlockByNumber(chain)],
    ['debug_traceTransaction', traceTransaction(chain)],
  ]);
}

function getBlockByNumber(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([BlockArgument, FlagArgument]), ([block, isFull]) => {
    if (chain.settledHeight !== undefined && typeof block === 'number' && block > chain.tip) return null;
    const found = chain.at(acceptedHeight(chain, block));
    if (found === undefined) return null; // one of those that it never had
    const shown = showBlock(found, isFull);
    // Nodes show it as one that is not there yet, though it is the last one.
    const isToCome = block === 'pending' && chain.settledHeight !== undefined;
    return isToCome ? { ...shown, hash: null, miner: null, nonce: null } : shown;
  });
}

function getBlockByHash(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([HashArgument, FlagArgument]), ([hash, isFull]) => {
    const height = chain.heightOf(hash);
    const found = height === undefined ? undefined : chain.at(height);
    return found === undefined ? null : showBlock(found, isFull);
  });
}

function getBlockReceipts(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([BlockOrHashArgument]), ([block]) => {
    // The one method that has no error for a height above the tip.
    const height = heightOf(chain, block);
    return (height === undefined ? undefined : chain.at(height))?.receipts ?? null;
  });
}

function getTransactionByHash(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([HashArgument]), ([hash]) => {
    const found = chain.transaction(hash);
    return found?.block.block.transactions[found.index] ?? null;
  });
}

function getTransactionReceipt(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([HashArgument]), ([hash]) => {
    const found = chain.transaction(hash);
    return found?.block.receipts[found.index] ?? null;
  });
}

function getLogs(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([LogFilterArgument]), ([filter]) => {
    const { block, addresses, topics } = filter;
    const from = acceptedHeight(chain, block ?? filter.from);
    const to = block === undefined ? (heightOf(chain, filter.to) ?? from) : from;
    if (to < from) throw new EvmFault('invalid block range params');
    assertSearched(chain.behaviour, from, to);
    // Blocks that are not there yet are passed over.
    const heights = Array.from({ length: Math.min(to, chain.tip) - from + 1 }, (_, offset) => from + offset);
    const found = heights
      .flatMap((height) => searchedLogs(chain.behaviour, height, chain.at(height)?.receipts ?? []))
      .filter((log) => addresses.length === 0 || addresses.includes(log.address))
      .filter((log) => topics.every((wanted, place) => isAmong(wanted, log.topics[place])));
    assertFew(chain.behaviour, found.length);
    return found;
  });
}

function isAmong(wanted: readonly string[], topic: string | undefined): boolean {
  return topic !== undefined && (wanted.length === 0 || wanted.includes(topic));
}

function getBalance(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([AddressArgument, BlockOrHashArgument]), ([address, block]) =>
    chain.balance(address, stateHeight(chain, block)),
  );
}

function getTransactionCount(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([AddressArgument, BlockOrHashArgument]), ([address, block]) =>
    // That of a pending block is the pool's, which is empty here.
    chain.nonce(address, block === 'pending' ? chain.tip : stateHeight(chain, block)),
  );
}

function getCode(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([AddressArgument, BlockOrHashArgument]), ([address, block]) => {
    stateHeight(chain, block);
    return chain.code(address);
  });
}

function call(chain: ServedEvmChain): EvmMethod {
  return evmMethod(
    z.tuple([CallArgument, BlockOrHashArgument.nullish()]),
    ([{ to, data }, block]) => {
      const height = stateHeight(chain, block ?? 'latest');
      const ask = (contract: Address, question: Hex): Hex | undefined =>
        chain.code(contract) === '0x'
          ? '0x'
          : (chain.tokenBalance(contract, question, height) ??
            chain.contracts.get(contract)?.(question, block ?? 'latest'));
      const answer = to === undefined ? askTogether(data, ask) : ask(to, data);
      if (answer === undefined) throw new EvmFault('execution reverted');
      return answer;
    },
    1,
  );
}

/** The only code that the sandbox runs without a contract. */
function askTogether(data: Hex, ask: (contract: Address, question: Hex) => Hex | undefined): Hex | undefined {
  const questions = unpackQuestions(data);
  if (questions === undefined) return undefined;
  return packAnswers(questions.map((question) => orNothing(() => ask(question.to, question.data))));
}

/** Of a contract that fails. */
function orNothing(ask: () => Hex | undefined): Hex | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof EvmFault) return undefined;
    throw error;
  }
}

function traceBlockByNumber(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([BlockArgument, TracerArgument]), ([block]) => {
    const height = acceptedHeight(chain, block);
    assertTraceable(chain.behaviour, height);
    const { traces } = acceptedBlock(chain, height);
    if (traces === null) throw new EvmFault('genesis is not traceable');
    return traces;
  });
}

function traceTransaction(chain: ServedEvmChain): EvmMethod {
  return evmMethod(z.tuple([HashArgument, TracerArgument]), ([hash]) => {
    const found = chain.transaction(hash);
    const trace = found?.block.traces?.[found.index];
    if (trace === undefined) throw new EvmFault('transaction not found');
    return trace.result;
  });
}

function showBlock({ block }: RecordedEvmBlock, isFull: boolean): object {
  return isFull ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
}

/** Throws EvmFault above the last block. */
function acceptedBlock(chain: ServedEvmChain, block: Block): RecordedEvmBlock {
  const found = chain.at(acceptedHeight(chain, block));
  if (found === undefined) throw new EvmFault('header not found');
  return found;
}

/** Throws EvmFault above the last block, or for a hash that is none of the chain's. */
function acceptedHeight(chain: ServedEvmChain, block: BlockOrHash, argument = 0): number {
  const isOfHelicon = chain.settledHeight !== undefined;
  const height = heightOf(chain, block, argument);
  if (height === undefined) {
    const hash = typeof block === 'object' ? block.hash : '';
    throw new EvmFault(isOfHelicon ? `block not found: hash ${hash}` : 'header for hash not found');
  }
  if (height <= chain.tip) return height;
  throw new EvmFault(
    isOfHelicon ? `block not found: not accepted yet: block ${height}` : 'cannot query unfinalized data',
  );
}

/** Of the methods that ask for a state, with their second argument. Throws EvmFault as acceptedHeight. */
function stateHeight(chain: ServedEvmChain, block: BlockOrHash): number {
  if (block === 'pending' && chain.settledHeight !== undefined) {
    throw new EvmFault('state not available for pending block');
  }
  return acceptedHeight(chain, block, 1);
}

function heightOf(chain: ServedEvmChain, block: BlockOrHash, argument = 0): number | undefined {
  if (typeof block === 'object') return chain.heightOf(block.hash);
  if (typeof block === 'number') return block;
  switch (block) {
    case 'earliest':
      return 0;
    case 'safe':
    case 'finalized':
      return chain.settledHeight ?? chain.tip;
    case 'accepted':
      // Helicon has no such word any more.
      if (chain.settledHeight !== undefined) {
        throw new EvmFault(`invalid argument ${argument}: hex string without 0x prefix`, INVALID_PARAMS);
      }
      return chain.tip;
    case 'latest':
    case 'pending':
      return chain.tip;
  }
}
