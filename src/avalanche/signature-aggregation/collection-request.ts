import type { UncheckedBlsSignature } from '../bls/bls.js';
import type { PeerRequestErrorCode } from '../p2p/peer-request.error.js';
import type { CanonicalValidatorSet } from '../warp/canonical-validator-set.js';
import type { AnswerTimes } from './answer-times.js';
import type { SignedMessage } from './assemble-signed-message.js';
import type { ClaimedSignature } from './bisect.js';
import type { DistrustedSigners } from './distrusted-signers.js';

/** All in milliseconds. */
export interface CollectionLimits {
  /** After this, what was gathered decides. */
  timeoutMs: number;
  /** Time to get the quorum's weight connected. */
  connectTimeoutMs: number;
  /** Time after which the bare quorum is enough: the buffer is best effort. */
  bufferTimeoutMs: number;
  /** Time for one validator's answer. */
  requestTimeoutMs: number;
  /** How long refusals that may come from lag are asked again. */
  refusalRetryMs: number;
  /** How long those are that may come from a block that is accepted and not executed yet. */
  executionRetryMs: number;
  /**
   * Time without an answer after which the validators are asked that the first wave spared; 250 unless given, and longer where answers take
   * longer at present.
   */
  secondWaveMs?: number;
  /** How long a buffer is waited for that only validators without a connection could give; 1000 unless given. */
  absenceGraceMs?: number;
}

export interface CollectSignaturesRequest {
  /** The bytes that validators sign: a packed unsigned Warp message. */
  message: Uint8Array;
  justification: Uint8Array;
  /** The chain whose validators are asked, 32 bytes. The request always goes to the source chain, whatever subnet signs. */
  sourceChainId: Uint8Array;
  validatorSet: CanonicalValidatorSet;
  quorumPercentage: number;
  quorumPercentageBuffer: number;
  /** Entries whose signatures never count, though their weight does in the total, such as L1 validators about to run out of balance. */
  excluded?: ReadonlySet<number>;
  /**
   * Signatures by index, gathered before; they are not asked for again. Should the message not verify, they are proved like all
   * others, and those that are wrong are asked for once more.
   */
  known?: ReadonlyMap<number, UncheckedBlsSignature>;
  /** Who signed wrongly in earlier collections; who does so in this one is added. */
  distrusted?: DistrustedSigners;
  /** How long answers took in earlier collections; those of this one are added. */
  answerTimes?: AnswerTimes;
  limits: CollectionLimits;
  /** Whether only a few of the heaviest validators are asked until one of them signs: costs a round trip, and a made-up message little. */
  sentinelsFirst?: boolean;
  /** Whether the bare quorum is enough when `timeoutMs` is over. False for a first, short attempt, which leaves that to the next. */
  acceptQuorumAtTimeout: boolean;
  signal?: AbortSignal;
  /** Receives each batch of signatures right after it was verified. */
  onVerified?: (batch: readonly ClaimedSignature[]) => void;
  /**
   * Receives signatures that were asked for and came in a moment after the message was complete, unproved. Unless it is given, nobody
   * waits for them.
   */
  onLate?: (claims: readonly ClaimedSignature[]) => void;
  /** Hears what came of each question to a validator. */
  onAnswer?: (answer: ObservedAnswer) => void;
}

/**
 * - `signature`: well-formed, and not proved yet; `wrong_signature`: one of these that turned out to be wrong;
 * - `empty`: the validator has none; `malformed`: no signature could be made of it;
 * - the others are why there is no answer: `app_error` is a refusal.
 */
export type ValidatorAnswer =
  'signature' | 'wrong_signature' | 'empty' | 'malformed' | Lowercase<PeerRequestErrorCode>;

export interface ObservedAnswer {
  readonly kind: ValidatorAnswer;
  /** Of the entry in the canonical set, and of its nodes the one that was asked. */
  readonly index: number;
  readonly nodeId: string;
  /** Of what is no signature, for people. */
  readonly text: string;
  /** Of a refusal whether it is about the node, whatever the message. */
  readonly isFinal: boolean;
  /** Milliseconds from the question; undefined where nothing was waited for. */
  readonly elapsedMs: number | undefined;
}

export interface CollectedMessage extends SignedMessage {
  /**
   * Signatures that came in and were not proved one by one: the whole was verified, which is all that the message needs. Each of
   * them may be wrong and outside the subgroup; `separateInvalid` finds out.
   */
  unproven: readonly ClaimedSignature[];
}
