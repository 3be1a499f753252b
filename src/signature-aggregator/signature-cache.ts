import { Injectable, Logger } from '@nestjs/common';
import { bls, type BlsSignature } from '../avalanche/bls/bls.js';
import { toHex } from '../avalanche/ids/hex.js';
import { type ClaimedSignature, separateInvalid } from '../avalanche/signature-aggregation/bisect.js';
import type { CanonicalValidatorSet } from '../avalanche/warp/canonical-validator-set.js';
import { SignatureRepository } from './signature.repository.js';

/** What is known of one message's signatures, and where new ones are put down while they are gathered. */
export interface SignatureSession {
  /** By index in the canonical set. */
  readonly known: ReadonlyMap<number, BlsSignature>;
  /** Stores verified signatures, beside other work. */
  add(batch: readonly ClaimedSignature[]): void;
  /** Resolves when all added signatures are stored, or could not be. */
  flush(): Promise<void>;
}

/** Claims of so many validators in all are kept in memory: those of the last 50 messages on the largest network. */
const MAX_REMEMBERED_CLAIMS = 50_000;

/**
 * Verified signatures by (message, whole public key), in Postgres: any worker resumes from them. Those that came in with a
 * message that verified as a whole were never proved by themselves; they are kept in memory, and proved when the same message
 * is asked for again, with another quorum for example. Mostly it is not.
 */
@Injectable()
export class SignatureCache {
  private readonly logger = new Logger(SignatureCache.name);
  private readonly remembered = new Map<string, readonly ClaimedSignature[]>();
  private rememberedClaims = 0;

  constructor(private readonly repository: SignatureRepository) {}

  /** `isResumed`: signatures that an earlier attempt has stored are looked for. */
  async open(
    messageId: Uint8Array,
    message: Uint8Array,
    set: CanonicalValidatorSet,
    { isResumed }: { isResumed: boolean },
  ): Promise<SignatureSession> {
    const id = Buffer.from(messageId);
    const remembered = this.proveRemembered(id, message);
    const indexOf = remembered.length > 0 || isResumed ? indexByKey(set) : new Map<string, number>();
    const known = isResumed ? await this.load(id, indexOf) : new Map<number, BlsSignature>();
    for (const { publicKey, signature } of remembered) {
      const index = indexOf.get(toHex(publicKey.toCompressed()));
      if (index !== undefined) known.set(index, signature);
    }
    let writing: Promise<void> = Promise.resolve();
    return {
      known,
      add: (batch) => {
        if (batch.length === 0) return;
        const rows = batch.map(({ publicKey, signature }) => ({
          publicKey: Buffer.from(publicKey.toCompressed()),
          signature: Buffer.from(signature.toBytes()),
        }));
        // One after the other: batches of one message would only wait for each other's rows in Postgres.
        writing = writing.then(() => this.store(id, rows));
      },
      flush: () => writing,
    };
  }

  /** Keeps signatures that nobody has proved one by one. */
  remember(messageId: Uint8Array, claims: readonly ClaimedSignature[]): void {
    const key = toHex(messageId);
    this.keep(key, [...(this.remembered.get(key) ?? []), ...claims]);
    for (const oldest of this.remembered.keys()) {
      if (this.rememberedClaims <= MAX_REMEMBERED_CLAIMS || oldest === key) break;
      this.keep(oldest, []);
    }
  }

  private proveRemembered(messageId: Buffer, message: Uint8Array): readonly ClaimedSignature[] {
    const key = toHex(messageId);
    const claims = this.remembered.get(key);
    if (claims === undefined) return [];
    const { valid } = separateInvalid(bls, message, claims);
    this.keep(key, valid);
    return valid;
  }

  /** As the newest; nothing when there are no claims. */
  private keep(key: string, claims: readonly ClaimedSignature[]): void {
    this.rememberedClaims += claims.length - (this.remembered.get(key)?.length ?? 0);
    this.remembered.delete(key);
    if (claims.length > 0) this.remembered.set(key, claims);
  }

  private async load(
    messageId: Buffer,
    indexOf: ReadonlyMap<string, number>,
  ): Promise<Map<number, BlsSignature>> {
    const known = new Map<number, BlsSignature>();
    for (const { publicKey, signature } of await this.repository.findSignatures(messageId)) {
      const index = indexOf.get(toHex(publicKey));
      if (index !== undefined) known.set(index, bls.signatureFromBytes(signature));
    }
    return known;
  }

  /** A signature that is not stored is only gathered again; that must not cost the aggregation. */
  private async store(messageId: Buffer, rows: { publicKey: Buffer; signature: Buffer }[]): Promise<void> {
    try {
      await this.repository.saveSignatures(messageId, rows);
    } catch (error) {
      this.logger.warn(`${rows.length} signatures of ${toHex(messageId)} not stored: ${String(error)}`);
    }
  }
}

function indexByKey({ validators }: CanonicalValidatorSet): Map<string, number> {
  return new Map(validators.map(({ publicKeyBytes }, index) => [toHex(publicKeyBytes), index]));
}
