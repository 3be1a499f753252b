import { Injectable, Logger } from '@nestjs/common';
import {
  type AggregateSignaturesInput,
  type CollectedMessage,
  isFinalAggregationFailure,
  type ResolvedValidatorSet,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import { isAvalancheError } from '../../../avalanche/avalanche.error.js';
import { AggregationError } from '../../../avalanche/signature-aggregation/aggregation.error.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { SignatureCollector } from './signature-collector.js';

/** What became of a first, short attempt. */
export type CollectionOutcome =
  | { status: 'collected'; validatorSet: ResolvedValidatorSet; collected: CollectedMessage }
  | { status: 'unfinished' }
  | { status: 'failed'; error: Error & { code: string } };

/** An outcome that no run of this process has requested by then belongs to a run of another process. */
const KEEP_MS = 30_000;

/**
 * First attempts that are going on in this process. A request begins one while Temporal records it, and the run that has
 * recorded it finds the outcome here; equal requests share it.
 */
@Injectable()
export class RunningCollections {
  private readonly logger = new Logger(RunningCollections.name);
  private readonly outcomes = new Map<string, Promise<CollectionOutcome>>();

  constructor(private readonly collector: SignatureCollector) {}

  find(input: AggregateSignaturesInput): Promise<CollectionOutcome> | undefined {
    return this.outcomes.get(keyOf(input));
  }

  /** The outcome of the attempt that is going on, or of one that begins now. Never rejects. */
  join(input: AggregateSignaturesInput, at?: ValidatorSetAtHeight): Promise<CollectionOutcome> {
    const known = this.find(input);
    if (known !== undefined) return known;
    const outcome = this.attempt(input, at);
    this.outcomes.set(keyOf(input), outcome);
    setTimeout(() => this.release(input, outcome), KEEP_MS).unref();
    return outcome;
  }

  /** Once the outcome is stored, or handed on: the next equal request starts afresh. */
  release(input: AggregateSignaturesInput, outcome = this.outcomes.get(keyOf(input))): void {
    if (this.outcomes.get(keyOf(input)) === outcome) this.outcomes.delete(keyOf(input));
  }

  private async attempt(
    input: AggregateSignaturesInput,
    given: ValidatorSetAtHeight | undefined,
  ): Promise<CollectionOutcome> {
    try {
      const at = given ?? (await this.collector.resolve(input));
      const collected = await this.collector.collect(input, at, { budgetMs: input.timeouts.fastPathMs });
      return { status: 'collected', validatorSet: describeSet(at), collected };
    } catch (error) {
      if (isFinalFailure(error)) return { status: 'failed', error };
      this.logger.debug(`first attempt at ${input.requestDigest}: ${String(error)}`);
      return { status: 'unfinished' };
    }
  }
}

export function describeSet({ subnetId, pChainHeight, set }: ValidatorSetAtHeight): ResolvedValidatorSet {
  return {
    signingSubnetId: subnetId,
    pChainHeight: pChainHeight.toString(),
    validatorSetDigest: set.digest,
    validatorCount: set.validators.length,
    totalWeight: set.totalWeight.toString(),
  };
}

/** An aggregation that more time may mend is not at its end, whatever its code. */
function isFinalFailure(error: unknown): error is Error & { code: string } {
  if (!isAvalancheError(error) || !isFinalAggregationFailure(error.code)) return false;
  return !(error instanceof AggregationError) || error.isFinal;
}

function keyOf({ network, requestDigest }: AggregateSignaturesInput): string {
  return `${network}:${requestDigest}`;
}
