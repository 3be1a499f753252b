import type { Id, ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners } from '../../../src/avalanche/platformvm/output.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString } from '../../../src/avalanche/ids/id.js';
import { FEE, type Scenario } from './context.js';
import type { UnsignedTx } from '../../../src/avalanche/platformvm/transaction.js';
import { windowFor } from './staking.js';
import type { Funded, Order } from './wallet.js';

/** Id of the subnet-evm VM. */
export const SUBNET_EVM_ID = toHex(idFromString('srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy'));

/** VM ids are names, padded with zeros, where nobody chose otherwise. */
export const OTHER_VM_ID = toHex(new TextEncoder().encode('timestampvm')).padEnd(64, '0');

/** Feature extensions of the X-chain: `secp256k1fx` and `nftfx`. */
export const FX_IDS = ['nftfx', 'secp256k1fx'].map((name) =>
  toHex(new TextEncoder().encode(name)).padEnd(64, '0'),
);

export async function createSubnet({ wallet }: Scenario, owner: OutputOwners): Promise<Id> {
  return wallet.run({ burn: FEE }, ({ base }) => ({ type: 'CreateSubnet', ...base, owner }));
}

export async function createChain(
  { wallet }: Scenario,
  chain: {
    subnetId: Id;
    owner: OutputOwners;
    name: string;
    vmId: Id;
    fxIds?: readonly Id[];
    genesisData: Uint8Array;
  },
): Promise<Id> {
  return wallet.run({ burn: FEE, authorizedBy: chain.owner }, ({ base, auth }) => ({
    type: 'CreateChain',
    ...base,
    subnetId: chain.subnetId,
    chainName: chain.name,
    vmId: chain.vmId,
    fxIds: chain.fxIds ?? [],
    genesisData: chain.genesisData,
    subnetAuth: auth,
  }));
}

export interface NewSubnetValidator {
  readonly subnetId: Id;
  readonly owner: OutputOwners;
  readonly nodeId: ShortId;
  readonly weight: bigint;
}

/** From now on. */
export async function addSubnetValidator(
  scenario: Scenario,
  { seconds, ...validator }: NewSubnetValidator & { seconds: number },
): Promise<Id> {
  const { order, make } = subnetValidator(validator, windowFor(scenario, seconds));
  return scenario.wallet.run(order, make);
}

/** Adds a validator to a subnet, UNIX seconds. */
export function subnetValidator(
  { subnetId, owner, nodeId, weight }: NewSubnetValidator,
  window: { start: bigint; end: bigint },
): { order: Order; make: (funded: Funded) => UnsignedTx } {
  return {
    order: { burn: FEE, authorizedBy: owner },
    make: ({ base, auth }) => ({
      type: 'AddSubnetValidator',
      ...base,
      validator: { ...window, nodeId, weight },
      subnetId,
      subnetAuth: auth,
    }),
  };
}

export async function removeSubnetValidator(
  { wallet }: Scenario,
  validator: { subnetId: Id; owner: OutputOwners; nodeId: ShortId },
): Promise<Id> {
  const { subnetId, owner, nodeId } = validator;
  return wallet.run({ burn: FEE, authorizedBy: owner }, ({ base, auth }) => ({
    type: 'RemoveSubnetValidator',
    ...base,
    nodeId,
    subnetId,
    subnetAuth: auth,
  }));
}

export async function transferOwnership(
  { wallet }: Scenario,
  subnet: { subnetId: Id; owner: OutputOwners; newOwner: OutputOwners },
): Promise<Id> {
  const { subnetId, owner, newOwner } = subnet;
  return wallet.run({ burn: FEE, authorizedBy: owner }, ({ base, auth }) => ({
    type: 'TransferSubnetOwnership',
    ...base,
    subnetId,
    subnetAuth: auth,
    owner: newOwner,
  }));
}

/** The genesis of a subnet-evm chain, small and valid; `precompiles` are configured besides Warp. */
export function evmGenesis(
  chainId: number,
  { since = 0, precompiles = {} }: { since?: number; precompiles?: object } = {},
): Uint8Array {
  const genesis = {
    config: {
      chainId,
      feeConfig: {
        gasLimit: 12_000_000,
        targetBlockRate: 2,
        minBaseFee: 25_000_000_000,
        targetGas: 60_000_000,
        baseFeeChangeDenominator: 36,
        minBlockGasCost: 0,
        maxBlockGasCost: 1_000_000,
        blockGasCostStep: 200_000,
      },
      warpConfig: { blockTimestamp: since, quorumNumerator: 67 },
      ...precompiles,
    },
    alloc: { '8db97c7cece249c2b98bdc0226cc4c2a57bf52fc': { balance: '0x295be96e64066972000000' } },
    nonce: '0x0',
    timestamp: `0x${since.toString(16)}`,
    extraData: '0x',
    gasLimit: '0xb71b00',
    difficulty: '0x0',
  };
  return new TextEncoder().encode(JSON.stringify(genesis));
}

/** A genesis that is no text at all. */
export function binaryGenesis(): Uint8Array {
  return fromHex('00ff10a7c3fe0001c0de80');
}
