import { z } from 'zod';

/** The demands of a chain's Warp precompile on a message, as `warpConfig` of a genesis or an upgrade states it. */
export interface WarpRules {
  /** Of a hundred. */
  readonly quorumNumerator: number;
  /** Whether messages of the X- and C-chain are to be signed by the primary network instead of the chain's own validators. */
  readonly requirePrimaryNetworkSigners: boolean;
}

export const DEFAULT_QUORUM_NUMERATOR = 67;
export const QUORUM_DENOMINATOR = 100;

const SwitchSchema = z.looseObject({
  blockTimestamp: z.number().nullish(),
  disable: z.boolean().nullish(),
  quorumNumerator: z.number().int().min(0).max(QUORUM_DENOMINATOR).nullish(),
  requirePrimaryNetworkSigners: z.boolean().nullish(),
});

const SwitchesSchema = z.looseObject({ warpConfig: SwitchSchema.nullish() });

const ChainConfigSchema = SwitchesSchema.extend({
  upgrades: z.looseObject({ precompileUpgrades: z.array(SwitchesSchema).nullish() }).nullish(),
});

/**
 * The rules at that time, from what `eth_getChainConfig` answers, or from the `config` of a genesis, which knows nothing of later upgrades
 * (avalanchego v1.14.2 graft/subnet-evm precompile/contracts/warp/config.go). Undefined where Warp is not active, or nothing can be read.
 */
export function readWarpRules(chainConfig: unknown, atSeconds: number): WarpRules | undefined {
  const parsed = ChainConfigSchema.safeParse(chainConfig);
  if (!parsed.success) return undefined;
  const { warpConfig, upgrades } = parsed.data;
  const switches = [warpConfig, ...(upgrades?.precompileUpgrades ?? []).map((upgrade) => upgrade.warpConfig)];
  const active = switches.findLast(
    (each) => each?.blockTimestamp != null && each.blockTimestamp <= atSeconds,
  );
  if (active == null || active.disable === true) return undefined;
  const { quorumNumerator, requirePrimaryNetworkSigners } = active;
  return {
    // 0 is the default, too.
    quorumNumerator:
      quorumNumerator == null || quorumNumerator === 0 ? DEFAULT_QUORUM_NUMERATOR : quorumNumerator,
    requirePrimaryNetworkSigners: requirePrimaryNetworkSigners === true,
  };
}
