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

/** Signatures by whether they are right. */
export type ProvedSignatures = ReturnType<typeof separateInvalid>;

interface Waiting {
  readonly message: Uint8Array;
  /** Who has asked for it. */
  readonly caller: string;
  readonly claims: readonly ClaimedSignature[];
  onProved(proved: ProvedSignatures): void;
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

  keep(given: Waiting): void {
    const { caller, claims } = given;
    const isFull = this.waiting.length >= MAX_WAITING || this.waitingOf.of(caller) >= MAX_WAITING_OF_CALLER;
    if (claims.length === 0 || isFull) return;
    this.waiting.push(given);
    this.waitingOf.add(caller, 1);
    if (!this.isWorking) void this.work();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      this.waitingOf.add(next.caller, -1);
      const proved = await prove(next);
      next.onProved(proved);
      await this.kept.store(unsignedMessageId(next.message), proved.valid);
    }
    this.isWorking = false;
  }
}

async function prove({ message, claims }: Waiting): Promise<ProvedSignatures> {
  const proved: ProvedSignatures = { valid: [], invalid: [] };
  for (let begin = 0; begin < claims.length; begin += PROOF_CHUNK) {
    const startedAtMs = performance.now();
    const { valid, invalid } = separateInvalid(bls, message, claims.slice(begin, begin + PROOF_CHUNK));
    proved.valid.push(...valid);
    proved.invalid.push(...invalid);
    await delay((performance.now() - startedAtMs) * PAUSE_FACTOR, undefined, { ref: false });
  }
  return proved;
}
