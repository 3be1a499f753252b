import { bls, type BlsSecretKey, type BlsSignature } from '../src/avalanche/bls/bls.js';
import { signProofOfPossession } from './bls/proof-of-possession.js';
import { BoundedMap } from '../src/avalanche/bounded-map.js';
import { toHex } from '../src/avalanche/ids/hex.js';
import { unsignedMessageId } from '../src/avalanche/warp/unsigned-message.js';
import { addSecretKeys, deriveSigningKeyPart, signingKeyParts } from './derived-keys.js';

/** Messages whose part signatures are kept: enough for requests that run at the same time. */
const KEPT_MESSAGES = 256;

/** Size of the signature cache of nodes, per chain (coreth and subnet-evm: 500 signatures). */
const KEPT_SIGNATURES_PER_VALIDATOR = 500;

/** Signs for all validators of one sandbox, see `signingKeyParts`. */
export class SigningStock {
  private readonly secretKeys = new BoundedMap<string, BlsSecretKey>(Infinity);
  private readonly signatures = new BoundedMap<string, BoundedMap<string, BlsSignature>>(KEPT_MESSAGES);

  constructor(private readonly seed: string) {}

  signerOf(index: number): ValidatorSigner {
    return new ValidatorSigner(this, signingKeyParts(index));
  }

  secretKeyOf(part: string): BlsSecretKey {
    return this.secretKeys.use(part, () => deriveSigningKeyPart(this.seed, part));
  }

  sign(message: Uint8Array, parts: readonly string[]): Uint8Array {
    const id = toHex(unsignedMessageId(message));
    const made = this.signatures.use(id, () => new BoundedMap<string, BlsSignature>(Infinity));
    const signatures = parts.map((part) => made.use(part, () => bls.sign(message, this.secretKeyOf(part))));
    return bls.aggregateSignatures(signatures).toBytes();
  }
}

/** The BLS key of one validator. */
export class ValidatorSigner {
  readonly secretKey: BlsSecretKey;
  /** 48 compressed bytes. */
  readonly publicKey: Uint8Array;
  private readonly cache = new BoundedMap<string, Uint8Array>(KEPT_SIGNATURES_PER_VALIDATOR);
  private proof: Uint8Array | undefined;

  constructor(
    private readonly stock: SigningStock,
    private readonly parts: readonly string[],
  ) {
    this.secretKey = addSecretKeys(parts.map((part) => stock.secretKeyOf(part)));
    this.publicKey = bls.publicKeyOf(this.secretKey).toCompressed();
  }

  /** Of this key, 96 bytes; made on first use, as a thousand of them take seconds. */
  proofOfPossession(): Uint8Array {
    return (this.proof ??= signProofOfPossession(this.secretKey).toBytes());
  }

  /** Signs the 26 bytes of a node's address. */
  signAddress(bytes: Uint8Array): Uint8Array {
    return signProofOfPossession(this.secretKey, bytes).toBytes();
  }

  /** 96 bytes; the same request again is answered from memory, as nodes do. */
  sign(message: Uint8Array): Uint8Array {
    const id = toHex(unsignedMessageId(message));
    return this.cache.use(id, () => this.stock.sign(message, this.parts));
  }
}
