import { numberToHex, padHex } from 'viem/utils';
import type { Address, Hash, Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { RecordedEvmBlock } from '../recording/evm-recording.js';

export const FEE_RECIPIENT: Address = '0x0100000000000000000000000000000000000000';

export function addressFor(seed: number | bigint): Address {
  return padHex(numberToHex(BigInt(seed) + 0xa0000n), { size: 20 });
}

export function hashFor(seed: number | bigint): Hash {
  return padHex(numberToHex(seed), { size: 32 });
}

export interface RawLog {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}

export interface RawTransaction {
  readonly from?: Address;
  readonly to?: Address | null;
  readonly value?: bigint;
  readonly input?: Hex;
  readonly gasUsed?: bigint;
  readonly gasLimit?: bigint;
  readonly gasPrice?: bigint;
  readonly maxFeePerGas?: bigint;
  /** Left out of the receipt when null. */
  readonly effectiveGasPrice?: bigint | null;
  readonly contractAddress?: Address | null;
  /** null gives a receipt from before Byzantium. */
  readonly status?: 0 | 1 | null;
  readonly logs?: readonly RawLog[];
}

/** A block and its receipts as a node prints them. */
export type RawBlock = Pick<RecordedEvmBlock, 'block' | 'receipts'>;

export function rawBlock(
  height: number,
  transactions: readonly RawTransaction[] = [],
  timestampSeconds = 1_700_000_000 + 2 * height,
): RawBlock {
  const blockHash = hashFor(height + 1);
  const place = { blockHash, blockNumber: numberToHex(height) };
  const places = transactions.map((_, index) => ({
    hash: hashFor(1_000_000 * (height + 1) + index),
    transactionIndex: numberToHex(index),
  }));
  let logIndex = 0;
  return {
    block: {
      number: numberToHex(height),
      hash: blockHash,
      parentHash: hashFor(height),
      timestamp: numberToHex(timestampSeconds),
      miner: FEE_RECIPIENT,
      transactions: zip(transactions, places).map(([transaction, { hash, transactionIndex }]) => ({
        ...place,
        transactionIndex,
        hash,
        from: transaction.from ?? addressFor(1),
        to: transaction.to === undefined ? addressFor(2) : transaction.to,
        value: numberToHex(transaction.value ?? 0n),
        gas: numberToHex(transaction.gasLimit ?? 100_000n),
        gasPrice: numberToHex(transaction.gasPrice ?? 25n),
        ...(transaction.maxFeePerGas === undefined
          ? {}
          : { maxFeePerGas: numberToHex(transaction.maxFeePerGas) }),
        input: transaction.input ?? '0x',
      })),
    },
    receipts: zip(transactions, places).map(([transaction, { hash, transactionIndex }]) => ({
      ...place,
      transactionIndex,
      transactionHash: hash,
      gasUsed: numberToHex(transaction.gasUsed ?? 21_000n),
      ...(transaction.effectiveGasPrice === null
        ? {}
        : { effectiveGasPrice: numberToHex(transaction.effectiveGasPrice ?? 25n) }),
      contractAddress: transaction.contractAddress ?? null,
      ...(transaction.status === null
        ? { root: hashFor(9) }
        : { status: numberToHex(transaction.status ?? 1) }),
      logs: (transaction.logs ?? []).map(({ address, topics, data }) => ({
        address,
        topics: [...topics],
        data,
        ...place,
        transactionHash: hash,
        transactionIndex,
        logIndex: numberToHex(logIndex++),
      })),
    })),
  };
}

/** With the traces of its transactions as callTracer gives them. */
export function tracedBlock(
  raw: RawBlock,
  results: readonly Record<string, unknown>[] = [],
): RecordedEvmBlock {
  const { block, receipts } = raw;
  return {
    block,
    receipts,
    traces: zip(block.transactions, results).map(([{ hash }, result]) => ({ txHash: hash, result })),
  };
}

/** Pairs of those that are at the same place in both. */
function zip<A, B>(first: readonly A[], second: readonly B[]): [A, B][] {
  return first.flatMap((a, index): [A, B][] => {
    const b = second[index];
    return b === undefined ? [] : [[a, b]];
  });
}
