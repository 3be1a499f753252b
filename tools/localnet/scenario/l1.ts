import { z } from 'zod';
import { poll } from '../../../sandbox/local/processes/poll.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners, PChainOwner } from '../../../src/avalanche/platformvm/output.js';
import type { ConvertSubnetToL1Validator } from '../../../src/avalanche/platformvm/transaction.js';
import { packL1ValidatorWeight } from '../../../src/avalanche/warp/message/l1-validator-weight.js';
import {
  packRegisterL1Validator,
  validationIdOfRegistration,
} from '../../../src/avalanche/warp/message/register-l1-validator.js';
import { validationIdOfConversion } from '../../../src/avalanche/warp/message/subnet-to-l1-conversion.js';
import { FEE, type Scenario } from './context.js';
import type { Identity } from './identities.js';
import { signManagerMessage } from './l1-messages.js';
import { compareText } from './spend.js';
import { toText } from './wallet.js';

/** Manager of the L1s of the scenarios on the C-chain: the funded key's EVM address. */
const MANAGER_ADDRESS = '8db97c7cece249c2b98bdc0226cc4c2a57bf52fc';

const REGISTRATION_SECONDS = 3_600n;
const EVICTION_TIMEOUT_MS = 180_000;

export interface NewL1Validator {
  readonly identity: Identity;
  readonly weight: bigint;
  /** nAVAX; zero makes it inactive from the start. */
  readonly balance: bigint;
  readonly remainingBalanceOwner: PChainOwner;
  readonly deactivationOwner: PChainOwner;
}

export interface Conversion {
  readonly subnetId: Id;
  readonly owner: OutputOwners;
  readonly managerChainId: Id;
  /** By default that of the scenarios, hex without 0x. */
  readonly managerAddress?: string;
  readonly validators: readonly NewL1Validator[];
}

/** The validation ids are in the order of the validators given. */
export async function convertToL1(
  { wallet }: Pick<Scenario, 'wallet'>,
  l1: Conversion,
): Promise<{ txId: Id; validationIds: Id[] }> {
  const sorted = l1.validators.map(toConversionValidator).sort((a, b) => compareText(a.nodeId, b.nodeId));
  const balances = sorted.reduce((sum, { balance }) => sum + balance, 0n);
  const txId = await wallet.run({ burn: FEE + balances, authorizedBy: l1.owner }, ({ base, auth }) => ({
    type: 'ConvertSubnetToL1',
    ...base,
    subnetId: l1.subnetId,
    managerChainId: l1.managerChainId,
    managerAddress: fromHex(l1.managerAddress ?? MANAGER_ADDRESS),
    validators: sorted,
    subnetAuth: auth,
  }));
  const validationIds = l1.validators.map(({ identity }) => {
    const index = sorted.findIndex(({ nodeId }) => nodeId === identity.nodeId);
    return toHex(validationIdOfConversion(fromHex(l1.subnetId), index));
  });
  return { txId, validationIds };
}

function toConversionValidator(validator: NewL1Validator): ConvertSubnetToL1Validator {
  const { identity, weight, balance, remainingBalanceOwner, deactivationOwner } = validator;
  const { nodeId, signer } = identity;
  return { nodeId, weight, balance, signer, remainingBalanceOwner, deactivationOwner };
}

/** Resolves with the validation id. */
export async function registerL1Validator(
  scenario: Scenario,
  subnetId: Id,
  validator: NewL1Validator,
): Promise<Id> {
  const payload = packRegistration(scenario, subnetId, validator);
  await submitRegistration(scenario, validator, sign(scenario, payload));
  return toHex(validationIdOfRegistration(payload));
}

/** Messages of the L1's manager. */
export function packRegistration(
  scenario: Pick<Scenario, 'now'>,
  subnetId: Id,
  { identity, weight, remainingBalanceOwner, deactivationOwner }: NewL1Validator,
): Uint8Array {
  return packRegisterL1Validator({
    subnetId: fromHex(subnetId),
    nodeId: fromHex(identity.nodeId),
    blsPublicKey: identity.signer.publicKey,
    expiry: scenario.now() + REGISTRATION_SECONDS,
    remainingBalanceOwner: toWarpOwner(remainingBalanceOwner),
    disableOwner: toWarpOwner(deactivationOwner),
    weight,
  });
}

/** `message` is the manager's message, signed. Resolves with the transaction's id. */
export async function submitRegistration(
  { wallet }: Pick<Scenario, 'wallet'>,
  { identity, balance }: Pick<NewL1Validator, 'identity' | 'balance'>,
  message: Uint8Array,
): Promise<Id> {
  return wallet.run({ burn: FEE + balance }, ({ base }) => ({
    type: 'RegisterL1Validator',
    ...base,
    balance,
    proofOfPossession: identity.signer.proofOfPossession,
    message,
  }));
}

/** Weight zero removes it. */
export async function setL1ValidatorWeight(
  scenario: Scenario,
  order: { validationId: Id; nonce: bigint; weight: bigint },
): Promise<Id> {
  const { nonce, weight } = order;
  const payload = packL1ValidatorWeight({ validationId: fromHex(order.validationId), nonce, weight });
  return submitWeight(scenario, sign(scenario, payload));
}

/** `message` is the manager's message, signed. */
export async function submitWeight({ wallet }: Pick<Scenario, 'wallet'>, message: Uint8Array): Promise<Id> {
  return wallet.run({ burn: FEE }, ({ base }) => ({ type: 'SetL1ValidatorWeight', ...base, message }));
}

export async function topUp({ wallet }: Scenario, validationId: Id, balance: bigint): Promise<Id> {
  return wallet.run({ burn: FEE + balance }, ({ base }) => ({
    type: 'IncreaseL1ValidatorBalance',
    ...base,
    validationId,
    balance,
  }));
}

export async function disable({ wallet }: Scenario, validationId: Id, owner: PChainOwner): Promise<Id> {
  return wallet.run({ burn: FEE, authorizedBy: owner }, ({ base, auth }) => ({
    type: 'DisableL1Validator',
    ...base,
    validationId,
    disableAuth: auth,
  }));
}

/** Until its balance is used up. The chain moves on for that by itself. */
export async function waitUntilInactive({ node }: Scenario, validationId: Id): Promise<void> {
  const schema = z.object({ balance: z.string() });
  await poll({
    what: `end of the balance of ${validationId}`,
    timeoutMs: EVICTION_TIMEOUT_MS,
    intervalMs: 500,
    ask: async () => {
      const answer = await node.call('P', 'getL1Validator', { validationID: toText(validationId) });
      return schema.parse(answer).balance === '0' ? true : undefined;
    },
  });
}

function sign({ networkId, cChainId, genesisSigners }: Scenario, payload: Uint8Array): Uint8Array {
  return signManagerMessage({
    networkId,
    sourceChainId: fromHex(cChainId),
    managerAddress: fromHex(MANAGER_ADDRESS),
    payload,
    signers: genesisSigners,
  });
}

function toWarpOwner({ threshold, addresses }: PChainOwner) {
  return { threshold, addresses: addresses.map((address) => fromHex(address)) };
}
