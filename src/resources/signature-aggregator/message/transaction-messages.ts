import { Injectable } from '@nestjs/common';
import { idToString } from '../../../avalanche/ids/id.js';
import {
  type L1Statement,
  l1StatementOf,
  packL1Statement,
} from '../../../avalanche/platformvm/l1-transaction.js';
import { PlatformVmError } from '../../../avalanche/platformvm/platformvm.error.js';
import type { UnsignedTx } from '../../../avalanche/platformvm/transaction.js';
import { packJustification } from '../../../avalanche/warp/justification.js';
import { makePChainMessage } from '../../../avalanche/warp/p-chain-message.js';
import { packUnsignedMessage } from '../../../avalanche/warp/unsigned-message.js';
import { ApiError, badRequest, notFound } from '../../../platform/http/errors/api-error.js';
import { LruCache } from '../../../platform/networks/caches.js';
import { NetworkError } from '../../../platform/networks/network.error.js';
import type { Network } from '../../../platform/networks/network.js';
import type { SeenTransaction } from '../../../platform/networks/p-chain-view.js';
import { ValidationPreimages } from './validation-preimages.js';

const MAX_CACHED_TRANSACTIONS = 10_000;

/** Statements of the P-chain about an L1 after a transaction, ready to be signed. */
export interface TransactionMessage {
  readonly statement: L1Statement;
  /** Packed unsigned message. */
  readonly message: Uint8Array;
  readonly justification: Uint8Array;
  /** Cb58: the chain of the validator manager, which the message is for, and the subnet whose validators it trusts. */
  readonly destinationBlockchainId: string;
  readonly signingSubnetId: string;
}

/**
 * From the id of a P-chain transaction to the message that its L1's validator manager waits for.
 *
 * Answers differ: 400 for a transaction that never has such a message (of another kind, of the X-chain, aborted), 404
 * where there is nothing to sign now (unknown, not committed yet, overtaken by a later one, preimage not known).
 */
@Injectable()
export class TransactionMessages {
  private readonly messages = new LruCache<TransactionMessage>(MAX_CACHED_TRANSACTIONS);

  constructor(private readonly preimages: ValidationPreimages) {}

  /** Throws ApiError, RpcError. */
  async get(network: Network, txId: string): Promise<TransactionMessage> {
    const message = await this.messages.get(`${network.name}:${txId}`, () => this.derive(network, txId));
    await assertStillTrue(network, txId, message.statement);
    return message;
  }

  /** A committed transaction stays what it is. */
  private async derive(network: Network, txId: string): Promise<TransactionMessage> {
    const transaction = await readCommitted(network, txId);
    const statement = l1StatementOf(transaction);
    if (statement === undefined) throw statesNothing(txId, transaction.type);
    const networkId = await network.getNetworkId();
    const destinationBlockchainId = idToString(statement.managerChainId);
    return {
      statement,
      message: packUnsignedMessage(makePChainMessage({ networkId, l1Message: packL1Statement(statement) })),
      signingSubnetId: await subnetOfManager(network, txId, destinationBlockchainId),
      destinationBlockchainId,
      justification: await this.justificationOf(network, txId, statement),
    };
  }

  private async justificationOf(network: Network, txId: string, statement: L1Statement): Promise<Uint8Array> {
    switch (statement.kind) {
      case 'conversion':
        return statement.subnetId;
      case 'registration':
      case 'weight':
        return new Uint8Array(0);
      case 'removal': {
        const preimage = await this.preimages.find(network, statement);
        if (preimage !== undefined) return packJustification(preimage);
        throw notFound(
          `transaction ${txId} removed the validation ${idToString(statement.validationId)}, and the RegisterL1Validator message ` +
            `that began it, which P-chain validators require, is not in the P-chain index of ${network.name} (yet). ` +
            'For the same signatures, POST aggregateSignatures with that message as the justification',
        );
      }
    }
  }
}

async function readCommitted(network: Network, txId: string): Promise<UnsignedTx> {
  const found = await find(network, txId);
  switch (found?.status) {
    case 'Committed':
      if (found.unsigned !== undefined) return found.unsigned;
      throw statesNothing(txId, found.type);
    case 'Processing':
      throw notFound(`transaction ${txId} is not committed on the P-chain of ${network.name} yet`);
    case 'Dropped':
      throw notFound(
        `transaction ${txId} was dropped by the P-chain of ${network.name}: ${found.reason ?? 'no reason given'}`,
      );
    case 'Aborted':
      throw badRequest(
        `txHash: ${txId} was aborted by the P-chain of ${network.name}: no message follows from it`,
      );
    case undefined:
      throw await explainUnknown(network, txId);
  }
}

async function find(network: Network, txId: string): Promise<SeenTransaction | undefined> {
  try {
    return await network.pChain.findTransaction(txId);
  } catch (error) {
    if (!(error instanceof PlatformVmError)) throw error;
    throw new ApiError(
      502,
      `the network's node failed: transaction ${txId} cannot be read: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

function statesNothing(txId: string, type: string): ApiError {
  return badRequest(
    `txHash: ${txId} is a P-chain transaction of type ${type}, which produces no L1 message; ` +
      'only ConvertSubnetToL1, RegisterL1Validator and SetL1ValidatorWeight do',
  );
}

async function explainUnknown(network: Network, txId: string): Promise<ApiError> {
  const isOnXChain = await network.pChain.isOnXChain(txId);
  if (isOnXChain === true) {
    return badRequest(`txHash: ${txId} is an X-chain transaction, which produces no L1 message`);
  }
  const asked = isOnXChain === undefined ? 'P-chain (its X-chain did not answer)' : 'P- and X-chain';
  return notFound(`transaction ${txId} is unknown to the ${asked} of ${network.name}`);
}

async function subnetOfManager(network: Network, txId: string, blockchainId: string): Promise<string> {
  try {
    return await network.getSubnetOf(blockchainId);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw badRequest(
      `txHash: ${txId} names a validator manager on ${blockchainId}, which is not a blockchain of ${network.name}`,
      { cause: error },
    );
  }
}

/** P-chain validators sign what is true now. A workflow that asks them for what was true before would only fail. */
async function assertStillTrue(network: Network, txId: string, statement: L1Statement): Promise<void> {
  if (statement.kind !== 'registration' && statement.kind !== 'weight') return;
  const validator = await network.pChain.findL1Validator(idToString(statement.validationId));
  if (validator === undefined) {
    throw notFound(
      `the validation ${idToString(statement.validationId)} of transaction ${txId} is over: validators no longer sign that it is registered`,
    );
  }
  // Not the other way round: a node behind the one that reported the transaction may still know the lower nonce.
  if (statement.kind === 'weight' && validator.minNonce > statement.nonce + 1n) {
    throw notFound(
      `a later change has replaced the weight of transaction ${txId} (nonce ${statement.nonce}): the last one has nonce ${validator.minNonce - 1n}`,
    );
  }
}
