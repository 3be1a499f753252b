import { Injectable } from '@nestjs/common';
import { CodecError } from '../../../avalanche/codec/codec.error.js';
import {
  EMPTY_ID,
  ID_LENGTH,
  idFromString,
  idToString,
  PRIMARY_NETWORK_ID,
} from '../../../avalanche/ids/id.js';
import {
  packJustification,
  unpackJustification,
  validationIdOfJustification,
} from '../../../avalanche/warp/justification.js';
import { describeUnknownType } from '../../../avalanche/warp/message/l1-message-type.js';
import { packL1ValidatorRegistration } from '../../../avalanche/warp/message/l1-validator-registration.js';
import {
  unpackRegisterL1Validator,
  validationIdOfRegistration,
} from '../../../avalanche/warp/message/register-l1-validator.js';
import { packSubnetToL1Conversion } from '../../../avalanche/warp/message/subnet-to-l1-conversion.js';
import { makePChainMessage } from '../../../avalanche/warp/p-chain-message.js';
import { unpackPayload } from '../../../avalanche/warp/payload/payload.js';
import { unwrapMessageInput } from '../../../avalanche/warp/send-warp-log.js';
import {
  packUnsignedMessage,
  type UnsignedMessage,
  unpackUnsignedMessage,
} from '../../../avalanche/warp/unsigned-message.js';
import { badRequest } from '../../../platform/http/errors/api-error.js';
import type { Network } from '../../../platform/networks/network.js';

export interface ResolvedMessage {
  /** Packed unsigned message: what validators sign. */
  bytes: Uint8Array;
  unsignedMessage: UnsignedMessage;
  justification: Uint8Array;
}

/** From what a caller gives (bare message, log data, or a justification alone) to the bytes that validators sign. */
@Injectable()
export class MessageResolver {
  async resolve(
    network: Network,
    given: { message: Uint8Array; justification: Uint8Array },
  ): Promise<ResolvedMessage> {
    const networkId = await network.getNetworkId();
    if (given.message.length === 0) return this.derive(network, networkId, given.justification);
    const bytes = unwrap(given.message);
    const unsignedMessage = unpackUnsignedMessage(bytes);
    if (unsignedMessage.networkId !== networkId) {
      throw badRequest(
        `message: is for network ${unsignedMessage.networkId}, but ${network.name} is network ${networkId}`,
      );
    }
    await assertSignable(network, unsignedMessage);
    return { bytes, unsignedMessage, justification: given.justification };
  }

  /** P-chain messages whose content follows from their justification. */
  private async derive(
    network: Network,
    networkId: number,
    justification: Uint8Array,
  ): Promise<ResolvedMessage> {
    if (justification.length === ID_LENGTH) {
      const conversionId = await this.conversionIdOf(network, idToString(justification));
      return pChainMessage(networkId, packSubnetToL1Conversion({ id: conversionId }), justification);
    }
    const registration = registrationOf(justification);
    const registered =
      registration.isBareRegistration &&
      (await network.pChain.findL1Validator(idToString(registration.validationId))) !== undefined;
    return pChainMessage(
      networkId,
      packL1ValidatorRegistration({ validationId: registration.validationId, registered }),
      registered ? new Uint8Array(0) : registration.justification,
    );
  }

  private async conversionIdOf(network: Network, subnetId: string): Promise<Uint8Array> {
    const subnet = await network.pChain.findSubnet(subnetId);
    if (subnet === undefined) {
      throw badRequest(
        `justification: ${subnetId} is not a subnet of ${network.name}; L1ValidatorWeight cannot be derived from a ` +
          'justification: give it as the message',
      );
    }
    if (subnet.conversionId !== undefined) return idFromString(subnet.conversionId);
    throw badRequest(
      `justification: subnet ${subnetId} was not converted to an L1, there is no message to derive`,
    );
  }
}

function unwrap(message: Uint8Array): Uint8Array {
  try {
    return unwrapMessageInput(message);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw badRequest(
      `message: is neither an unsigned Warp message nor the data of a SendWarpMessage log: ${error.message}`,
      { cause: error },
    );
  }
}

/** To the Warp layer a payload is mere bytes; the chains of the primary network sign two kinds only, and others have their own. */
async function assertSignable(network: Network, message: UnsignedMessage): Promise<void> {
  try {
    const payload = unpackPayload(message.payload);
    if (payload.kind === 'addressedCall' && isOfPChain(message)) assertKnownType('message', payload.payload);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const subnetId = await network.getSubnetOf(idToString(message.sourceChainId));
    if (subnetId !== PRIMARY_NETWORK_ID) return;
    throw badRequest(
      `message: its payload is neither a hash nor an addressed call, the chains of the primary network sign no other: ${error.message}`,
      { cause: error },
    );
  }
}

function isOfPChain({ sourceChainId }: UnsignedMessage): boolean {
  return Buffer.compare(sourceChainId, EMPTY_ID) === 0;
}

/** Validators would refuse it one by one. */
function assertKnownType(part: 'message' | 'justification', l1Message: Uint8Array): void {
  const type = describeUnknownType(l1Message);
  if (type === undefined) return;
  throw badRequest(`${part}: is of ${type}, which the P-chain does not sign as far as this version knows`);
}

/** A removed validator's preimage: as P-chain nodes want it, or the bare RegisterL1Validator message. */
function registrationOf(justification: Uint8Array): {
  validationId: Uint8Array;
  justification: Uint8Array;
  isBareRegistration: boolean;
} {
  try {
    unpackRegisterL1Validator(justification);
    return {
      validationId: validationIdOfRegistration(justification),
      justification: packJustification({ kind: 'registerL1ValidatorMessage', message: justification }),
      isBareRegistration: true,
    };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
  }
  try {
    const validationId = validationIdOfJustification(unpackJustification(justification));
    return { validationId, justification, isBareRegistration: false };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    assertKnownType('justification', justification);
    throw badRequest(
      'justification: no message can be derived from it; give the message too. Alone, it must be a subnet id (32 bytes), ' +
        'a RegisterL1Validator message or an L1ValidatorRegistrationJustification; L1ValidatorWeight always needs its message',
      { cause: error },
    );
  }
}

function pChainMessage(networkId: number, l1Message: Uint8Array, justification: Uint8Array): ResolvedMessage {
  const unsignedMessage = makePChainMessage({ networkId, l1Message });
  return { bytes: packUnsignedMessage(unsignedMessage), unsignedMessage, justification };
}
