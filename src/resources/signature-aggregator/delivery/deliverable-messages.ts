import { Injectable, Logger } from '@nestjs/common';
import { isAvalancheError } from '../../../avalanche/avalanche.error.js';
import { ApiError } from '../../../platform/http/errors/api-error.js';
import type { Network } from '../../../platform/networks/network.js';
import { type MessageToDeliver, RequestedMessages } from '../message/requested-messages.js';
import { findSigningSet } from '../message/signing-set.js';
import { SignatureRepository } from '../store/signature.repository.js';
import { StoredAnswers } from '../store/stored-answers.js';
import { Deliveries } from './deliveries.js';
import type { DeliveryResponse } from './delivery.response.js';

/** Nobody's: no validator is asked to sign, and nothing recorded. */
const NO_ORIGIN = { requestId: '', owner: '' } as const;

export interface DeliverableMessage {
  /** Hex, without 0x. */
  readonly signedMessage: string;
  readonly delivery: DeliveryResponse;
}

/** Signed messages with all that delivering them takes, from what is stored. */
@Injectable()
export class DeliverableMessages {
  private readonly logger = new Logger(DeliverableMessages.name);

  constructor(
    private readonly signatures: SignatureRepository,
    private readonly messages: RequestedMessages,
    private readonly answers: StoredAnswers,
    private readonly deliveries: Deliveries,
  ) {}

  /**
   * As a request with that destination is answered, whose signatures are stored. Undefined where they are not, and while the network does
   * not state who has to sign. `isExpected`: that they are, although those of single validators may not be proved yet.
   */
  async find(
    network: Network,
    message: MessageToDeliver,
    { isExpected }: { isExpected: boolean },
  ): Promise<DeliverableMessage | undefined> {
    // Who has to sign may have to be asked of an L1's validators: not for what nobody has had signed.
    if (!isExpected && !(await this.signatures.hasSignatures(message.message))) return undefined;
    const { destinationBlockchainId } = message;
    try {
      const input = await this.messages.forDestination(network, message, NO_ORIGIN);
      const { answer } = await this.answers.find(network, input, findSigningSet(network, input));
      if (answer === undefined) return undefined;
      const { signedMessage } = answer;
      const passage = { signedMessage, destinationBlockchainId };
      return { signedMessage, delivery: await this.deliveries.describe(network, input, passage) };
    } catch (error) {
      if (!isAvalancheError(error) && !(error instanceof ApiError)) throw error;
      this.logger.debug(`signers for ${destinationBlockchainId} not known: ${error.message}`);
      return undefined;
    }
  }
}
