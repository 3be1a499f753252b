import { Injectable, Optional } from '@nestjs/common';
import { BoundedMap } from '../../../avalanche/bounded-map.js';
import { FadingCount } from '../../../avalanche/p2p/peer/fading-count.js';

/** A caller with so many is asked for nothing more of everybody; each costs a request to every validator. */
const UNKNOWN_MESSAGES = 3;
/** The same for all callers together who have had nothing signed lately, for addresses are cheap. */
const UNKNOWN_MESSAGES_OF_STRANGERS = 30;
const HALF_LIFE_MS = 30_000;
/** Callers, some hundred bytes each. */
const MAX_CALLERS = 20_000;

interface History {
  readonly unknown: FadingCount;
  readonly signed: FadingCount;
}

/**
 * Remembers for some minutes whose messages the validators of this process' networks did not know. For the next ones of such a caller a few
 * validators are asked first: an honest caller loses a round trip, a flood loses its force.
 */
@Injectable()
export class CallerTrust {
  /** By caller, the one that was heard of last at the end. */
  private readonly histories = new BoundedMap<string, History>(MAX_CALLERS);
  private readonly ofStrangers = new FadingCount(HALF_LIFE_MS);

  constructor(@Optional() private readonly nowMs: () => number = () => performance.now()) {}

  trusts(caller: string): boolean {
    const now = this.nowMs();
    const history = this.histories.get(caller);
    if (history !== undefined && history.unknown.at(now) >= UNKNOWN_MESSAGES) return false;
    const isStranger = history === undefined || history.signed.at(now) < 0.01;
    return !isStranger || this.ofStrangers.at(now) < UNKNOWN_MESSAGES_OF_STRANGERS;
  }

  /** Hardly a validator has signed. */
  noteUnknown(caller: string): void {
    this.historyOf(caller).unknown.add(1, this.nowMs());
    this.ofStrangers.add(1, this.nowMs());
  }

  /** A message that was unknown at first was a new one. */
  noteSigned(caller: string): void {
    const { unknown, signed } = this.historyOf(caller);
    unknown.add(-1, this.nowMs());
    signed.add(1, this.nowMs());
  }

  private historyOf(caller: string): History {
    return this.histories.use(caller, () => ({
      unknown: new FadingCount(HALF_LIFE_MS),
      signed: new FadingCount(HALF_LIFE_MS),
    }));
  }
}
