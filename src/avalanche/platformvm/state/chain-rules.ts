import type { Id } from '../ids.js';
import type { RewardConfig } from './rewards.js';
import type { UpgradeTimes } from './upgrade-times.js';
import type { ValidatorFeeConfig } from './validator-fee.js';

/** Everything besides the blocks that the state follows from. */
export interface ChainRules {
  readonly networkId: number;
  readonly avaxAssetId: Id;
  readonly upgrades: UpgradeTimes;
  /** Of the primary network; elastic subnets bring their own numbers. */
  readonly rewards: RewardConfig;
  readonly validatorFee: ValidatorFeeConfig;
  /** nAVAX that one auto-renewed validator may grow to. */
  readonly maxValidatorStake: bigint;
}

export const AVAX = 1_000_000_000n;

/** Equal on all networks (avalanchego v1.15.0 genesis/genesis_{mainnet,fuji,local}.go). */
const REWARDS: RewardConfig = {
  maxConsumptionRate: 120_000n,
  minConsumptionRate: 100_000n,
  supplyCap: 720_000_000n * AVAX,
};
const FEE_CAPS = { target: 10_000n };
const VALIDATOR_FEES = {
  mainnet: { ...FEE_CAPS, minPrice: 512n, excessConversionConstant: 1_246_488_515n },
  fuji: { ...FEE_CAPS, minPrice: 512n, excessConversionConstant: 51_937_021n },
  local: { ...FEE_CAPS, minPrice: 1n, excessConversionConstant: 865_617n },
} as const;
const MAX_VALIDATOR_STAKE = 3_000_000n * AVAX;

/** The rules of a network; ids other than mainnet's and Fuji's get those of a local network, as in the node. */
export function makeChainRules(parts: {
  networkId: number;
  avaxAssetId: Id;
  upgrades: UpgradeTimes;
}): ChainRules {
  const validatorFee = validatorFeeOf(parts.networkId);
  return { ...parts, rewards: REWARDS, validatorFee, maxValidatorStake: MAX_VALIDATOR_STAKE };
}

export function validatorFeeOf(networkId: number): ValidatorFeeConfig {
  return VALIDATOR_FEES[networkKind(networkId)];
}

function networkKind(networkId: number): keyof typeof VALIDATOR_FEES {
  if (networkId === 1) return 'mainnet';
  return networkId === 5 ? 'fuji' : 'local';
}
