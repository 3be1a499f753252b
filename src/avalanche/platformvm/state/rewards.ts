import { least } from '../../bigints.js';
import { MAX_UINT64 } from '../../codec/packer.js';

/** Numbers that rewards follow from; rates are millionths per year (avalanchego v1.14.2 vms/platformvm/reward/config.go). */
export interface RewardConfig {
  readonly minConsumptionRate: bigint;
  readonly maxConsumptionRate: bigint;
  readonly supplyCap: bigint;
}

const MILLION = 1_000_000n;
const NANOSECONDS = 1_000_000_000n;
/** The minting period is 365 days on every network and for every elastic subnet. */
const MINTING_PERIOD = 365n * 24n * 60n * 60n * NANOSECONDS;

const HELICON_MIN_CONSUMPTION_RATE = 75_000n;
const HELICON_RAMP_SECONDS = 90n * 24n * 60n * 60n;

/**
 * The primary network's numbers for a stake that starts at a time: from Helicon on, the lower rate falls evenly over 90
 * days (ACP-285; avalanchego v1.15.0 vms/platformvm/reward/calculator.go).
 */
export function primaryRewardConfig(
  config: RewardConfig,
  times: { start: number; helicon: number },
): RewardConfig {
  if (times.start < times.helicon) return config;
  const fall = config.minConsumptionRate - HELICON_MIN_CONSUMPTION_RATE;
  const elapsed = BigInt(times.start - times.helicon);
  const fallen = elapsed < HELICON_RAMP_SECONDS ? (fall * elapsed) / HELICON_RAMP_SECONDS : fall;
  return { ...config, minConsumptionRate: config.minConsumptionRate - fallen };
}

/**
 * Reward of a staker at the end, in the smallest unit of the stake. Divisions round down one after the other, in this order
 * (reward/calculator.go, Calculate); another order differs by single units.
 */
export function calculateReward(
  config: RewardConfig,
  stake: { seconds: number; amount: bigint; supply: bigint },
): bigint {
  const duration = BigInt(stake.seconds) * NANOSECONDS;
  const remaining = config.supplyCap - stake.supply;
  const rate =
    (config.maxConsumptionRate - config.minConsumptionRate) * duration +
    config.minConsumptionRate * MINTING_PERIOD;
  const reward =
    (remaining * rate * stake.amount * duration) / (MINTING_PERIOD * MILLION) / stake.supply / MINTING_PERIOD;
  return least(reward, remaining);
}

/**
 * Splits an amount by a share in millionths (reward/calculator.go, Split): `taken` is the part of the share, rounded in
 * its favour. An amount so large that the product leaves uint64 is rounded to millions first, as the node does.
 */
export function splitReward(amount: bigint, shares: number): { taken: bigint; left: bigint } {
  const kept = MILLION - BigInt(shares);
  const product = kept * amount;
  const left = product > MAX_UINT64 ? kept * (amount / MILLION) : product / MILLION;
  return { taken: amount - left, left };
}

/** The part that is paid out; millionths are restaked, null where nothing is. */
export function withoutRestaked(reward: bigint, restakedShares: number | null): bigint {
  return restakedShares === null ? reward : splitReward(reward, restakedShares).left;
}
