import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import type { World } from '../world/world.js';
import type { RecordedPChain } from '../p-chain/recorded-p-chain.js';
import { NoArguments, SubnetArguments } from './arguments.js';
import { method, type MethodEntries, RpcFault } from './json-rpc-endpoint.js';

/** 360 million AVAX and what the genesis validators of a local network will be rewarded with, in nAVAX. */
const SUPPLY = 361_196_333_750_752_149n;

/** Methods about amounts of validators and stakers. */
export function stakeMethods(world: World, recorded: RecordedPChain | null): MethodEntries {
  const assetID = idToString(world.assetId);
  const notElastic = (subnetId: string): never => {
    throw new RpcFault(`failed fetching subnet transformation for ${subnetId}: not found`);
  };
  return [
    [
      'getTotalStake',
      method(SubnetArguments, ({ subnetID }) => {
        const answer = recorded?.answers.totalStake[subnetID];
        if (answer !== undefined) return answer;
        const total = world
          .validatorsAt(subnetID, world.clock.height)
          .reduce((sum, { weight }) => sum + weight, 0n);
        return { stake: String(total), weight: String(total) };
      }),
    ],
    [
      'getCurrentSupply',
      method(SubnetArguments, ({ subnetID }) => {
        const height = String(world.clock.height);
        const answer = recorded?.answers.supply[subnetID];
        if (answer !== undefined) return { ...answer, height };
        if (subnetID !== PRIMARY_NETWORK_ID) throw new RpcFault('fetching current supply failed: not found');
        return { supply: String(SUPPLY), height };
      }),
    ],
    [
      'getMinStake',
      method(SubnetArguments, ({ subnetID }) =>
        subnetID === PRIMARY_NETWORK_ID
          ? { minValidatorStake: '2000000000000', minDelegatorStake: '25000000000' }
          : notElastic(subnetID),
      ),
    ],
    [
      'getStakingAssetID',
      method(SubnetArguments, ({ subnetID }) =>
        subnetID === PRIMARY_NETWORK_ID ? { assetID } : notElastic(subnetID),
      ),
    ],
  ];
}

/** Those of a local network at rest. */
export function feeMethods({ clock }: World, recorded: RecordedPChain | null): MethodEntries {
  const now = () => chainTime(recorded?.time ?? clock.timestampSeconds);
  const feeConfig = {
    weights: [1, 1000, 1000, 4],
    maxCapacity: 1_000_000,
    maxPerSecond: 100_000,
    targetPerSecond: 50_000,
    minPrice: 1,
    excessConversionConstant: 2_164_043,
  };
  const validatorFeeConfig = {
    capacity: 20_000,
    target: 10_000,
    minPrice: 1,
    excessConversionConstant: 865_617,
  };
  return [
    ['getFeeConfig', method(NoArguments, () => feeConfig)],
    [
      'getFeeState',
      method(NoArguments, () => ({ capacity: 1_000_000, excess: 0, price: 1, timestamp: now() })),
    ],
    ['getValidatorFeeConfig', method(NoArguments, () => validatorFeeConfig)],
    ['getValidatorFeeState', method(NoArguments, () => ({ excess: 0, price: 1, timestamp: now() }))],
  ];
}

/** As Go prints it. */
export function chainTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
