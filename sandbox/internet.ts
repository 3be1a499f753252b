import { deriveBytes } from './derived-keys.js';
import type { NodeBehaviourInput } from './node-behaviour.js';
import { DEFAULT_SEED, type SandboxOptions, type SandboxValidatorOptions } from './options.js';

/** As many as mainnet had when the sandbox was made to look like it. */
const INTERNET_VALIDATORS = 930;

/** The least and the most that mainnet lets a validator stake, in nAVAX. */
const MIN_STAKE = 2_000n * 10n ** 9n;
const MAX_STAKE = 3_000_000n * 10n ** 9n;

/**
 * Exponent of the Pareto distribution, cut off at the most, that stakes follow: few hold most. With it the mean is 225,000 AVAX, and so
 * 930 validators hold 209 million, about as on mainnet, half of them less than 25,000 each.
 */
const STAKE_EXPONENT = 0.2;

/** An L1 has few. */
const L1_VALIDATORS = 20;

/** From a server in Europe, for example, to validators all over the world. */
const MIN_ROUND_TRIP_MS = 50;
const MAX_ROUND_TRIP_MS = 250;

/** Of twenty validators next to each other by stake, one takes connections and never answers and one has no address. */
const GROUP = 20;
const BLACK_HOLE_IN_GROUP = 5;
const ADDRESSLESS_IN_GROUP = 15;

/** A public node: one address, behind which there are three nodes that hear of blocks one after the other, and a rate limit. */
const INTERNET_NODE: NodeBehaviourInput = {
  delayMs: 100,
  requestsPerSecond: 20,
  backends: [{ lagBlocks: 0 }, { lagBlocks: 1 }, { lagBlocks: 0 }],
};

/** Those options with validators and a node as on the internet; what is given goes before that. */
export function onTheInternet(options: SandboxOptions): SandboxOptions {
  const { validators = INTERNET_VALIDATORS, seed = DEFAULT_SEED } = options;
  const list =
    typeof validators === 'number'
      ? internetValidators(validators, seed)
      : internetValidators(validators.length, seed).map((each, index) => ({ ...each, ...validators[index] }));
  return { recording: null, node: INTERNET_NODE, ...options, validators: list };
}

/**
 * Validators as on mainnet: unequal stake, 50 to 250 ms of round trip, and a tenth that cannot be reached. The seed decides who is what;
 * the stakes are the same for every seed, so that the share of the unreachable ones is always about a tenth too.
 */
export function internetValidators(count: number, seed: string): SandboxValidatorOptions[] {
  const chance = (what: string, index: number): number =>
    Buffer.from(deriveBytes(seed, what, index)).readUInt32BE() / 2 ** 32;
  const order = Array.from({ length: count }, (_, index) => ({ index, place: chance('stake', index) }))
    .sort((a, b) => a.place - b.place)
    .map(({ index }) => index);
  const ranks = new Map(order.map((index, rank) => [index, rank]));
  return Array.from({ length: count }, (_, index) => {
    const rank = ranks.get(index) ?? 0;
    const span = MAX_ROUND_TRIP_MS - MIN_ROUND_TRIP_MS;
    return {
      ...(index < L1_VALIDATORS ? {} : { l1Weight: 0n }),
      weight: stakeAt((count - rank - 0.5) / count),
      roundTripMs: MIN_ROUND_TRIP_MS + Math.round(span * chance('round trip', index)),
      ...reachability(rank % GROUP),
    };
  });
}

/** The stake that so large a share of all validators, from 0 to 1, have less than. */
function stakeAt(share: number): bigint {
  const spread = (Number(MIN_STAKE) / Number(MAX_STAKE)) ** STAKE_EXPONENT;
  const factor = (1 - share * (1 - spread)) ** (-1 / STAKE_EXPONENT);
  return (MIN_STAKE * BigInt(Math.round(factor * 1_000))) / 1_000n;
}

function reachability(placeInGroup: number): Pick<SandboxValidatorOptions, 'behaviour' | 'address'> {
  switch (placeInGroup) {
    case BLACK_HOLE_IN_GROUP:
      return { behaviour: 'black-hole' };
    case ADDRESSLESS_IN_GROUP:
      return { address: 'none' };
    default:
      return {};
  }
}
