import native from '@chainsafe/blst';
import { BlsError, type BlsErrorCode } from './bls.error.js';
import {
  PUBLIC_KEY_BYTES,
  SECRET_KEY_BYTES,
  SIGNATURE_BYTES,
  UNCOMPRESSED_SIGNATURE_BYTES,
  type Bls,
  type BlsPublicKey,
  type BlsSecretKey,
  type BlsSignature,
  type SignedPair,
  type UncheckedBlsSignature,
} from './bls.interface.js';

/** Bits of the first byte: compressed, infinity, the larger y. */
const POINT_FLAGS = 0xe0;
/** First byte of a compressed point at infinity. */
const INFINITY_FLAG = 0xc0;

/** Error code of the native calls for a point outside the subgroup. */
const NOT_IN_SUBGROUP = 'BLST_POINT_NOT_IN_GROUP';

class BlstPublicKey implements BlsPublicKey {
  constructor(readonly point: native.PublicKey) {}

  toCompressed(): Uint8Array {
    return plain(this.point.toBytes(true));
  }

  toUncompressed(): Uint8Array {
    return plain(this.point.toBytes(false));
  }
}

class BlstUncheckedSignature implements UncheckedBlsSignature {
  constructor(readonly point: native.Signature) {}

  toBytes(): Uint8Array {
    return plain(this.point.toBytes(true));
  }

  toUncompressed(): Uint8Array {
    return plain(this.point.toBytes(false));
  }
}

class BlstSignature extends BlstUncheckedSignature implements BlsSignature {
  readonly isInSubgroup = true;
}

class BlstSecretKey implements BlsSecretKey {
  constructor(readonly scalar: native.SecretKey) {}

  toBytes(): Uint8Array {
    return plain(this.scalar.toBytes());
  }
}

/** Native implementation, for the hot path. Its ciphersuite is that of messages and cannot be chosen. */
export const blst: Bls = {
  name: 'blst',

  publicKeyFromBytes(compressed) {
    return parse('INVALID_PUBLIC_KEY', compressed, PUBLIC_KEY_BYTES, (bytes) => {
      return new BlstPublicKey(native.PublicKey.fromBytes(bytes, true));
    });
  },

  signatureFromBytes(bytes) {
    return parse('INVALID_SIGNATURE', bytes, SIGNATURE_BYTES, (checked) => {
      return new BlstSignature(native.Signature.fromBytes(checked, true, false));
    });
  },

  uncheckedSignatureFromBytes(bytes) {
    return parse('INVALID_SIGNATURE', bytes, SIGNATURE_BYTES, (checked) => {
      return new BlstUncheckedSignature(native.Signature.fromBytes(checked, false));
    });
  },

  uncheckedSignatureFromUncompressed(bytes) {
    return parse('INVALID_SIGNATURE', bytes, UNCOMPRESSED_SIGNATURE_BYTES, (checked) => {
      // The native parser would read a flagged point of half the length, and ignore the rest.
      if (((checked[0] ?? 0) & POINT_FLAGS) !== 0) throw new Error('compressed, or infinity');
      return new BlstUncheckedSignature(native.Signature.fromBytes(checked, false));
    });
  },

  secretKeyFromBytes(bytes) {
    return parse('INVALID_SECRET_KEY', bytes, SECRET_KEY_BYTES, (checked) => {
      return new BlstSecretKey(native.SecretKey.fromBytes(checked));
    });
  },

  publicKeyOf(secretKey) {
    return new BlstPublicKey(toNativeSecretKey(secretKey).toPublicKey());
  },

  sign(message, secretKey) {
    return new BlstSignature(toNativeSecretKey(secretKey).sign(message));
  },

  aggregatePublicKeys(publicKeys) {
    if (publicKeys.length === 0) throw new BlsError('EMPTY_AGGREGATE', 'no public key to aggregate');
    return new BlstPublicKey(native.aggregatePublicKeys(publicKeys.map(toNativePublicKey), false));
  },

  aggregateSignatures(signatures) {
    if (signatures.length === 0) throw new BlsError('EMPTY_AGGREGATE', 'no signature to aggregate');
    return new BlstSignature(native.aggregateSignatures(signatures.map(toNativeSignature), false));
  },

  sumSignatures(signatures) {
    if (signatures.length === 0) throw new BlsError('EMPTY_AGGREGATE', 'no signature to add up');
    return plain(native.aggregateSignatures(signatures.map(toNativeSignature), false).toBytes(true));
  },

  verify(message, publicKey, signature) {
    return native.verify(message, toNativePublicKey(publicKey), toNativeSignature(signature), false, false);
  },

  verifyEach(message, pairs) {
    if (pairs.length === 0) return true;
    const sets = pairs.map(toNativePair);
    // The native call throws on points at infinity, which never verify.
    if (sets.some(({ pk, sig }) => isInfinity(sig) || isInfinity(pk.toBytes(true)))) return false;
    const blinded = blind(sets);
    return blinded !== undefined && native.verify(message, blinded.pk, blinded.sig, false, false);
  },
};

/** Sums with random coefficients; undefined when a signature is outside the subgroup, which the native call tests. */
function blind(sets: native.PkAndSerializedSig[]): native.PkAndSig | undefined {
  try {
    return native.aggregateWithRandomness(sets);
  } catch (error) {
    if (isObject(error) && 'code' in error && error.code === NOT_IN_SUBGROUP) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function parse<T>(code: BlsErrorCode, bytes: Uint8Array, length: number, make: (bytes: Uint8Array) => T): T {
  // The native parser also takes uncompressed points, which have another length and never occur on this wire.
  if (bytes.length !== length) throw new BlsError(code, `${bytes.length} bytes, ${length} needed`);
  try {
    return make(bytes);
  } catch (cause) {
    throw new BlsError(code, cause instanceof Error ? cause.message : 'refused', { cause });
  }
}

function toNativePublicKey(publicKey: BlsPublicKey): native.PublicKey {
  // Checked by the implementation that made it; infinity may have come out of an aggregation.
  return publicKey instanceof BlstPublicKey
    ? publicKey.point
    : native.PublicKey.fromBytes(publicKey.toCompressed(), false);
}

function toNativeSignature(signature: UncheckedBlsSignature): native.Signature {
  return signature instanceof BlstUncheckedSignature
    ? signature.point
    : native.Signature.fromBytes(signature.toBytes(), false);
}

function toNativeSecretKey(secretKey: BlsSecretKey): native.SecretKey {
  return secretKey instanceof BlstSecretKey
    ? secretKey.scalar
    : native.SecretKey.fromBytes(secretKey.toBytes());
}

function toNativePair({ publicKey, signature }: SignedPair): native.PkAndSerializedSig {
  return { pk: toNativePublicKey(publicKey), sig: signature.toBytes() };
}

function isInfinity(compressed: Uint8Array): boolean {
  return compressed[0] === INFINITY_FLAG;
}

/** The addon hands out Buffers; the library speaks plain byte arrays. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
