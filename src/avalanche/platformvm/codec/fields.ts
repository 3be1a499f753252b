import { CodecError } from '../../codec/codec.error.js';
import type { Unpacker } from '../../codec/unpacker.js';
import type { Output, TransferableInput, TransferableOutput } from '../output.js';
import {
  fixedBytes,
  id,
  list,
  shortId,
  struct,
  typed,
  uint32,
  uint64,
  unknownTypeId,
  type Field,
  type ValueOf,
} from './field.js';
import { PUBLIC_KEY_BYTES } from '../../bls/bls.interface.js';

/** Type ids of what transactions consist of (avalanchego v1.14.2 vms/platformvm/txs/codec.go). */
const TYPE_IDS = {
  transferInput: 5,
  transferOutput: 7,
  credential: 9,
  input: 10,
  outputOwners: 11,
  lockIn: 21,
  lockOut: 22,
  emptySigner: 27,
  proofOfPossession: 28,
} as const;

export const BLS_SIGNATURE_BYTES = 96;
const SECP256K1_SIGNATURE_BYTES = 65;

/** secp256k1fx.OutputOwners without a type id, as it stands in outputs. */
export const ownersBody = struct({
  locktime: uint64,
  threshold: uint32,
  addresses: list(shortId),
});

/** fx.Owner, of which secp256k1fx.OutputOwners is the only kind. */
export const outputOwners = typed('owner', TYPE_IDS.outputOwners, ownersBody);

/** avalanchego v1.14.2 vms/platformvm/warp/message/register_l1_validator.go: neither a lock time nor a type id. */
export const pChainOwner = struct({
  threshold: uint32,
  addresses: list(shortId),
});

/** verify.Verifiable where a subnet's owner signs, of which the P-chain accepts secp256k1fx.Input only. */
export const subnetAuth = typed('authorization', TYPE_IDS.input, struct({ signatureIndices: list(uint32) }));

/** secp256k1fx.Input: which of the owners signed. */
export type SubnetAuth = ValueOf<typeof subnetAuth>;

export const signatures = list(fixedBytes(SECP256K1_SIGNATURE_BYTES));

/** verify.Verifiable where inputs are signed, of which the P-chain accepts secp256k1fx.Credential only. */
export const credential = typed('credential', TYPE_IDS.credential, struct({ signatures }));

/** secp256k1fx.Credential: recoverable signatures of 65 bytes each. */
export type Credential = ValueOf<typeof credential>;

/** signer.ProofOfPossession without a type id, where nothing else can stand. */
export const proofOfPossession = struct({
  publicKey: fixedBytes(PUBLIC_KEY_BYTES),
  proofOfPossession: fixedBytes(BLS_SIGNATURE_BYTES),
});

/** A BLS public key and the proof that its owner has the secret key. */
export type ProofOfPossession = ValueOf<typeof proofOfPossession>;

/** signer.Empty (null) or signer.ProofOfPossession. */
export const signer: Field<ProofOfPossession | null> = {
  minBytes: 4,
  unpack: (unpacker) => {
    const { offset } = unpacker;
    const typeId = unpacker.unpackInt();
    if (typeId === TYPE_IDS.emptySigner) return null;
    if (typeId === TYPE_IDS.proofOfPossession) return proofOfPossession.unpack(unpacker);
    throw unknownTypeId('signer', typeId, offset);
  },
  pack: (packer, value) => {
    if (value === null) packer.packInt(TYPE_IDS.emptySigner);
    else proofOfPossession.pack(packer.packInt(TYPE_IDS.proofOfPossession), value);
  },
};

/**
 * secp256k1fx.TransferOutput, on its own or in stakeable.LockOut, which no node accepts in another LockOut:
 * its codec refuses a type within itself.
 */
export const output: Field<Output> = {
  minBytes: 4 + 8 + ownersBody.minBytes,
  unpack: (unpacker) => {
    const stakeableLocktime = unpackLock(unpacker, 'output', TYPE_IDS.lockOut, TYPE_IDS.transferOutput);
    return { amount: unpacker.unpackLong(), stakeableLocktime, owners: ownersBody.unpack(unpacker) };
  },
  pack: (packer, { amount, stakeableLocktime, owners }) => {
    if (stakeableLocktime !== null) packer.packInt(TYPE_IDS.lockOut).packLong(stakeableLocktime);
    ownersBody.pack(packer.packInt(TYPE_IDS.transferOutput).packLong(amount), owners);
  },
};

export const transferableOutput: Field<TransferableOutput> = {
  minBytes: id.minBytes + output.minBytes,
  unpack: (unpacker) => {
    const assetId = id.unpack(unpacker);
    const stakeableLocktime = unpackLock(unpacker, 'output', TYPE_IDS.lockOut, TYPE_IDS.transferOutput);
    const amount = unpacker.unpackLong();
    return { assetId, amount, stakeableLocktime, owners: ownersBody.unpack(unpacker) };
  },
  pack: (packer, value) => {
    id.pack(packer, value.assetId);
    output.pack(packer, value);
  },
};

const indices = list(uint32);

/** secp256k1fx.TransferInput, on its own or in stakeable.LockIn, after the UTXO that it spends and the asset. */
export const transferableInput: Field<TransferableInput> = {
  minBytes: id.minBytes + 4 + id.minBytes + 4 + 8 + indices.minBytes,
  unpack: (unpacker) => {
    const txId = id.unpack(unpacker);
    const outputIndex = unpacker.unpackInt();
    const assetId = id.unpack(unpacker);
    const stakeableLocktime = unpackLock(unpacker, 'input', TYPE_IDS.lockIn, TYPE_IDS.transferInput);
    const amount = unpacker.unpackLong();
    const signatureIndices = indices.unpack(unpacker);
    return { txId, outputIndex, assetId, amount, stakeableLocktime, signatureIndices };
  },
  pack: (packer, value) => {
    id.pack(packer, value.txId);
    id.pack(packer.packInt(value.outputIndex), value.assetId);
    if (value.stakeableLocktime !== null) packer.packInt(TYPE_IDS.lockIn).packLong(value.stakeableLocktime);
    indices.pack(packer.packInt(TYPE_IDS.transferInput).packLong(value.amount), value.signatureIndices);
  },
};

/** Outputs that may only be staked do not leave the P-chain: the codecs of the other chains do not know their type. */
export function unlocked<T extends { readonly stakeableLocktime: bigint | null }>(field: Field<T>): Field<T> {
  return {
    ...field,
    unpack: (unpacker) => {
      const value = field.unpack(unpacker);
      if (value.stakeableLocktime !== null) throw new CodecError('INVALID_VALUE', 'a stakeable lock');
      return value;
    },
  };
}

/** Reads up to the body of the plain type: null, or the lock time of the type that wraps it. */
function unpackLock(unpacker: Unpacker, what: string, wrapperId: number, plainId: number): bigint | null {
  let locktime: bigint | null = null;
  let { offset } = unpacker;
  let typeId = unpacker.unpackInt();
  if (typeId === wrapperId) {
    locktime = unpacker.unpackLong();
    ({ offset } = unpacker);
    typeId = unpacker.unpackInt();
  }
  if (typeId !== plainId) throw unknownTypeId(what, typeId, offset);
  return locktime;
}
