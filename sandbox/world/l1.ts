import { toHex } from '../../src/avalanche/ids/hex.js';
import { nodeIdFromString } from '../../src/avalanche/ids/node-id.js';
import {
  packRegisterL1Validator,
  validationIdOfRegistration,
} from '../../src/avalanche/warp/message/register-l1-validator.js';
import {
  subnetToL1ConversionId,
  validationIdOfConversion,
  type SubnetToL1ConversionData,
} from '../../src/avalanche/warp/message/subnet-to-l1-conversion.js';

/** 2030-01-01: a registration of the sandbox can be redeemed until then. It is fixed since the validation id depends on it. */
export const REGISTRATION_EXPIRY = 1_893_456_000n;

type ValidationOrigin = { kind: 'conversion'; index: number } | { kind: 'registration'; message: Uint8Array };

/** One validation period of an L1 validator, as in the P-chain's state. */
export interface L1Validation {
  readonly validationId: Uint8Array;
  readonly nodeId: string;
  readonly publicKey: Uint8Array;
  readonly weight: bigint;
  /** The next weight message must have at least this nonce. */
  readonly minNonce: bigint;
  /** nAVAX; 0 makes the validator inactive. The sandbox takes no fees. */
  readonly balance: bigint;
  readonly origin: ValidationOrigin;
}

export type Registration = L1Validation & { readonly origin: { readonly kind: 'registration' } };

export interface L1Member {
  readonly nodeId: string;
  readonly publicKey: Uint8Array;
  readonly weight: bigint;
  readonly balance: bigint;
}

export interface L1Definition {
  readonly subnetId: Uint8Array;
  readonly blockchainId: Uint8Array;
  readonly managerAddress: Uint8Array;
  /** In the order of the conversion: ascending node ids. */
  readonly founders: readonly L1Member[];
}

/** Facts about an L1 that its conversion fixed permanently. */
export class L1 {
  readonly subnetId: Uint8Array;
  readonly blockchainId: Uint8Array;
  readonly managerAddress: Uint8Array;
  readonly conversionData: SubnetToL1ConversionData;
  readonly conversionId: Uint8Array;
  readonly founders: readonly L1Validation[];

  constructor(definition: L1Definition) {
    const { subnetId, blockchainId, managerAddress, founders } = definition;
    this.subnetId = subnetId;
    this.blockchainId = blockchainId;
    this.managerAddress = managerAddress;
    this.conversionData = {
      subnetId,
      managerChainId: blockchainId,
      managerAddress,
      validators: founders.map(({ nodeId, publicKey, weight }) => ({
        nodeId: nodeIdFromString(nodeId),
        blsPublicKey: publicKey,
        weight,
      })),
    };
    this.conversionId = subnetToL1ConversionId(this.conversionData);
    this.founders = founders.map((founder, index) => ({
      ...founder,
      validationId: validationIdOfConversion(subnetId, index),
      minNonce: 0n,
      origin: { kind: 'conversion', index },
    }));
  }

  /** The validation that a RegisterL1ValidatorTx would start. Different `nonces` make different ids for one node. */
  register(member: L1Member, expiry = REGISTRATION_EXPIRY): Registration {
    const message = packRegisterL1Validator({
      subnetId: this.subnetId,
      nodeId: nodeIdFromString(member.nodeId),
      blsPublicKey: member.publicKey,
      expiry,
      remainingBalanceOwner: { threshold: 0, addresses: [] },
      disableOwner: { threshold: 0, addresses: [] },
      weight: member.weight,
    });
    return {
      ...member,
      validationId: validationIdOfRegistration(message),
      minNonce: 0n,
      origin: { kind: 'registration', message },
    };
  }
}

/** Applies a weight message: the nonce rises, and weight 0 ends the validation. */
export function withWeight(
  validations: readonly L1Validation[],
  validationId: Uint8Array,
  weight: bigint,
): L1Validation[] {
  const id = toHex(validationId);
  const changed = validations.map((validation) =>
    toHex(validation.validationId) === id
      ? { ...validation, weight, minNonce: validation.minNonce + 1n }
      : validation,
  );
  return changed.filter((validation) => validation.weight > 0n);
}
