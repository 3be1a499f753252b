import { z } from 'zod';
import { toQuantity } from '../../avalanche/evm/hex-values.js';
import type { RecordedEvmBlock } from '../recording/c-chain-recording.js';
import { EvmFault, type EvmMethod, evmMethod } from '../rpc/evm-endpoint.js';
import {
  AddressArgument,
  type Block,
  BlockArgument,
  type BlockOrHash,
  BlockOrHashArgument,
  CallArgument,
  FlagArgument,
  HashArgument,
  TracerArgument,
} from './arguments.js';
import type { ServedCChain } from './served-c-chain.js';

const noArguments = (run: () => unknown): EvmMethod => evmMethod(z.tuple([]), run);

/**
 * What the sandbox's C-chain answers, by method (avalanchego v1.15.0 vms/saevm/sae/rpc, before Helicon graft/coreth
 * internal/ethapi; libevm eth/tracers).
 */
export function makeEthMethods(chain: ServedCChain): ReadonlyMap<string, EvmMethod> {
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
    ['eth_getBalance', getBalance(chain)],
    ['eth_getCode', getCode(chain)],
    ['eth_call', call(chain)],
  ]);
}

/** Of nodes that have the debug tracer. */
export function makeDebugMethods(chain: ServedCChain): ReadonlyMap<string, EvmMethod> {
  return new Map([
    ['debug_traceBlockByNumber', traceBlockByNumber(chain)],
    ['debug_traceTransaction', traceTransaction(chain)],
  ]);
}

function getBlockByNumber(chain: ServedCChain): EvmMethod {
  return evmMethod(z.tuple([BlockArgument, FlagArgument]), ([block, isFull]) =>
    showBlock(acceptedBlock(chain, block), isFull),
  );
}

function getBlockByHash(chain: ServedCChain): EvmMethod {
  return evmMethod(z.tuple([HashArgument, FlagArgument]), ([hash, isFull]) => {
    const height = chain.heightOf(hash);
    const found = height === undefined ? undefined : chain.at(height);
    return found === undefined ? null : showBlock(found, isFull);
  });
}

function getBlockReceipts(chain: ServedCChain): EvmMethod {
  return evmMethod(z.tuple([BlockOrHashArgument]), ([block]) => {
    // The one method that has no error for a height above the tip.
    const height = heightOf(chain, block);
    return (height === undefined ? undefined : chain.at(height))?.receipts ?? null;
  });
}

function getTransactionByHash(chain: ServedCChain): EvmMethod {
  return evmMethod(z.tuple([HashArgument]), ([hash]) => {
    const found = chain.transaction(hash);
    return found?.block.block.transactions[found.index] ?? null;
  });
}

function getTransactionReceipt(chain: ServedCChain): EvmMethod {
  return evmMethod(z.tuple([HashArgument]), ([hash]) => {
    const found = chain.transaction(hash);
    return found?.block.receipts[found.index] ?? null;
  });
}

function getBalance(chain: ServedCChain): EvmMethod {
  return evmMethod(z.tuple([AddressArgument, BlockOrHashArgument]), ([address, block]) =>
    chain.balance(address, acceptedHeight(chain, block)),
  );
}

function getCode(chain: ServedCChain): EvmMethod {
  return evmMethod(z.tuple([AddressArgument, BlockOrHashArgument]), ([address, block]) => {
    acceptedHeight(chain, block);
    return chain.code(address);
  });
}

function call(chain: ServedCChain): EvmMethod {
  return evmMethod(
    z.tuple([CallArgument, BlockOrHashArgument.nullish()]),
    ([{ to, data }, block]) => {
      acceptedHeight(chain, block ?? 'latest');
      if (to !== undefined && chain.code(to) === '0x') return '0x';
      const answer = to === undefined ? undefined : chain.call(to, data);
      if (answer === undefined) throw new EvmFault('execution reverted');
      if ('result' in answer) return answer.result;
      throw new EvmFault(answer.error.message, answer.error.code, answer.error.data);
    },
    1,
  );
}

function traceBlockByNumber(chain: ServedCChain): EvmMethod {
  return evmMethod(z.tuple([BlockArgument, TracerArgument]), ([block]) => {
    const { traces } = acceptedBlock(chain, block);
    if (traces === null) throw new EvmFault('genesis is not traceable');
    return traces;
  });
}

function traceTransaction(chain: ServedCChain): EvmMethod {
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

/** @throws EvmFault above the last block */
function acceptedBlock(chain: ServedCChain, block: Block): RecordedEvmBlock {
  const found = chain.at(acceptedHeight(chain, block));
  if (found === undefined) throw new EvmFault('header not found');
  return found;
}

/** @throws EvmFault above the last block, or for a hash that is none of the chain's */
function acceptedHeight(chain: ServedCChain, block: BlockOrHash): number {
  const height = heightOf(chain, block);
  if (height === undefined) throw new EvmFault('header for hash not found');
  if (height > chain.tip) throw new EvmFault('cannot query unfinalized data');
  return height;
}

function heightOf(chain: ServedCChain, block: BlockOrHash): number | undefined {
  if (typeof block === 'object') return chain.heightOf(block.hash);
  if (typeof block === 'number') return block;
  return block === 'earliest' ? 0 : chain.tip;
}
