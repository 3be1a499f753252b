import { Injectable, Logger } from '@nestjs/common';
import type {
  AggregateSignaturesInput,
  SignedMessage,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import { bls, type UncheckedBlsSignature } from '../../../avalanche/bls/bls.js';
import { fromHex, toHex } from '../../../avalanche/ids/hex.js';
import { assembleSignedMessage } from '../../../avalanche/signature-aggregation/assemble-signed-message.js';
import type { ClaimedSignature } from '../../../avalanche/signature-aggregation/bisect.js';
import { hasQuorum } from '../../../avalanche/signature-aggregation/quorum.js';
import { selectSigners } from '../../../avalanche/signature-aggregation/select-signers.js';
import type {
  CanonicalValidator,
  CanonicalValidatorSet,
} from '../../../avalanche/warp/canonical-validator-set.js';
import { unsignedMessageId } from '../../../avalanche/warp/unsigned-message.js';
import { WarpVerificationError } from '../../../avalanche/warp/verify-message.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { describeSet } from '../message/signing-set.js';
import { toPayload } from '../message/signed-message.js';
import { type KnownSignature, SignatureRepository } from './signature.repository.js';

/** The stored signatures of one message, and where new ones are recorded while they are gathered. */
export interface SignatureSession {
  /** By index in the canonical set; to be proved when a message with them does not verify. */
  readonly known: ReadonlyMap<number, UncheckedBlsSignature>;
  /** Stores verified signatures, beside other work. */
  add(batch: readonly ClaimedSignature[]): void;
  /** Resolves when all added signatures are stored, or could not be. */
  flush(): Promise<void>;
}

/**
 * Proved signatures by message and whole public key, in Postgres. They depend on no validator set, height or quorum: when one of these
 * changes, a message is put together anew from those of the validators of today, in any process.
 */
@Injectable()
export class KeptSignatures {
  private readonly logger = new Logger(KeptSignatures.name);

  constructor(private readonly repository: SignatureRepository) {}

  /** Undefined when those that are kept do not reach quorum and buffer in this set. */
  async assemble(
    network: Network,
    input: AggregateSignaturesInput,
    at: ValidatorSetAtHeight,
  ): Promise<SignedMessage | undefined> {
    const message = fromHex(input.message);
    const [rows, excluded] = await Promise.all([
      this.repository.findSignatures(Buffer.from(unsignedMessageId(message))),
      network.getExcludedSigners(at),
    ]);
    const { totalWeight } = at.set;
    const candidates = ofSet(at.set, rows).filter(({ index }) => !excluded.has(index));
    const percentage = input.quorumPercentage + input.quorumPercentageBuffer;
    const signers = selectSigners(candidates, { totalWeight, percentage });
    const signedWeight = signers.reduce((sum, { weight }) => sum + weight, 0n);
    if (!hasQuorum({ signers: signers.length, signedWeight, totalWeight, percentage })) return undefined;
    try {
      const signed = assembleSignedMessage(bls, {
        message,
        validatorSet: at.set,
        quorumPercentage: input.quorumPercentage,
        quorumPercentageBuffer: input.quorumPercentageBuffer,
        signatures: parsed(signers),
      });
      return { validatorSet: describeSet(at), collected: toPayload(signed, at.set) };
    } catch (error) {
      if (!(error instanceof WarpVerificationError)) throw error;
      this.logger.warn(`kept signatures of ${input.requestDigest} do not verify: ${error.message}`);
      return undefined;
    }
  }

  /** `isNew`: nothing can be stored of the message. */
  async open(
    messageId: Uint8Array,
    set: CanonicalValidatorSet,
    { isNew }: { isNew: boolean },
  ): Promise<SignatureSession> {
    const rows = isNew ? [] : await this.repository.findSignatures(Buffer.from(messageId));
    let writing: Promise<void> = Promise.resolve();
    return {
      known: parsed(ofSet(set, rows)),
      add: (batch) => {
        // One after the other: batches of one message would only wait for each other's rows in Postgres.
        writing = writing.then(() => this.store(messageId, batch));
      },
      flush: () => writing,
    };
  }

  /** Proved ones. Never rejects: a signature that is not stored is only gathered again, which must not cost the aggregation. */
  async store(messageId: Uint8Array, batch: readonly ClaimedSignature[]): Promise<void> {
    try {
      await this.repository.saveSignatures(Buffer.from(messageId), batch.map(rowOf));
    } catch (error) {
      this.logger.warn(`${batch.length} signatures of ${toHex(messageId)} not stored: ${String(error)}`);
    }
  }
}

function rowOf({ publicKey, signature }: ClaimedSignature): KnownSignature {
  return {
    publicKey: Buffer.from(publicKey.toCompressed()),
    signature: Buffer.from(signature.toUncompressed()),
  };
}

interface KeptSignature {
  readonly index: number;
  readonly weight: bigint;
  /** 192 bytes. */
  readonly signature: Buffer;
}

/** Those of today's validators, with their places. */
function ofSet({ validators }: CanonicalValidatorSet, rows: readonly KnownSignature[]): KeptSignature[] {
  if (rows.length === 0) return [];
  const places = placesOf(validators);
  return rows.flatMap(({ publicKey, signature }) => {
    const index = places.get(publicKey.toString('hex'));
    const validator = index === undefined ? undefined : validators[index];
    return index === undefined || validator === undefined
      ? []
      : [{ index, weight: validator.weight, signature }];
  });
}

const places = new WeakMap<readonly CanonicalValidator[], ReadonlyMap<string, number>>();

/** By key, as hex. Remembered: many messages are put together for one set. */
function placesOf(validators: readonly CanonicalValidator[]): ReadonlyMap<string, number> {
  let known = places.get(validators);
  if (known === undefined) {
    known = new Map(validators.map(({ publicKeyBytes }, index) => [toHex(publicKeyBytes), index]));
    places.set(validators, known);
  }
  return known;
}

function parsed(kept: readonly KeptSignature[]): Map<number, UncheckedBlsSignature> {
  return new Map(
    kept.map(({ index, signature }) => [index, bls.uncheckedSignatureFromUncompressed(signature)]),
  );
}
