import { Injectable, Logger } from '@nestjs/common';
import type {
  AggregateSignaturesInput,
  SignedMessage,
} from '../../../../workflows/contracts/aggregate-signatures.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { KeptSignatures } from './kept-signatures.js';
import { SignatureRepository } from './signature.repository.js';

export interface AnswerWithoutValidators {
  readonly source: 'stored' | 'assembled';
  /** Hex, without 0x. */
  readonly signedMessage: string;
}

/** Answers for which no validator is asked: the stored result or, from stored signatures, one that is put together anew. */
@Injectable()
export class StoredAnswers {
  private readonly logger = new Logger(StoredAnswers.name);

  constructor(
    private readonly repository: SignatureRepository,
    private readonly kept: KeptSignatures,
  ) {}

  /** `hasSignatures`: whether some are stored, be they enough or not. */
  async find(
    network: Network,
    input: AggregateSignaturesInput,
    signingSet: Promise<ValidatorSetAtHeight | undefined>,
  ): Promise<{ answer: AnswerWithoutValidators | undefined; hasSignatures: boolean }> {
    const { signedMessage, hasSignatures } = await this.repository.findAnswer(input, signingSet);
    if (signedMessage !== undefined) return { answer: { source: 'stored', signedMessage }, hasSignatures };
    const at = await signingSet;
    const assembled =
      hasSignatures && at !== undefined ? await this.kept.assemble(network, input, at) : undefined;
    if (assembled === undefined) return { answer: undefined, hasSignatures };
    void this.store(input, assembled);
    const answer = { source: 'assembled', signedMessage: assembled.collected.signedMessage } as const;
    return { answer, hasSignatures };
  }

  /** Beside the answer, which can be put together again. */
  private async store(input: AggregateSignaturesInput, signed: SignedMessage): Promise<void> {
    const { network, requestDigest, sourceBlockchainId } = input;
    const { validatorSet, collected } = signed;
    const row = { network, requestDigest, sourceBlockchainId, validatorSet, collected, isAwaited: false };
    try {
      await this.repository.saveAggregated([row]);
    } catch (error) {
      this.logger.warn(`${requestDigest} not stored: ${String(error)}`);
    }
  }
}
