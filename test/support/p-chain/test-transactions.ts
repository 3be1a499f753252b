import { PRIMARY_NETWORK, type Id } from '../../../src/avalanche/platformvm/ids.js';
import type { UnsignedTx, TxOf } from '../../../src/avalanche/platformvm/transaction.js';
import { base, input, nodeOf, output, ownedBy } from './test-chain.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

export const STAKE = 2_000n * AVAX;
export const SHARES = 200_000;

interface Span {
  start: number;
  end: number;
}

function window(node: string, { start, end }: Span, weight: bigint) {
  return { nodeId: nodeOf(node), start: BigInt(start), end: BigInt(end), weight };
}

export function addValidator(node: string, span: Span): TxOf<'AddValidator'> {
  return {
    ...base({ inputs: [input(STAKE + 5n)], outputs: [output(1n)] }),
    type: 'AddValidator',
    validator: window(node, span, STAKE),
    stake: [output(STAKE - 100n), output(100n)],
    rewardsOwner: ownedBy('validator'),
    shares: SHARES,
  };
}

export function addDelegator(node: string, span: Span, weight = 25n * AVAX): TxOf<'AddDelegator'> {
  return {
    ...base({ inputs: [input(weight)] }),
    type: 'AddDelegator',
    validator: window(node, span, weight),
    stake: [output(weight)],
    rewardsOwner: ownedBy('delegator'),
  };
}

export function addPermissionlessValidator(node: string, end: number): TxOf<'AddPermissionlessValidator'> {
  return {
    ...base({ inputs: [input(STAKE)] }),
    type: 'AddPermissionlessValidator',
    validator: window(node, { start: 0, end }, STAKE),
    subnetId: PRIMARY_NETWORK,
    signer: null,
    stake: [output(STAKE)],
    validationRewardsOwner: ownedBy('validator'),
    delegationRewardsOwner: { ...ownedBy('fees'), locktime: 9n },
    shares: SHARES,
  };
}

export function addPermissionlessDelegator(
  node: string,
  end: number,
  weight: bigint,
): TxOf<'AddPermissionlessDelegator'> {
  return {
    ...addDelegator(node, { start: 0, end }, weight),
    type: 'AddPermissionlessDelegator',
    subnetId: PRIMARY_NETWORK,
  };
}

export function addSubnetValidator(subnetId: Id, node: string, span: Span): TxOf<'AddSubnetValidator'> {
  return {
    ...base(),
    type: 'AddSubnetValidator',
    validator: window(node, span, 7n),
    subnetId,
    subnetAuth: { signatureIndices: [0] },
  };
}

export function advanceTo(time: number): UnsignedTx {
  return { type: 'AdvanceTime', time: BigInt(time) };
}

export function reward(stakerTxId: Id): UnsignedTx {
  return { type: 'RewardValidator', stakerTxId };
}
