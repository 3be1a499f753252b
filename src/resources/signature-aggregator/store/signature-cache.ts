import { Injectable, Logger } from '@nestjs/common';
import { bls, type UncheckedBlsSignature } from '../../../avalanche/bls/bls.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import type { ClaimedSignature } from '../../../avalanche/signature-aggregation/bisect.js';
import type { CanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import { SignatureRepository } from './signature.repository.js';

/** The known signatures of one message, and where new ones are recorded while they are gathered. */
export interface SignatureSession {
  /** By index in the canonical set; to be proved when a message with them does not verify. */
  readonly known: ReadonlyMap<number, UncheckedBlsSignature>;
  /** Stores verified signatures, beside other work. */
  add(batch: readonly ClaimedSignature[]): void;
  /** Resolves when all added signatures are stored, or could not be. */
  flush(): Promise<void>;
}

/** Claims of so many validators in all are kept in memory: those of the last 50 messages on the largest network. */
const MAX_REMEMBERED_CLAIMS = 50_000;
/** Who asks for the same message with another quorum does so soon. */
const LIFE_MS = 600_000;

/**
 * Signatures by (message, whole public key). Verified ones are in Postgres: any worker resumes from them. Those that came in with
 * a message that verified as a whole were never proved by themselves; they stay in memory for a while, for the case that the same
 * message is asked for again, with another quorum for example. Mostly it is not.
 */
@Injectable()
export class SignatureCache {
  private readonly logger = new Logger(SignatureCache.name);
  /** By message id. */
  private readonly remembered = new Map<string, RememberedClaims>();
  private rememberedClaims = 0;

  constructor(private readonly repository: SignatureRepository) {}

  /** `isResumed`: signatures that an earlier attempt has stored are looked for. */
  async open(
    messageId: Uint8Array,
    set: CanonicalValidatorSet,
    { isResumed }: { isResumed: boolean },
  ): Promise<SignatureSession> {
    const id = Buffer.from(messageId);
    const remembered = this.remembered.get(toHex(messageId))?.claims ?? [];
    const stored = isResumed ? await this.load(id) : [];
    let writing: Promise<void> = Promise.resolve();
    return {
      known: byIndex(set, [...remembered, ...stored]),
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

  /** Keeps signatures that have not been verified individually. */
  remember(messageId: Uint8Array, claims: readonly ClaimedSignature[]): void {
    if (claims.length === 0) return;
    const key = toHex(messageId);
    const known = claims.map(({ publicKey, signature }) => ({
      key: toHex(publicKey.toCompressed()),
      signature,
    }));
    this.keep(key, [...(this.remembered.get(key)?.claims ?? []), ...known]);
    const tooOld = performance.now() - LIFE_MS;
    for (const [oldest, { atMs }] of this.remembered) {
      if (oldest === key || (atMs > tooOld && this.rememberedClaims <= MAX_REMEMBERED_CLAIMS)) break;
      this.keep(oldest, []);
    }
  }

  /** As the newest; nothing when there are no claims. */
  private keep(key: string, claims: readonly KnownSignature[]): void {
    this.rememberedClaims += claims.length - (this.remembered.get(key)?.claims.length ?? 0);
    this.remembered.delete(key);
    if (claims.length > 0) this.remembered.set(key, { claims, atMs: performance.now() });
  }

  private async load(messageId: Buffer): Promise<KnownSignature[]> {
    const rows = await this.repository.findSignatures(messageId);
    return rows.map(({ publicKey, signature }) => ({
      key: toHex(publicKey),
      signature: bls.uncheckedSignatureFromBytes(signature),
    }));
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

interface RememberedClaims {
  readonly claims: readonly KnownSignature[];
  readonly atMs: number;
}

interface KnownSignature {
  /** Hex of the compressed public key. */
  key: string;
  signature: UncheckedBlsSignature;
}

/** Those of the set's validators; a set may have changed since. The last of two counts. */
function byIndex(
  { validators }: CanonicalValidatorSet,
  signatures: readonly KnownSignature[],
): Map<number, UncheckedBlsSignature> {
  if (signatures.length === 0) return new Map();
  const indexOf = new Map(validators.map(({ publicKeyBytes }, index) => [toHex(publicKeyBytes), index]));
  return new Map(
    signatures.flatMap(({ key, signature }): [number, UncheckedBlsSignature][] => {
      const index = indexOf.get(key);
      return index === undefined ? [] : [[index, signature]];
    }),
  );
}
