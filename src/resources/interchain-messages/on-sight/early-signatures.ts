import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Rate, TokenBucket } from '../../../avalanche/p2p/peer/token-bucket.js';
import type { WatchedLog } from '../../../indexes/evm/projections/watched-log.js';
import { EvmWriter } from '../../../indexes/evm/rows/evm-writer.js';
import { evmChainName, type EvmChainRef } from '../../../platform/database/chains.js';
import type { EvmChain } from '../../../platform/evm-chains/evm-chain.js';
import { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { failureOf } from '../../signature-aggregator/aggregation-metrics.js';
import { Places } from './places.js';
import { type SightedMessage, sightedMessages } from './sighted-message.js';
import { SightedSigner } from './sighted-signer.js';

/**
 * Of one chain, whose contracts send as they like. Half of the places are for one destination, whose validators may be away for as long as
 * an attempt takes.
 */
const LIMITS = {
  atWork: { inAll: 4, ofGroup: 2 },
  waiting: { inAll: 32, ofGroup: 16 },
} as const;
/**
 * Messages of one chain. Each is signed by every validator of a set, a fourteenth of a second of work for a process with a thousand of
 * them, and one for a made-up destination is a question to the network's node.
 */
const RATE: Rate = { burst: 32, perSecond: 2 };

interface Waiting extends SightedMessage {
  readonly group: string;
}

interface Bounds {
  readonly rate: TokenBucket;
  readonly places: Places<Waiting>;
}

/**
 * Has the messages of chains that sign on sight signed as soon as this process has indexed them, so that a relayer finds them signed. It
 * is a head start and no promise: what a crash between index and request loses, or a busy chain passes over, is signed when it is asked
 * for.
 */
@Injectable()
export class EarlySignatures implements OnApplicationShutdown {
  private readonly logger = new Logger(EarlySignatures.name);
  private readonly boundsOf = new Map<EvmChain, Bounds>();
  private readonly stopping = new AbortController();
  private readonly outcomes;

  constructor(
    @Inject(EvmChains) private readonly chains: Pick<EvmChains, 'all' | 'of'>,
    @Inject(SightedSigner) private readonly signer: Pick<SightedSigner, 'sign'>,
    writer: EvmWriter,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter({
      name: 'nds_sighted_messages_total',
      help: 'Messages of chains that sign on sight: signed, known (delivered, or signed before), passed_over because there are too many, or the error code',
      labels: ['network', 'chain', 'outcome'],
    });
    for (const chain of chains.all()) {
      if (chain.signOnSight !== true) continue;
      const places = new Places<Waiting>(LIMITS, (message) => this.work(message));
      this.boundsOf.set(chain, { places, rate: new TokenBucket(RATE, performance.now()) });
    }
    if (this.boundsOf.size > 0) writer.onLogs((chain, logs) => this.note(chain, logs));
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  private note(ref: EvmChainRef, logs: readonly WatchedLog[]): void {
    const chain = this.chains.of(ref);
    const bounds = this.boundsOf.get(chain);
    if (bounds === undefined) return;
    const { places, rate } = bounds;
    for (const message of sightedMessages(chain, logs)) {
      if (places.has(message.id)) continue;
      const group = message.destinationBlockchainId;
      const isTaken = rate.take(1, performance.now()) && places.add(Object.assign(message, { group }));
      if (!isTaken) this.count(chain, 'passed_over');
    }
  }

  private async work(message: SightedMessage): Promise<void> {
    const { signal } = this.stopping;
    if (signal.aborted) return;
    try {
      this.count(message.chain, await this.signer.sign(message, signal));
    } catch (error) {
      if (signal.aborted) return;
      this.count(message.chain, failureOf(error));
      this.logger.debug(`${message.id} of ${message.chain.name} is not signed on sight: ${String(error)}`);
    }
  }

  private count({ network, chainId }: EvmChain, outcome: string): void {
    this.outcomes.inc({ network, chain: evmChainName(chainId), outcome });
  }
}
