import { fromHex } from '../ids/hex.js';
import type { L1ValidatorRegistrationJustification } from '../warp/justification.js';
import { packL1ValidatorRegistration } from '../warp/message/l1-validator-registration.js';
import { packL1ValidatorWeight, unpackL1ValidatorWeight } from '../warp/message/l1-validator-weight.js';
import { validationIdOfRegistration } from '../warp/message/register-l1-validator.js';
import {
  packSubnetToL1Conversion,
  subnetToL1ConversionId,
  validationIdOfConversion,
} from '../warp/message/subnet-to-l1-conversion.js';
import { unpackMessage } from '../warp/message.js';
import { unpackAddressedCall } from '../warp/payload/addressed-call.js';
import type { UnsignedTx, TxOf } from './transaction.js';

/**
 * Messages that the P-chain signs about an L1 after a transaction, for the L1's validator manager (avalanchego v1.15.0
 * vms/platformvm/network/warp.go signs these and no others).
 */
export type L1Statement = {
  /** Where the validator manager lives: the chain that is to receive the message. */
  readonly managerChainId: Uint8Array;
} & (
  | { readonly kind: 'conversion'; readonly subnetId: Uint8Array; readonly conversionId: Uint8Array }
  | { readonly kind: 'registration' | 'removal'; readonly validationId: Uint8Array }
  | {
      readonly kind: 'weight';
      readonly validationId: Uint8Array;
      readonly nonce: bigint;
      readonly weight: bigint;
    }
);

/** Whether something is stated about an L1 after it. */
export function isL1Transaction({ type }: UnsignedTx): boolean {
  return type === 'ConvertSubnetToL1' || type === 'RegisterL1Validator' || type === 'SetL1ValidatorWeight';
}

/** Undefined for a transaction that nothing is stated about. Throws CodecError for one that the P-chain never accepted. */
export function l1StatementOf(tx: UnsignedTx): L1Statement | undefined {
  switch (tx.type) {
    case 'ConvertSubnetToL1': {
      const [managerChainId, subnetId] = [fromHex(tx.managerChainId), fromHex(tx.subnetId)];
      return { kind: 'conversion', managerChainId, subnetId, conversionId: conversionIdOf(tx) };
    }
    case 'RegisterL1Validator': {
      const { managerChainId, order } = unpackOrder(tx.message);
      return { kind: 'registration', managerChainId, validationId: validationIdOfRegistration(order) };
    }
    case 'SetL1ValidatorWeight': {
      const { managerChainId, order } = unpackOrder(tx.message);
      const { validationId, nonce, weight } = unpackL1ValidatorWeight(order);
      return weight === 0n
        ? { kind: 'removal', managerChainId, validationId }
        : { kind: 'weight', managerChainId, validationId, nonce, weight };
    }
    default:
      return undefined;
  }
}

/** The statement as a message's addressed call carries it. */
export function packL1Statement(statement: L1Statement): Uint8Array {
  switch (statement.kind) {
    case 'conversion':
      return packSubnetToL1Conversion({ id: statement.conversionId });
    case 'registration':
    case 'removal':
      return packL1ValidatorRegistration({
        validationId: statement.validationId,
        registered: statement.kind === 'registration',
      });
    case 'weight':
      return packL1ValidatorWeight(statement);
  }
}

/** The preimage of a validation's id, if the transaction is the one that began the validation. */
export function preimageOfValidation(
  tx: UnsignedTx,
  validationId: Uint8Array,
): L1ValidatorRegistrationJustification | undefined {
  if (tx.type === 'ConvertSubnetToL1') {
    return preimageInConversion(fromHex(tx.subnetId), tx.validators.length, validationId);
  }
  if (tx.type !== 'RegisterL1Validator') return undefined;
  const { order } = unpackOrder(tx.message);
  const isOfOrder = Buffer.compare(validationIdOfRegistration(order), validationId) === 0;
  return isOfOrder ? { kind: 'registerL1ValidatorMessage', message: order } : undefined;
}

/** The same for a conversion of which only the subnet is known: tries that many indices. */
export function preimageInConversion(
  subnetId: Uint8Array,
  validators: number,
  validationId: Uint8Array,
): L1ValidatorRegistrationJustification | undefined {
  for (let index = 0; index < validators; index++) {
    if (Buffer.compare(validationIdOfConversion(subnetId, index), validationId) === 0) {
      return { kind: 'convertSubnetToL1Tx', subnetId, index };
    }
  }
  return undefined;
}

export function conversionIdOf(tx: TxOf<'ConvertSubnetToL1'>): Uint8Array {
  return subnetToL1ConversionId({
    subnetId: fromHex(tx.subnetId),
    managerChainId: fromHex(tx.managerChainId),
    managerAddress: tx.managerAddress,
    validators: tx.validators.map(({ nodeId, signer, weight }) => ({
      nodeId: fromHex(nodeId),
      blsPublicKey: signer.publicKey,
      weight,
    })),
  });
}

/** The order of a validator manager in the signed Warp message of a transaction, and the manager's chain. Throws CodecError. */
export function unpackOrder(message: Uint8Array): { managerChainId: Uint8Array; order: Uint8Array } {
  const { sourceChainId, payload } = unpackMessage(message).unsignedMessage;
  return { managerChainId: sourceChainId, order: unpackAddressedCall(payload).payload };
}
