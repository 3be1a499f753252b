import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { bls } from '../../../avalanche/bls/bls.js';
import { type ClaimedSignature, separateInvalid } from '../../../avalanche/signature-aggregation/bisect.js';
import { unsignedMessageId } from '../../../avalanche/warp/unsigned-message.js';
import { KeyedCounts } from '../../../platform/keyed-counts.js';
import { KeptSignatures } from './kept-signatures.js';
import { PROOF_CHUNK } from '../../../avalanche/signature-aggregation/proofs.js';

/** Messages whose signatures wait to be proved; beyond that they are forgotten, since they can be gathered again. */
const MAX_WAITING = 512;
const MAX_WAITING_OF_CALLER = 128;
/** For each millisecond of proving so many are left to others: proofs take at most a tenth of the process. */
const PAUSE_FACTOR = 9;

interface Waiting {
  readonly message: Uint8Array;
  readonly caller: string;
  readonly claims: readonly ClaimedSignature[];
}

/**
 * Proves, one by one, signatures that were verified as a whole only, and stores them for requests to come. It does so after the answer
 * and beside all else: what it has no time for is dropped, the messages of one caller first.
 */
@Injectable()
export class SignatureKeeper {
  private readonly waiting: Waiting[] = [];
  private readonly waitingOf = new KeyedCounts();
  private isWorking = false;

  constructor(private readonly kept: KeptSignatures) {}

  /** `caller`: who has asked for the message. */
  keep(message: Uint8Array, caller: string, claims: readonly ClaimedSignature[]): void {
    const isFull = this.waiting.length >= MAX_WAITING || this.waitingOf.of(caller) >= MAX_WAITING_OF_CALLER;
    if (claims.length === 0 || isFull) return;
    this.waiting.push({ message, caller, claims });
    this.waitingOf.add(caller, 1);
    if (!this.isWorking) void this.work();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      this.waitingOf.add(next.caller, -1);
      await this.kept.store(unsignedMessageId(next.message), await prove(next));
    }
    this.isWorking = false;
  }
}

async function prove({ message, claims }: Waiting): Promise<ClaimedSignature[]> {
  const proved: ClaimedSignature[] = [];
  for (let begin = 0; begin < claims.length; begin += PROOF_CHUNK) {
    const startedAtMs = performance.now();
    const { valid } = separateInvalid(bls, message, claims.slice(begin, begin + PROOF_CHUNK));
    proved.push(...valid);
    await delay((performance.now() - startedAtMs) * PAUSE_FACTOR, undefined, { ref: false });
  }
  return proved;
}
