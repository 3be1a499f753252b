import { setTimeout as delay } from 'node:timers/promises';
import { AvalancheError } from '../avalanche.error.js';
import type { Logger } from '../logger.js';
import type { ChainAnswers, ChainQuestion } from '../p2p/messages/chain-question.js';
import type { ChainNetwork } from '../p2p/network/chain-network.js';
import { PeerRequestError } from '../p2p/peer-request.error.js';
import { ChainSyncError, MisconductError } from './chain-sync.error.js';
import { ServerRecords } from './server-records.js';

/** Useless answers in a row before a question is given up: nodes lag, and some do not serve. */
const MAX_ATTEMPTS = 40;
/** How long a question waits for a node that is free. */
const MAX_WAIT_MS = 30_000;
const WAIT_STEP_MS = 50;
/** For a small answer: there are others to ask, and the next block does not wait. */
const SMALL_TIMEOUT_MS = 2_000;

/** A question that any node can answer. */
export interface BlockInquiry<Question extends ChainQuestion, T> {
  readonly question: Question;
  /** Returns undefined for an answer that is of no use; throws MisconductError for one that no honest node gives. */
  readonly accept: (answer: ChainAnswers[Question['kind']], nodeId: string) => T | undefined;
  readonly signal: AbortSignal;
}

/**
 * The nodes that serve the containers of one chain. Each is asked one thing at a time, as avalanchego asks: the answers take
 * its time under the lock that consensus needs.
 */
export class BlockServers {
  private readonly busy = new Set<string>();
  private readonly records: ServerRecords;
  /** Blocks and vertices that were taken, each as often as it came. */
  private taken = 0;

  constructor(
    private readonly network: ChainNetwork,
    private readonly chainId: Uint8Array,
    private readonly logger: Logger,
    records = new ServerRecords(),
  ) {
    this.records = records;
  }

  /**
   * Asks one node after the other until an answer is accepted.
   * Throws ChainSyncError NOT_SERVED, or the signal's reason.
   */
  async ask<Question extends ChainQuestion, T>(inquiry: BlockInquiry<Question, T>): Promise<T> {
    const isBulk = inquiry.question.kind === 'getAncestors';
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const nodeId = await this.takeFree(isBulk, inquiry.signal);
      try {
        const accepted = await this.askOne(nodeId, isBulk, inquiry);
        if (accepted !== undefined) return accepted;
      } finally {
        this.busy.delete(nodeId);
      }
    }
    throw new ChainSyncError('NOT_SERVED', `none of ${MAX_ATTEMPTS} nodes had what was asked for`);
  }

  /** How it goes, for people and metrics. */
  count(): { serving: number; distrusted: number; taken: number } {
    const nowMs = performance.now();
    const { records, taken } = this;
    return { serving: records.countServing(nowMs), distrusted: records.countDistrusted(nowMs), taken };
  }

  /** An honest node would not have answered so. */
  distrust(nodeId: string, why: string): void {
    this.records.onMisconduct(nodeId, performance.now());
    this.logger.warn(`${nodeId} is not asked for blocks for an hour: ${why}`);
  }

  private async askOne<Question extends ChainQuestion, T>(
    nodeId: string,
    isBulk: boolean,
    { question, accept, signal }: BlockInquiry<Question, T>,
  ): Promise<T | undefined> {
    const startedAtMs = performance.now();
    try {
      const timeoutMs = isBulk ? this.records.timeoutMs(nodeId) : SMALL_TIMEOUT_MS;
      const answer = await this.network.ask(question, { nodeId, chainId: this.chainId, timeoutMs, signal });
      const accepted = accept(answer, nodeId);
      const nowMs = performance.now();
      if (accepted === undefined) {
        this.records.onUseless(nodeId, nowMs);
      } else if (isBulk) {
        const containers = answer as ChainAnswers['getAncestors'];
        this.taken += containers.length;
        this.records.onServed(nodeId, sizeOf(containers), nowMs - startedAtMs);
      }
      return accepted;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof MisconductError) this.distrust(nodeId, error.message);
      else if (error instanceof PeerRequestError) this.records.onUseless(nodeId, performance.now());
      else throw error;
      return undefined;
    }
  }

  /** Small answers are left to whoever: how quick they are depends on distance alone, and so everybody is heard. */
  private async takeFree(isBulk: boolean, signal: AbortSignal): Promise<string> {
    const until = performance.now() + MAX_WAIT_MS;
    for (;;) {
      signal.throwIfAborted();
      const nowMs = performance.now();
      const free = this.network
        .connectedPeers()
        .flatMap(({ nodeId }) => (this.busy.has(nodeId) ? [] : [nodeId]));
      const nodeId = isBulk ? this.records.choose(free, nowMs) : this.records.chooseAny(free, nowMs);
      if (nodeId !== undefined) {
        this.busy.add(nodeId);
        return nodeId;
      }
      if (nowMs > until) throw new ChainSyncError('NOT_SERVED', 'no node that serves blocks is connected');
      await delay(WAIT_STEP_MS, undefined, { signal });
    }
  }
}

/** Reads what a node has sent. Throws MisconductError where it cannot be read (AvalancheError). */
export function readSent<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AvalancheError) {
      throw new MisconductError(`it sent what is no block: ${error.message}`);
    }
    throw error;
  }
}

function sizeOf(containers: readonly Uint8Array[]): number {
  return containers.reduce((sum, { length }) => sum + length, 0);
}
