import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import type { NetworkName } from '../../platform/config/config.module.js';
import { evmChainName, P_CHAIN, X_CHAIN } from '../../platform/database/chains.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { blocksText } from '../../indexes/engine/progress/blocks-text.js';
import { IndexProgressEntity } from '../../indexes/engine/progress/index-progress.entities.js';
import { ATOMIC } from '../../indexes/evm/facets/facets.js';
import { DAY_SECONDS } from '../../platform/time.js';

/** How often the supply is worked out while something is missing (ensure-schedules.ts). */
const REFRESHED_AFTER_SECONDS = 20;
/** Of an index that does not know when it will be done. */
const UNKNOWN_SECONDS = 300;

export interface SupplyOutlook {
  /** In words, what is left to index; undefined when nothing is. */
  readonly left: string | undefined;
  readonly retryAfterSeconds: number;
}

/** How far the indexes have come that the supply needs, by their own word. */
@Injectable()
export class SupplyProgress {
  constructor(
    @InjectRepository(IndexProgressEntity) private readonly progress: Repository<IndexProgressEntity>,
    private readonly chains: EvmChains,
  ) {}

  async look(network: NetworkName): Promise<SupplyOutlook> {
    const names = new Map([
      [P_CHAIN, 'of the P-chain'],
      [X_CHAIN, 'of the X-chain'],
    ]);
    const cChain = this.chains.cChainOf(network);
    if (cChain !== undefined) {
      names.set(evmChainName(cChain.chainId), 'of the C-chain');
      names.set(evmChainName(cChain.chainId, ATOMIC.name), "for the C-chain's imports and exports");
    }
    const indexes = await this.progress.findBy({ network, chain: In([...names.keys()]) });
    const behind = [...names].flatMap(([name, what]) => {
      const { height, tipHeight, etaSeconds } = indexes.find(({ chain }) => chain === name) ?? {};
      const blocks = tipHeight == null ? 0n : tipHeight - (height ?? -1n);
      return blocks > 0n ? [{ what, blocks, seconds: etaSeconds ?? null }] : [];
    });
    const parts = behind.map(
      ({ what, blocks, seconds }) => `${blocksText(blocks)} ${what}, ${timeText(seconds)}`,
    );
    const seconds = behind.map((each) => each.seconds ?? UNKNOWN_SECONDS);
    return {
      left: parts.length === 0 ? undefined : `left are ${parts.join('; ')}`,
      retryAfterSeconds: Math.ceil(Math.max(0, ...seconds)) + REFRESHED_AFTER_SECONDS,
    };
  }
}

const UNITS = [
  ['day', DAY_SECONDS],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The largest unit of which there are two or more, rounded up. */
function timeText(seconds: number | null): string {
  if (seconds === null) return 'how long that takes is not known yet';
  for (const [unit, length] of UNITS) {
    if (seconds >= 2 * length) return `about ${Math.ceil(seconds / length)} ${unit}s`;
  }
  return seconds > 60 ? 'about 2 minutes' : 'about a minute';
}
