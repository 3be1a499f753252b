import { MAX_UINT64 } from '../../codec/packer.js';

/** Fees of active L1 validators (avalanchego v1.14.2 vms/platformvm/validators/fee/fee.go). */
export interface ValidatorFeeConfig {
  /** Active validators at which the price stays; more of them raise it, fewer lower it. */
  readonly target: bigint;
  /** nAVAX per second and validator. */
  readonly minPrice: bigint;
  readonly excessConversionConstant: bigint;
}

/** Price per second and validator, nAVAX: minPrice · e^(excess / constant) by the integer series of the node (components/gas/gas.go). */
export function validatorPrice(config: ValidatorFeeConfig, excess: bigint): bigint {
  const denominator = config.excessConversionConstant;
  const limit = denominator * MAX_UINT64;
  let term = config.minPrice * denominator;
  let sum = 0n;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    if (sum >= limit) return MAX_UINT64;
    term = (term * excess) / denominator / i;
  }
  return sum / denominator;
}

/** The excess after so many seconds with so many active validators, within uint64. */
export function advanceExcess(
  config: ValidatorFeeConfig,
  fee: { excess: bigint; activeValidators: bigint },
  seconds: bigint,
): bigint {
  const moved = fee.excess + (fee.activeValidators - config.target) * seconds;
  if (moved < 0n) return 0n;
  return moved > MAX_UINT64 ? MAX_UINT64 : moved;
}

/** Fee of one validator for the coming seconds, nAVAX: the sum of the prices of each, after the excess has moved. */
export function validatorCost(
  config: ValidatorFeeConfig,
  fee: { excess: bigint; activeValidators: bigint },
  seconds: bigint,
): bigint {
  if (fee.activeValidators === config.target) return seconds * validatorPrice(config, fee.excess);
  let { excess } = fee;
  let cost = 0n;
  for (let second = 0n; second < seconds; second++) {
    excess = advanceExcess(config, { ...fee, excess }, 1n);
    // Once at zero it stays there, because the number of validators does not change meanwhile.
    if (excess === 0n) return cost + config.minPrice * (seconds - second);
    cost += validatorPrice(config, excess);
  }
  return cost;
}
