import { unpackBlob } from '../../codec/codec.js';
import { isAvalancheError } from '../../avalanche.error.js';
import { fromHex } from '../../ids/hex.js';
import {
  id,
  list,
  shortId,
  struct,
  uint32,
  uint64,
  variants,
  type Field,
  type ValueOf,
} from '../../platformvm/codec/field.js';
import {
  credential,
  transferableInput,
  transferableOutput,
  unlocked,
} from '../../platformvm/codec/fields.js';
import { identified } from '../../platformvm/codec/transaction.js';
import type { Id } from '../../platformvm/ids.js';
import type { EvmHeader } from './block.js';
import { EvmError } from '../evm.error.js';
import type { Address, Hash } from '../rpc/hex-values.js';

/** One change of one balance: what an import adds to it, or an export takes away. */
export interface AtomicTransfer {
  /** Counts through the block. */
  readonly position: number;
  /** Id of the atomic transaction. */
  readonly txHash: Hash;
  readonly kind: 'IMPORT' | 'EXPORT';
  readonly address: Address;
  readonly assetId: Id;
  /** In the asset's own unit: for AVAX {@link WEI_PER_NANO_AVAX} each. */
  readonly amount: bigint;
  /** Where it came from or went to. */
  readonly otherChainId: Id;
}

/** On the C-chain one nAVAX of the other chains is this much. */
export const WEI_PER_NANO_AVAX = 1_000_000_000n;

/** Largest size that the codec of nodes accepts (avalanchego v1.15.0 codec/manager.go). */
const MAX_EXTRA_DATA_BYTES = 256 * 1024;

/** Amount that an import pays to an address of the EVM, or an export takes from it, the fee included; in the asset's own unit: nAVAX. */
const evmOutput = { address: shortId, amount: uint64, assetId: id };
const base = { networkId: uint32, blockchainId: id };

/**
 * The bytes that the credentials sign, without the codec version (avalanchego v1.15.0 vms/saevm/cchain/tx/codec.go); parts of transactions
 * have the P-chain's ids. What comes into an import above its outputs is the fee: all of it in some from before Apricot Phase 3, which have
 * no outputs. An exported output is output n of the transaction on the other chain, from 0 on.
 */
export const unsignedAtomicTransaction = variants('atomic transaction', {
  Import: [
    0,
    {
      ...base,
      sourceChain: id,
      importedInputs: list(unlocked(transferableInput)),
      outputs: list(struct(evmOutput)),
    },
  ],
  Export: [
    1,
    {
      ...base,
      destinationChain: id,
      inputs: list(struct({ ...evmOutput, nonce: uint64 })),
      exportedOutputs: list(unlocked(transferableOutput)),
    },
  ],
});

type UnsignedAtomicTransaction = ValueOf<typeof unsignedAtomicTransaction>;
export type AtomicImport = Extract<UnsignedAtomicTransaction, { readonly type: 'Import' }>;
export type AtomicExport = Extract<UnsignedAtomicTransaction, { readonly type: 'Export' }>;

export const signedAtomicTransaction = struct({
  unsigned: unsignedAtomicTransaction,
  credentials: list(credential),
});

export type SignedAtomicTransaction = ValueOf<typeof signedAtomicTransaction>;

const transaction = identified(signedAtomicTransaction);

export type AtomicTransaction = ValueOf<typeof transaction>;

const transactions = list(transaction);

/**
 * The atomic transactions of a C-chain's block, from its extra data (avalanchego v1.15.0 graft/coreth/plugin/evm/atomic/codec.go
 * and vms/saevm/cchain/tx). They take effect after all of the block's other transactions.
 *
 * A list since Apricot Phase 5, a single transaction before. A list is tried first, and the two cannot be taken for each
 * other: a single import would be an empty list, which there is not. A single export would be a list of one whose type is the
 * network's id, that is an export on Mainnet only; its counts would then be read from the middle of ids and addresses.
 *
 * In the bonus blocks of Mainnet (graft/coreth/plugin/evm/atomic/vm/bonus_blocks.go) transactions of earlier blocks stand once more, and
 * paid once more.
 *
 * Throws EvmError `MALFORMED`.
 */
export function parseAtomicTransactions(extraData: Uint8Array): readonly AtomicTransaction[] {
  if (extraData.length === 0) return [];
  const many = attempt(extraData, transactions);
  if (many.ok && many.value.length > 0) return many.value;
  const one = attempt(extraData, transaction);
  if (one.ok) return [one.value];
  const reason = many.ok ? 'the list is empty' : many.error.message;
  const message = `extra data is neither a list of atomic transactions (${reason}) nor a single one (${one.error.message})`;
  throw new EvmError('MALFORMED', message, { cause: one.error });
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error };

function attempt<T>(extraData: Uint8Array, field: Field<T>): Attempt<T> {
  try {
    return { ok: true, value: unpackBlob(extraData, field.unpack, MAX_EXTRA_DATA_BYTES) };
  } catch (error) {
    if (isAvalancheError(error)) return { ok: false, error };
    throw error;
  }
}

/**
 * Changes of balances on the chain by imports and exports, in order: together with the movements of the block's other transactions these
 * are all, to the wei.
 *
 * Throws EvmError `MALFORMED`.
 */
export function readAtomicTransfers(header: Pick<EvmHeader, 'blockExtraData'>): AtomicTransfer[] {
  const changes = readAtomicTransactions(header).flatMap(changesOf);
  return changes.map((change, position) => ({ position, ...change }));
}

/** Throws EvmError `MALFORMED`. */
export function readAtomicTransactions({
  blockExtraData,
}: Pick<EvmHeader, 'blockExtraData'>): readonly AtomicTransaction[] {
  if (blockExtraData === null || blockExtraData === '0x') return [];
  return parseAtomicTransactions(fromHex(blockExtraData));
}

/** Inputs minus outputs of a transaction, by asset: its fee. */
export function spentByAsset(unsigned: UnsignedAtomicTransaction): ReadonlyMap<Id, bigint> {
  const isImport = unsigned.type === 'Import';
  const spent = new Map<Id, bigint>();
  const add = (assetId: Id, amount: bigint): void =>
    void spent.set(assetId, (spent.get(assetId) ?? 0n) + amount);
  for (const { assetId, amount } of isImport ? unsigned.importedInputs : unsigned.inputs) {
    add(assetId, amount);
  }
  for (const { assetId, amount } of isImport ? unsigned.outputs : unsigned.exportedOutputs) {
    add(assetId, -amount);
  }
  for (const [assetId, amount] of spent) if (amount === 0n) spent.delete(assetId);
  return spent;
}

function changesOf({ id, unsigned }: AtomicTransaction): Omit<AtomicTransfer, 'position'>[] {
  const isImport = unsigned.type === 'Import';
  const kind = isImport ? 'IMPORT' : 'EXPORT';
  const otherChainId = isImport ? unsigned.sourceChain : unsigned.destinationChain;
  const entries = isImport ? unsigned.outputs : unsigned.inputs;
  return entries.map(({ address, assetId, amount }) => ({
    txHash: `0x${id}`,
    kind,
    address: `0x${address}`,
    assetId,
    amount,
    otherChainId,
  }));
}
