import { numberToHex, padHex } from 'viem/utils';
import { encodeReceipt, encodeTransaction } from '../../src/avalanche/evm/commitments/encodings.js';
import { keccak256, toHash } from '../../src/avalanche/evm/commitments/keccak.js';
import { listRoot } from '../../src/avalanche/evm/commitments/list-root.js';
import { type Address, BURN_ADDRESS, type Hash, type Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { RecordedEvmBlock } from '../recording/evm-recording.js';

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

const BLOOM: Hex = `0x${'00'.repeat(256)}`;
/** Of nobody: no reader of blocks recovers the sender. */
const SIGNATURE = { v: '0x1b', r: hashFor(27), s: hashFor(28) };

export function rawBlock(
  height: number,
  transactions: readonly RawTransaction[] = [],
  timestampSeconds = 1_700_000_000 + 2 * height,
): RawBlock {
  const blockHash = hashFor(height + 1);
  const place = { blockHash, blockNumber: numberToHex(height) };
  const signed = transactions.map((transaction, index) => {
    const fields = signedTransaction(transaction, 1_000_000 * height + index);
    const hash = toHash(keccak256(encoded(fields)));
    return { ...place, ...fields, transactionIndex: numberToHex(index), hash };
  });
  let [logIndex, cumulativeGasUsed] = [0, 0n];
  const receipts = zip(transactions, signed).map(([transaction, { hash, transactionIndex, type }]) => {
    const gasUsed = transaction.gasUsed ?? 21_000n;
    cumulativeGasUsed += gasUsed;
    return {
      ...place,
      transactionIndex,
      transactionHash: hash,
      type,
      gasUsed: numberToHex(gasUsed),
      cumulativeGasUsed: numberToHex(cumulativeGasUsed),
      logsBloom: BLOOM,
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
    };
  });
  const header = {
    number: numberToHex(height),
    hash: blockHash,
    parentHash: hashFor(height),
    timestamp: numberToHex(timestampSeconds),
    miner: BURN_ADDRESS,
  };
  return withRoots({ block: { ...header, transactions: signed }, receipts });
}

/** As its header commits to it. */
function withRoots({ block, receipts }: RawBlock): RawBlock {
  const transactionsRoot = listRoot(block.transactions.map(encoded));
  const receiptsRoot = listRoot(receipts.map(encodeReceipt));
  return { block: { ...block, transactionsRoot, receiptsRoot }, receipts };
}

/** As a node prints it, without its place. Two of them differ by their nonces. */
function signedTransaction(transaction: RawTransaction, nonce: number) {
  const { maxFeePerGas } = transaction;
  return {
    type: maxFeePerGas === undefined ? '0x0' : '0x2',
    nonce: numberToHex(nonce),
    from: transaction.from ?? addressFor(1),
    to: transaction.to === undefined ? addressFor(2) : transaction.to,
    value: numberToHex(transaction.value ?? 0n),
    gas: numberToHex(transaction.gasLimit ?? 100_000n),
    gasPrice: numberToHex(transaction.gasPrice ?? 25n),
    ...(maxFeePerGas === undefined
      ? {}
      : {
          maxFeePerGas: numberToHex(maxFeePerGas),
          maxPriorityFeePerGas: '0x0',
          chainId: '0x1',
          accessList: [],
        }),
    input: transaction.input ?? '0x',
    ...SIGNATURE,
  };
}

function encoded(transaction: object): Uint8Array {
  const bytes = encodeTransaction(transaction);
  if (bytes === undefined) throw new RangeError('a transaction of no type');
  return bytes;
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
