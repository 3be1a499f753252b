import { WEI_PER_NANO_AVAX } from '../../avalanche/evm/blocks/atomic-transactions.js';

/** Parts of the supply. nAVAX, but what is burned on the C-chain, which is wei. */
export interface SupplyParts {
  /** Paid to stakers, or staked again for them. */
  readonly rewards: bigint;
  /** AVAX that P-chain transactions consumed for good: fees of transactions and of L1 validators. */
  readonly pBurned: bigint;
  readonly l1ValidatorFees: bigint;
  readonly xBurned: bigint;
  readonly cBurnedWei: bigint;
  readonly staked: bigint;
  readonly locked: bigint;
}

type SupplyFigure =
  | 'circulatingSupply'
  | 'totalSupply'
  | 'totalPBurned'
  | 'totalCBurned'
  | 'totalXBurned'
  | 'totalStaked'
  | 'totalLocked'
  | 'totalRewards'
  | 'genesisUnlock'
  | 'l1ValidatorFees';

/** In whole AVAX, as decimal text. */
export type SupplyFigures = Readonly<Record<SupplyFigure, string>>;

/**
 * 360 million AVAX, on every network. The outputs of mainnet's genesis add up to 9790 nAVAX less, which published figures leave aside;
 * and all of it counts as unlocked, also what the schedule of the genesis holds back until 2030.
 */
const GENESIS_UNLOCK = 360_000_000_000_000_000n;

/** Total = genesis + rewards − burned on the three chains, exactly. Locked coins count as circulating. */
export function supplyFigures(parts: SupplyParts): SupplyFigures {
  const { rewards, pBurned, xBurned, cBurnedWei } = parts;
  const total = (GENESIS_UNLOCK + rewards - pBurned - xBurned) * WEI_PER_NANO_AVAX - cBurnedWei;
  const inAvax = (nanoAvax: bigint): string => formatAvax(nanoAvax * WEI_PER_NANO_AVAX);
  return {
    circulatingSupply: formatAvax(total),
    totalSupply: formatAvax(total),
    totalPBurned: inAvax(pBurned),
    totalCBurned: formatAvax(cBurnedWei),
    totalXBurned: inAvax(xBurned),
    totalStaked: inAvax(parts.staked),
    totalLocked: inAvax(parts.locked),
    totalRewards: inAvax(rewards),
    genesisUnlock: inAvax(GENESIS_UNLOCK),
    l1ValidatorFees: inAvax(parts.l1ValidatorFees),
  };
}

/** Of decimal text with at most nine decimals. */
export function toNanoAvax(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(MIN_DECIMALS, '0'));
}

const DECIMALS = 18;
const MIN_DECIMALS = 9;

/** Nine decimals, and as many more as there are: fees of the C-chain are paid in wei. */
export function formatAvax(wei: bigint): string {
  const digits = (wei < 0n ? -wei : wei).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS);
  const shown = fraction.slice(0, MIN_DECIMALS) + fraction.slice(MIN_DECIMALS).replace(/0+$/, '');
  return `${wei < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${shown}`;
}
