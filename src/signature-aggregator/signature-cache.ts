import { Injectable, Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { bls, type BlsSignature } from '../avalanche/bls/bls.js';
import { toHex } from '../avalanche/ids/hex.js';
import { type ClaimedSignature, separateInvalid } from '../avalanche/signature-aggregation/bisect.js';
import type { CanonicalValidatorSet } from '../avalanche/warp/canonical-validator-set.js';
import { SignatureRepository } from './signature.repository.js';

/** What is known of one message's signatures, and where new ones are put down while they are gathered. */
export interface SignatureSession {
  /** By index in the canonical set. */
  readonly known: ReadonlyMap<number, BlsSignature>;
  add(batch: readonly ClaimedSignature[]): void;
  /** Proves signatures one by one and adds those that hold; the others are reported. Runs beside other work, never rejects. */
  prove(
    message: Uint8Array,
    claims: readonly ClaimedSignature[],
    onInvalid: (claim: ClaimedSignature) => void,
  ): Promise<void>;
  /** Resolves when all added signatures are stored, or could not be. */
  flush(): Promise<void>;
}

/** Proving so many at once takes about 10 ms; other requests are served in between. */
const PROOF_CHUNK = 64;

/** Verified signatures by (message, whole public key), in Postgres: any worker resumes from them. */
@Injectable()
export class SignatureCache {
  private readonly logger = new Logger(SignatureCache.name);

  constructor(private readonly repository: SignatureRepository) {}

  async open(messageId: Uint8Array, set: CanonicalValidatorSet): Promise<SignatureSession> {
    const id = Buffer.from(messageId);
    const known = await this.load(id, set);
    let writing: Promise<void> = Promise.resolve();
    const session: SignatureSession = {
      known,
      prove: async (message, claims, onInvalid) => {
        try {
          for (let start = 0; start < claims.length; start += PROOF_CHUNK) {
            await setImmediate();
            const { valid, invalid } = separateInvalid(
              bls,
              message,
              claims.slice(start, start + PROOF_CHUNK),
            );
            session.add(valid);
            invalid.forEach(onInvalid);
          }
        } catch (error) {
          this.logger.error(error);
        }
      },
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
    return session;
  }

  private async load(messageId: Buffer, set: CanonicalValidatorSet): Promise<Map<number, BlsSignature>> {
    const rows = await this.repository.findSignatures(messageId);
    const known = new Map<number, BlsSignature>();
    if (rows.length === 0) return known;
    const indexOf = new Map(
      set.validators.map(({ publicKeyBytes }, index) => [toHex(publicKeyBytes), index]),
    );
    for (const { publicKey, signature } of rows) {
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
