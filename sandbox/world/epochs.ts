import type { PChainClock } from './p-chain-clock.js';

export interface Epoch {
  readonly number: number;
  readonly startTimeSeconds: number;
  readonly pChainHeight: bigint;
}

/**
 * The epoch of the sandbox's blockchains (ACP-181). They make no blocks of their own, so that an epoch would last forever, as on
 * every idle chain: the next one begins on demand. An epoch keeps the proposed height that it began with.
 */
export class Epochs {
  private epoch: Epoch;

  constructor(private readonly clock: PChainClock) {
    this.epoch = this.make(1);
  }

  get current(): Epoch {
    return this.epoch;
  }

  /** As though the chains had made a block after the last epoch's end, and another one. */
  begin(): Epoch {
    this.epoch = this.make(this.epoch.number + 1);
    return this.epoch;
  }

  private make(number: number): Epoch {
    const { timestampSeconds, proposedHeight } = this.clock;
    return { number, startTimeSeconds: timestampSeconds, pChainHeight: proposedHeight };
  }
}
