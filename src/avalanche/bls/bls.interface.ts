/** Lengths of the min-pubkey-size scheme: keys in G1, signatures in G2 (avalanchego v1.14.2 utils/crypto/bls). */
export const SECRET_KEY_BYTES = 32;
export const PUBLIC_KEY_BYTES = 48;
export const SIGNATURE_BYTES = 96;
export const UNCOMPRESSED_SIGNATURE_BYTES = 192;

/** Ciphersuite of proofs of possession, which also signs a node's IP and port. */
export const PROOF_OF_POSSESSION_DST = 'BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';

/** On the curve and in the subgroup. Infinity only as a sum of keys that cancel out, and then it verifies nothing. */
export interface BlsPublicKey {
  toCompressed(): Uint8Array;
  toUncompressed(): Uint8Array;
}

/** On the curve, perhaps outside the subgroup: fit to be added up and to be proved by `verifyEach`, and nothing else. */
export interface UncheckedBlsSignature {
  toBytes(): Uint8Array;
  /** Twice as long, and read twenty times as fast. */
  toUncompressed(): Uint8Array;
}

/** On the curve and in the subgroup; infinity is possible and verifies nothing. */
export interface BlsSignature extends UncheckedBlsSignature {
  readonly isInSubgroup: true;
}

/** Between 1 and the order of the group minus 1. */
export interface BlsSecretKey {
  toBytes(): Uint8Array;
}

export interface SignedPair {
  readonly publicKey: BlsPublicKey;
  readonly signature: UncheckedBlsSignature;
}

/**
 * All that the service needs of BLS12-381, behind two implementations that must agree on every verdict.
 * Bytes are untrusted; the objects made from them have passed their checks and may be mixed between implementations.
 */
export interface Bls {
  readonly name: 'blst' | 'noble';

  /** 48 compressed bytes, on the curve, in the subgroup, not infinity; BlsError otherwise. */
  publicKeyFromBytes(compressed: Uint8Array): BlsPublicKey;

  /** 96 compressed bytes, on the curve, in the subgroup (infinity parses); BlsError otherwise. */
  signatureFromBytes(bytes: Uint8Array): BlsSignature;

  /**
   * 96 compressed bytes, on the curve (infinity parses); BlsError otherwise. Three times as fast as `signatureFromBytes`, for
   * parts of a sum that is itself read with it: membership of the parts does not follow from that of the sum, nor the reverse.
   */
  uncheckedSignatureFromBytes(bytes: Uint8Array): UncheckedBlsSignature;

  /** The same from 192 uncompressed bytes, but for infinity. */
  uncheckedSignatureFromUncompressed(bytes: Uint8Array): UncheckedBlsSignature;

  /** 32 big-endian bytes, neither zero nor at or above the group order; BlsError otherwise. */
  secretKeyFromBytes(bytes: Uint8Array): BlsSecretKey;

  publicKeyOf(secretKey: BlsSecretKey): BlsPublicKey;

  sign(message: Uint8Array, secretKey: BlsSecretKey): BlsSignature;

  /** Sum of at least one key. Only safe against rogue keys because the chain demands a proof of possession of each. */
  aggregatePublicKeys(publicKeys: readonly BlsPublicKey[]): BlsPublicKey;

  /** Sum of at least one signature. */
  aggregateSignatures(signatures: readonly BlsSignature[]): BlsSignature;

  /** Bytes of the sum of at least one signature, as untrusted as its parts. */
  sumSignatures(signatures: readonly UncheckedBlsSignature[]): Uint8Array;

  /** One pairing check. A sum of signatures is checked against the sum of their keys. */
  verify(message: Uint8Array, publicKey: BlsPublicKey, signature: BlsSignature): boolean;

  /**
   * One pairing check for all pairs: true means that every signature is in the subgroup and every pair verifies by itself
   * (but for chance of 2^-64). The random coefficients are what makes it so: without them two wrong signatures could cancel
   * out. Each signature's membership is checked by itself, for outside the subgroup there are points of orders as small as 13,
   * which random coefficients let pass too often.
   * False does not reveal which pair is wrong. True for no pairs.
   */
  verifyEach(message: Uint8Array, pairs: readonly SignedPair[]): boolean;
}
