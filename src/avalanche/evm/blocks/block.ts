import { assertTransactions } from '../commitments/assert-commitments.js';
import { encodeReceipt } from '../commitments/encodings.js';
import { listRoot } from '../commitments/list-root.js';
import { EvmError, malformed } from '../evm.error.js';
import {
  type Address,
  type Hash,
  type Hex,
  asArray,
  asObject,
  readAddress,
  readData,
  readHash,
  readIndex,
  readTimestamp,
  readUint256,
  readUint64,
} from '../rpc/hex-values.js';

/**
 * Blocks and receipts as EVM nodes print them (Ethereum execution API; avalanchego v1.15.0 vms/saevm/sae/rpc and graft/coreth
 * internal/ethapi/api.go). A header's outcome of its block is used for nothing but to check receipts: since Helicon blocks are accepted
 * before they are executed, and it is that of older ones. Hand-written checks instead of schemas: a backfill parses thousands of blocks a
 * second, and everything that is kept is checked here, once.
 */

export interface EvmHeader {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly timestampSeconds: number;
  /** The recipient of the fees; 0x0100…00 on the C-chain, where they cannot be spent. */
  readonly feeRecipient: Address;
  /** The C-chain's imports and exports, see atomic-transactions.ts: `0x` for none. null on chains that know of neither. */
  readonly blockExtraData: Hex | null;
}

/** A transaction before its receipt is known. */
interface EvmSignedTransaction {
  readonly hash: Hash;
  readonly index: number;
  readonly from: Address;
  /** null when it creates a contract. */
  readonly to: Address | null;
  readonly value: bigint;
  readonly gasLimit: bigint;
  /** null when it follows from the block's base fee, which since Helicon is only a bound: the receipt has what was paid. */
  readonly gasPrice: bigint | null;
  /** First four bytes of a call's input. */
  readonly methodId: Hex | null;
}

export interface EvmTransaction extends EvmSignedTransaction {
  readonly isSuccess: boolean;
  readonly createdContract: Address | null;
  readonly gasUsed: bigint;
  /** gasUsed × effective gas price, in the smallest unit of the native asset. */
  readonly fee: bigint;
  readonly logs: readonly EvmLog[];
}

export interface EvmLog {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
  /** Position in the block. */
  readonly index: number;
}

/** A log that was found by itself. */
export interface FoundLog extends EvmLog {
  readonly height: bigint;
  readonly blockHash: Hash;
  readonly transactionHash: Hash;
  readonly transactionIndex: number;
}

export interface EvmReceipt {
  readonly transactionHash: Hash;
  readonly transactionIndex: number;
  readonly blockHash: Hash;
  /** null in receipts from before Byzantium, which name a state root instead. */
  readonly isSuccess: boolean | null;
  readonly gasUsed: bigint;
  /** Of the block up to and with its transaction. */
  readonly cumulativeGasUsed: bigint;
  /** null from nodes that do not print it. */
  readonly effectiveGasPrice: bigint | null;
  readonly createdContract: Address | null;
  readonly logs: readonly EvmLog[];
  /** As receipts' roots commit to it. */
  readonly encoded: Uint8Array;
}

export interface EvmSignedBlock extends EvmHeader {
  readonly transactions: readonly EvmSignedTransaction[];
  /** Of the block's own receipts; since Helicon of those of the blocks that it settles. */
  readonly receiptsRoot: Hash;
  /** The last block that was settled with this one; null before Helicon. */
  readonly settledHeight: bigint | null;
}

export interface EvmBlock extends EvmHeader {
  readonly transactions: readonly EvmTransaction[];
}

/** Positions fit Postgres' integer; no block has room for as many. */
const MAX_INDEX = 2 ** 31 - 1;
const MAX_TOPICS = 4;
const MAX_UINT256 = 2n ** 256n - 1n;
/** Gas of a transaction that executes nothing. */
export const TRANSFER_GAS = 21_000n;
const METHOD_ID_DIGITS = 8;

/** Throws EvmError `MALFORMED`, also when it is the block of another height. */
export function parseHeader(value: unknown, height: bigint): EvmHeader {
  const block = asObject(value, 'block');
  const number = readUint64(block['number'], 'block number');
  if (number !== height) throw malformed(`asked for block ${height}, got ${number}`);
  return {
    height,
    hash: readHash(block['hash'], 'block hash'),
    parentHash: readHash(block['parentHash'], 'parent hash'),
    timestampSeconds: readTimestamp(block['timestamp'], 'timestamp'),
    feeRecipient: readAddress(block['miner'], 'miner'),
    blockExtraData: readOptional(block['blockExtraData'], readData, 'extra data'),
  };
}

/** A block with whole transactions. Throws EvmError `MALFORMED`; `ROOT_MISMATCH` when they are not those of its header. */
export function parseBlock(value: unknown, height: bigint): EvmSignedBlock {
  const header = parseHeader(value, height);
  const block = asObject(value, 'block');
  const transactions = asArray(block['transactions'], 'transactions');
  const parsed = transactions.map((entry, index) => parseTransaction(entry, index));
  const hashes = parsed.map(({ hash }) => hash);
  const root = readHash(block['transactionsRoot'], 'transactions root');
  assertTransactions(height, transactions, { hashes, root });
  return {
    ...header,
    transactions: parsed,
    receiptsRoot: readHash(block['receiptsRoot'], 'receipts root'),
    settledHeight: readOptional(block['settledHeight'], readUint64, 'settled height'),
  };
}

function parseTransaction(value: unknown, index: number): EvmSignedTransaction {
  const transaction = asObject(value, 'transaction');
  if (readIndex(transaction['transactionIndex'], MAX_INDEX, 'transaction index') !== index) {
    throw malformed('transactions are not in order');
  }
  const to = readOptional(transaction['to'], readAddress, 'recipient');
  return {
    hash: readHash(transaction['hash'], 'transaction hash'),
    index,
    from: readAddress(transaction['from'], 'sender'),
    to,
    value: readUint256(transaction['value'], 'value'),
    gasLimit: readUint64(transaction['gas'], 'gas limit'),
    gasPrice:
      transaction['maxFeePerGas'] === undefined ? readUint256(transaction['gasPrice'], 'gas price') : null,
    methodId: to === null ? null : methodIdOf(transaction['input']),
  };
}

/** The rest of the input is neither used nor kept, so its digits are not checked either. */
function methodIdOf(input: unknown): Hex | null {
  if (typeof input !== 'string' || !input.startsWith('0x')) throw malformed('input is not hex data');
  const end = 2 + METHOD_ID_DIGITS;
  return input.length < end ? null : readData(input.slice(0, end), 'method id');
}

/** Throws EvmError `MALFORMED`. */
export function parseReceipt(value: unknown): EvmReceipt {
  const receipt = asObject(value, 'receipt');
  return {
    transactionHash: readHash(receipt['transactionHash'], 'transaction hash of the receipt'),
    transactionIndex: readIndex(receipt['transactionIndex'], MAX_INDEX, 'transaction index of the receipt'),
    blockHash: readHash(receipt['blockHash'], 'block hash of the receipt'),
    isSuccess: readStatus(receipt['status'], receipt['root']),
    gasUsed: readUint64(receipt['gasUsed'], 'gas used'),
    cumulativeGasUsed: readUint64(receipt['cumulativeGasUsed'], 'cumulative gas used'),
    effectiveGasPrice: readOptional(receipt['effectiveGasPrice'], readUint256, 'effective gas price'),
    createdContract: readOptional(receipt['contractAddress'], readAddress, 'created contract'),
    logs: asArray(receipt['logs'], 'logs').map(parseLog),
    encoded: encodeReceipt(receipt),
  };
}

/** All receipts of a block, in order. Throws EvmError `MALFORMED`. */
export function parseReceipts(value: unknown): EvmReceipt[] {
  return asArray(value, 'receipts').map(parseReceipt);
}

function parseLog(value: unknown): EvmLog {
  const log = asObject(value, 'log');
  const topics = asArray(log['topics'], 'topics');
  if (topics.length > MAX_TOPICS) throw malformed('a log has more than four topics');
  return {
    address: readAddress(log['address'], 'address of a log'),
    topics: topics.map((topic) => readHash(topic, 'topic')),
    data: readData(log['data'], 'data of a log'),
    index: readIndex(log['logIndex'], MAX_INDEX, 'log index'),
  };
}

/** An answer of eth_getLogs, in the order of the chain. Throws EvmError `MALFORMED`. */
export function parseFoundLogs(value: unknown, { from, to }: { from: bigint; to: bigint }): FoundLog[] {
  let last: FoundLog | undefined;
  return asArray(value, 'logs').map((entry) => {
    const found = parseFoundLog(entry);
    const { height, index } = found;
    if (height < from || height > to) {
      throw malformed(`a log of block ${height} among those of ${from} to ${to}`);
    }
    if (last !== undefined && (height < last.height || (height === last.height && index <= last.index))) {
      throw malformed('logs are not in order');
    }
    last = found;
    return found;
  });
}

function parseFoundLog(value: unknown): FoundLog {
  const log = asObject(value, 'log');
  if (log['removed'] === true) throw malformed('a log that was removed');
  return {
    ...parseLog(value),
    height: readUint64(log['blockNumber'], 'block of a log'),
    blockHash: readHash(log['blockHash'], 'block hash of a log'),
    transactionHash: readHash(log['transactionHash'], 'transaction hash of a log'),
    transactionIndex: readIndex(log['transactionIndex'], MAX_INDEX, 'transaction index of a log'),
  };
}

function readStatus(status: unknown, root: unknown): boolean | null {
  if (status === undefined || status === null) {
    readHash(root, 'receipt without status');
    return null;
  }
  return readIndex(status, 1, 'status') === 1;
}

function readOptional<T>(value: unknown, read: (value: unknown, what: string) => T, what: string): T | null {
  return value === undefined || value === null ? null : read(value, what);
}

/**
 * Puts each receipt to its transaction: same number, hashes and positions, logs and gas counted through the block.
 *
 * Throws EvmError `RECEIPTS_MISMATCH`; `ROOT_MISMATCH` when the header commits to others, as truncated ones; `MALFORMED` for a fee
 * that no balance could have paid.
 */
export function joinReceipts(block: EvmSignedBlock, receipts: readonly EvmReceipt[]): EvmBlock {
  const { transactions, receiptsRoot, settledHeight, ...header } = block;
  if (receipts.length !== transactions.length) {
    const counts = `${receipts.length} receipts for ${transactions.length} transactions`;
    throw mismatch(block, counts);
  }
  let logs = 0;
  let gasUsed = 0n;
  const joined = transactions.map((transaction, index): EvmTransaction => {
    const receipt = receipts[index];
    if (receipt === undefined) throw mismatch(block, `no receipt ${index}`);
    assertBelongs(receipt, transaction, block);
    for (const log of receipt.logs) {
      if (log.index !== logs) throw mismatch(block, `log ${log.index} where log ${logs} belongs`);
      logs += 1;
    }
    gasUsed += receipt.gasUsed;
    if (receipt.cumulativeGasUsed !== gasUsed) throw mismatch(block, `gas of receipt ${index}`);
    return join(transaction, receipt);
  });
  if (settledHeight === null && rootOf(receipts) !== receiptsRoot) {
    throw new EvmError(
      'ROOT_MISMATCH',
      `block ${block.height}: its receipts are not those of its receiptsRoot`,
    );
  }
  return { ...header, transactions: joined };
}

/** The receipts that a block commits to, and its own where later blocks commit to those. */
export interface SettlingBlock extends Pick<EvmSignedBlock, 'height' | 'receiptsRoot' | 'settledHeight'> {
  readonly encodedReceipts: readonly Uint8Array[];
}

export function settlingBlock(
  { height, receiptsRoot, settledHeight }: EvmSignedBlock,
  receipts: readonly EvmReceipt[],
): SettlingBlock {
  const encodedReceipts = settledHeight === null ? [] : receipts.map(({ encoded }) => encoded);
  return { height, receiptsRoot, settledHeight, encodedReceipts };
}

/**
 * Since Helicon a header commits to the receipts of the blocks that it settles, some seconds older ones (avalanchego v1.15.0
 * vms/saevm/sae/block_builder.go). Checks those of consecutive blocks as far as what settles them is among these.
 *
 * Throws EvmError `ROOT_MISMATCH`.
 */
export function assertSettled(blocks: readonly SettlingBlock[]): void {
  const first = blocks[0]?.height ?? 0n;
  for (const [index, { height, settledHeight, receiptsRoot }] of blocks.entries()) {
    const parent = blocks[index - 1];
    if (parent === undefined || settledHeight === null) continue;
    // Before Helicon each block is settled at once.
    const from = (parent.settledHeight ?? parent.height) + 1n;
    if (from < first) continue;
    const settled = blocks.slice(Number(from - first), Number(settledHeight - first) + 1);
    if (listRoot(settled.flatMap(({ encodedReceipts }) => encodedReceipts)) === receiptsRoot) continue;
    const text = `blocks ${from} to ${settledHeight}: their receipts are not those of the receiptsRoot of block ${height}`;
    throw new EvmError('ROOT_MISMATCH', text);
  }
}

function rootOf(receipts: readonly EvmReceipt[]): Hash {
  return listRoot(receipts.map(({ encoded }) => encoded));
}

function assertBelongs(receipt: EvmReceipt, transaction: EvmSignedTransaction, block: EvmSignedBlock): void {
  if (receipt.blockHash !== block.hash) throw mismatch(block, 'receipt of another block');
  if (receipt.transactionHash !== transaction.hash || receipt.transactionIndex !== transaction.index) {
    throw mismatch(block, `receipt of another transaction than number ${transaction.index}`);
  }
  if (transaction.to !== null && receipt.createdContract !== null) {
    throw mismatch(block, `call number ${transaction.index} is said to create a contract`);
  }
}

function join(transaction: EvmSignedTransaction, receipt: EvmReceipt): EvmTransaction {
  const isSuccess = receipt.isSuccess ?? seemsSuccessful(transaction, receipt);
  const fee = feeOf(receipt, transaction.gasPrice);
  // Written out: copying an object whole takes a backfill longer than all the checks of it.
  return {
    hash: transaction.hash,
    index: transaction.index,
    from: transaction.from,
    to: transaction.to,
    value: transaction.value,
    gasLimit: transaction.gasLimit,
    gasPrice: transaction.gasPrice,
    methodId: transaction.methodId,
    isSuccess,
    // Nodes print the address even when the creation failed; nothing stands there then.
    createdContract: isSuccess ? receipt.createdContract : null,
    gasUsed: receipt.gasUsed,
    fee,
    logs: receipt.logs,
  };
}

/** Price per gas of a transaction, by its receipt or else as it was signed. Throws EvmError `MALFORMED`. */
export function feeOf(
  { transactionHash, gasUsed, effectiveGasPrice }: EvmReceipt,
  signedPrice: bigint | null = null,
): bigint {
  const gasPrice = effectiveGasPrice ?? signedPrice;
  if (gasPrice === null) throw malformed(`nobody says what ${transactionHash} paid for its gas`);
  const fee = gasUsed * gasPrice;
  if (fee > MAX_UINT256) throw malformed(`the fee of ${transactionHash} is more than 256 bits`);
  return fee;
}

/** Before Byzantium there was no REVERT: whatever failed had used up all its gas and left no log. */
function seemsSuccessful({ gasLimit }: EvmSignedTransaction, { gasUsed, logs }: EvmReceipt): boolean {
  return gasUsed < gasLimit || gasUsed === TRANSFER_GAS || logs.length > 0;
}

/**
 * Checks that the blocks follow one another and the parent, when there is one to know.
 *
 * Throws EvmError `WRONG_PARENT`.
 */
export function assertChain(blocks: readonly EvmHeader[], parent?: Pick<EvmHeader, 'height' | 'hash'>): void {
  let previous = parent;
  for (const block of blocks) {
    if (previous && (block.height !== previous.height + 1n || block.parentHash !== previous.hash)) {
      const message = `block ${block.height} (${block.hash}) does not follow block ${previous.height} (${previous.hash})`;
      throw new EvmError('WRONG_PARENT', message);
    }
    previous = block;
  }
}

function mismatch(block: EvmHeader, what: string): EvmError {
  return new EvmError('RECEIPTS_MISMATCH', `block ${block.height}: ${what}`);
}
