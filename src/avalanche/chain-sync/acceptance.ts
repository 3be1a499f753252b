import { fromHex } from '../ids/hex.js';
import type { ChainNetwork } from '../p2p/network/chain-network.js';
import type { Id } from '../platformvm/ids.js';
import { ChainSyncError } from './chain-sync.error.js';
import { type Elector, type Electorate, isAccepted, totalWeight } from './electorate.js';

/** Stake is bound for two days at least, so whoever had it at most so long ago still loses by lying. */
const MAX_STAKE_AGE_MS = 48 * 3_600_000;
/** In between, some validators drawn by stake answer for all, where there are more. */
const ALL_EVERY_MS = 300_000;
/**
 * With fifteen of twenty that must agree, liars with a fifth of the stake have their way once in five million draws, and with a
 * third once in six thousand.
 */
const SAMPLE = { size: 20, required: 15n };

/** Those who validate the primary network, by a P-chain state of that time. */
export interface KnownStake {
  /** UNIX seconds. */
  readonly time: number;
  readonly electors: readonly Elector[];
}

/**
 * Whether a container is accepted: by two thirds of all bootstrappers as long as the known stake is old, and then by 67 % of the
 * stake; those who cannot be reached count as if they had denied it.
 */
export class Acceptance {
  private allAskedAtMs = -Infinity;

  constructor(
    private readonly network: ChainNetwork,
    private readonly chainId: Uint8Array,
    private readonly bootstrappers: readonly string[],
    private readonly stake: () => Promise<KnownStake | undefined>,
  ) {}

  /** Throws ChainSyncError TOO_FEW_VOTES, or the signal's reason. */
  async confirm(containerId: Id, signal: AbortSignal): Promise<boolean> {
    const container = { chainId: this.chainId, containerId: fromHex(containerId) };
    const stake = await this.stake();
    const isOld = stake === undefined || Date.now() - stake.time * 1_000 > MAX_STAKE_AGE_MS;
    if (isOld) return isAccepted(this.network, container, byNumber(this.bootstrappers), signal);
    const nowMs = performance.now();
    const isSmall = stake.electors.length <= SAMPLE.size;
    if (!isSmall && nowMs - this.allAskedAtMs < ALL_EVERY_MS) {
      try {
        return await isAccepted(this.network, container, drawn(stake.electors), signal);
      } catch (error) {
        // Some of those drawn are away: that is no reason to doubt what 67 % of the stake can confirm.
        if (!isUndecided(error)) throw error;
      }
    }
    const isConfirmed = await isAccepted(this.network, container, byStake(stake.electors), signal);
    if (isConfirmed) this.allAskedAtMs = nowMs;
    return isConfirmed;
  }
}

/** Whether too few have answered. */
function isUndecided(error: unknown): boolean {
  return error instanceof ChainSyncError && error.code === 'TOO_FEW_VOTES';
}

/** Two thirds of them, each counting the same. */
function byNumber(nodeIds: readonly string[]): Electorate {
  return {
    electors: nodeIds.map((nodeId) => ({ nodeId, weight: 1n })),
    required: BigInt(Math.max(1, Math.ceil((2 * nodeIds.length) / 3))),
  };
}

function byStake(electors: readonly Elector[]): Electorate {
  return { electors, required: (67n * totalWeight(electors) + 99n) / 100n };
}

/** Some, each drawn with the odds of its stake, and counting as often as it was drawn. */
function drawn(electors: readonly Elector[]): Electorate {
  const total = Number(totalWeight(electors));
  const draws = new Map<string, bigint>();
  for (let i = 0; i < SAMPLE.size; i++) {
    let at = BigInt(Math.floor(Math.random() * total));
    const elector = electors.find(({ weight }) => (at -= weight) < 0n) ?? electors[0];
    if (elector !== undefined) draws.set(elector.nodeId, (draws.get(elector.nodeId) ?? 0n) + 1n);
  }
  return {
    electors: [...draws].map(([nodeId, weight]) => ({ nodeId, weight })),
    required: SAMPLE.required,
  };
}
