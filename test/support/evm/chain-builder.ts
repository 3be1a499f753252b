import { numberToHex, padHex } from 'viem/utils';
import type { Address, Hash, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';

export const FEE_RECIPIENT: Address = '0x0100000000000000000000000000000000000000';

export function addressFor(seed: number | bigint): Address {
  return padHex(numberToHex(BigInt(seed) + 0xa0000n), { size: 20 });
}

export function hashFor(seed: number | bigint): Hash {
  return padHex(numberToHex(seed), { size: 32 });
}

export interface RawLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
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
export interface RawBlock {
  readonly block: Record<string, unknown> & { hash: Hash; transactions: Record<string, unknown>[] };
  readonly receipts: Record<string, unknown>[];
}

export function rawBlock(
  height: number,
  transactions: readonly RawTransaction[] = [],
  timestampSeconds = 1_700_000_000 + 2 * height,
): RawBlock {
  const blockHash = hashFor(height + 1);
  const place = { blockHash, blockNumber: numberToHex(height) };
  const hashes = transactions.map((_, index) => hashFor(1_000_000 * (height + 1) + index));
  let logIndex = 0;
  return {
    block: {
      number: numberToHex(height),
      hash: blockHash,
      parentHash: hashFor(height),
      timestamp: numberToHex(timestampSeconds),
      miner: FEE_RECIPIENT,
      transactions: transactions.map((transaction, index) => ({
        ...place,
        transactionIndex: numberToHex(index),
        hash: hashes[index],
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
    receipts: transactions.map((transaction, index) => ({
      ...place,
      transactionIndex: numberToHex(index),
      transactionHash: hashes[index],
      gasUsed: numberToHex(transaction.gasUsed ?? 21_000n),
      ...(transaction.effectiveGasPrice === null
        ? {}
        : { effectiveGasPrice: numberToHex(transaction.effectiveGasPrice ?? 25n) }),
      contractAddress: transaction.contractAddress ?? null,
      ...(transaction.status === null
        ? { root: hashFor(9) }
        : { status: numberToHex(transaction.status ?? 1) }),
      logs: (transaction.logs ?? []).map((log) => ({ ...log, logIndex: numberToHex(logIndex++) })),
    })),
  };
}
