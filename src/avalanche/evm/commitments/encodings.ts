import { malformed } from '../evm.error.js';
import { asArray, asObject } from '../rpc/hex-values.js';
import { RlpWriter } from './rlp.js';

/**
 * Bytes that hashes and roots commit to, from the JSON that nodes print (libevm v1.13.14 core/types: tx_*.go, receipt.go; avalanchego v1.15.0
 * graft/coreth and graft/subnet-evm plugin/evm/customtypes/header_ext.go).
 */

type Fields = Readonly<Record<string, unknown>>;
type Kind = 'data' | 'quantity' | 'recipient' | 'accessList' | 'hashes' | 'authorizations';
type Field = readonly [name: string, kind: Kind];

const SIGNATURE: readonly Field[] = [
  ['r', 'quantity'],
  ['s', 'quantity'],
];
const CALL: readonly Field[] = [
  ['gas', 'quantity'],
  ['to', 'recipient'],
  ['value', 'quantity'],
  ['input', 'data'],
];
const DYNAMIC_FEE: readonly Field[] = [
  ['chainId', 'quantity'],
  ['nonce', 'quantity'],
  ['maxPriorityFeePerGas', 'quantity'],
  ['maxFeePerGas', 'quantity'],
  ...CALL,
  ['accessList', 'accessList'],
];

/** By type: legacy, EIP-2930, EIP-1559, EIP-4844, EIP-7702. */
const TRANSACTIONS: Readonly<Record<string, readonly Field[]>> = {
  '0x0': [['nonce', 'quantity'], ['gasPrice', 'quantity'], ...CALL, ['v', 'quantity'], ...SIGNATURE],
  '0x1': [
    ['chainId', 'quantity'],
    ['nonce', 'quantity'],
    ['gasPrice', 'quantity'],
    ...CALL,
    ['accessList', 'accessList'],
    ['v', 'quantity'],
    ...SIGNATURE,
  ],
  '0x2': [...DYNAMIC_FEE, ['v', 'quantity'], ...SIGNATURE],
  '0x3': [
    ...DYNAMIC_FEE,
    ['maxFeePerBlobGas', 'quantity'],
    ['blobVersionedHashes', 'hashes'],
    ['v', 'quantity'],
    ...SIGNATURE,
  ],
  '0x4': [...DYNAMIC_FEE, ['authorizationList', 'authorizations'], ['v', 'quantity'], ...SIGNATURE],
};

const AUTHORIZATION: readonly Field[] = [
  ['chainId', 'quantity'],
  ['address', 'data'],
  ['nonce', 'quantity'],
  ['yParity', 'quantity'],
  ...SIGNATURE,
];

/** undefined for a type that is not known. Throws EvmError `MALFORMED`. */
export function encodeTransaction(value: unknown): Uint8Array | undefined {
  const transaction = asObject(value, 'transaction');
  const type = typeOf(transaction);
  const fields = TRANSACTIONS[type];
  if (fields === undefined) return undefined;
  const start = begin(type);
  writeFields(transaction, fields);
  rlp.wrap(start);
  return rlp.copy();
}

/** Throws EvmError `MALFORMED`. */
export function encodeReceipt(value: unknown): Uint8Array {
  const receipt = asObject(value, 'receipt');
  const { status, root, cumulativeGasUsed, logsBloom } = receipt;
  const start = begin(typeOf(receipt));
  if (status === undefined || status === null) rlp.data(root, 'root');
  else rlp.quantity(status, 'status');
  rlp.quantity(cumulativeGasUsed, 'cumulative gas');
  rlp.data(logsBloom, 'bloom');
  const logs = rlp.length;
  for (const log of asArray(receipt['logs'], 'logs')) writeLog(asObject(log, 'log'));
  rlp.wrap(logs);
  rlp.wrap(start);
  return rlp.copy();
}

const rlp = new RlpWriter();

/** Legacy transactions and their receipts have no type before them. */
function begin(type: string): number {
  rlp.clear();
  if (type !== '0x0') rlp.byte(Number(type));
  return rlp.length;
}

/** Nodes from before EIP-2718 print none. */
function typeOf({ type = '0x0' }: Fields): string {
  if (typeof type === 'string') return type;
  throw malformed('type is not hex');
}

function writeLog({ address, topics, data }: Fields): void {
  const start = rlp.length;
  rlp.data(address, 'address of a log');
  writeHashes(topics, 'topics');
  rlp.data(data, 'data of a log');
  rlp.wrap(start);
}

function writeFields(values: Fields, fields: readonly Field[]): void {
  for (const [name, kind] of fields) writeField(values[name], kind, name);
}

function writeField(value: unknown, kind: Kind, name: string): void {
  switch (kind) {
    case 'quantity':
      rlp.quantity(value, name);
      return;
    case 'data':
      rlp.data(value, name);
      return;
    case 'recipient':
      rlp.data(value ?? '0x', name); // none when a contract is created
      return;
    case 'hashes':
      writeHashes(value, name);
      return;
    case 'accessList':
      writeEach(value, name, ({ address, storageKeys }) => {
        rlp.data(address, name);
        writeHashes(storageKeys, name);
      });
      return;
    case 'authorizations':
      writeEach(value, name, (authorization) => {
        writeFields(authorization, AUTHORIZATION);
      });
      return;
  }
}

function writeEach(value: unknown, name: string, write: (each: Fields) => void): void {
  const start = rlp.length;
  for (const each of asArray(value, name)) {
    const own = rlp.length;
    write(asObject(each, name));
    rlp.wrap(own);
  }
  rlp.wrap(start);
}

function writeHashes(value: unknown, name: string): void {
  const start = rlp.length;
  for (const hash of asArray(value, name)) rlp.data(hash, name);
  rlp.wrap(start);
}

const HEADER: readonly Field[] = [
  ['parentHash', 'data'],
  ['sha3Uncles', 'data'],
  ['miner', 'data'],
  ['stateRoot', 'data'],
  ['transactionsRoot', 'data'],
  ['receiptsRoot', 'data'],
  ['logsBloom', 'data'],
  ['difficulty', 'quantity'],
  ['number', 'quantity'],
  ['gasLimit', 'quantity'],
  ['gasUsed', 'quantity'],
  ['timestamp', 'quantity'],
  ['extraData', 'data'],
  ['mixHash', 'data'],
  ['nonce', 'data'],
];
/** Of coreth behind those; subnet-evm has neither this nor `extDataGasUsed`. */
const EXTRA_DATA_HASH: Field = ['extDataHash', 'data'];
/** From some upgrade on. */
const LATER: readonly Field[] = [
  ['baseFeePerGas', 'quantity'],
  ['extDataGasUsed', 'quantity'],
  ['blockGasCost', 'quantity'],
  ['blobGasUsed', 'quantity'],
  ['excessBlobGas', 'quantity'],
  ['parentBeaconBlockRoot', 'data'],
  ['timestampMilliseconds', 'quantity'],
  ['minDelayExcess', 'quantity'],
  ['targetExponent', 'quantity'],
  ['minPriceExponent', 'quantity'],
  ['settledHeight', 'quantity'],
  ['settledGasUnix', 'quantity'],
  ['settledGasNumerator', 'quantity'],
  ['settledExcess', 'quantity'],
];

/** undefined when it lacks what all headers have. */
export function encodeHeader(header: Fields): Uint8Array | undefined {
  if (HEADER.some(([name]) => !isPresent(header[name]))) return undefined;
  const optional = [EXTRA_DATA_HASH, ...LATER].filter(([name]) => isPresent(header[name]));
  rlp.clear();
  writeFields(header, HEADER);
  writeFields(header, optional);
  rlp.wrap(0);
  return rlp.written;
}

/** A C-chain's imports and exports. */
export function encodeExtraData(extraData: string): Uint8Array {
  rlp.clear();
  rlp.data(extraData, 'extra data');
  return rlp.written;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
