import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../../sandbox/generated/evm-chain-generator.js';
import { MESSAGE_SENDERS } from '../topology/made-chains.js';
import type { ServiceProcess } from '../topology/service-process.js';
import type { Topology } from '../topology/topology.js';
import { type AggregationStory, type SignatureCheck, runAggregation } from './aggregations.js';
import type { Caller, Question } from './caller.js';
import { type ExportStory, makeWish, runExport } from './exports.js';

/** How often each begins; whatever is still unanswered waits beside it. */
const EVERY_MS = { lists: 250, aggregations: 500, messages: 1_000, usage: 2_000, exports: 3_000 };
/** Of the others one at a time is begun however many wait; a bound keeps a long fault from piling them up. */
const MAX_WAITING = 100;
/** Work that has begun may take an attempt at an aggregation, and some more. */
const END_WITHIN_MS = 180_000;
const AGAIN_AFTER_MS = 250;

const LISTS: readonly Question[] = [
  ['subnets', '?pageSize=10'],
  ['validators', '?pageSize=10&validationStatus=active'],
  ['delegators', '?pageSize=10'],
].map(([name, query]) => ({
  kind: 'lists',
  route: `/v1/networks/{network}/${name}`,
  path: `/v1/networks/fuji/${name}${query}`,
}));

const UTXOS: Question = {
  kind: 'lists',
  route: '/v1/networks/{network}/blockchains/{blockchainId}/utxos',
  path: '/v1/networks/fuji/blockchains/p-chain/utxos?pageSize=10',
};

const USAGE: Question = {
  kind: 'usage',
  route: '/v1/apiUsageMetrics',
  path: '/v1/apiUsageMetrics?timeInterval=minute&groupBy=requestPath',
};

/** All kinds of requests, evenly, of both API processes. */
export class SteadyLoad {
  readonly aggregations: AggregationStory[] = [];
  readonly exports: ExportStory[] = [];
  private readonly waiting = new Set<Promise<void>>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly end = new AbortController();

  constructor(
    private readonly topology: Topology,
    private readonly caller: Caller,
    private readonly check: SignatureCheck,
    private readonly random: Random,
  ) {}

  start(): void {
    const { caller, check, aggregations } = this;
    const nextApi = (): ServiceProcess => this.nextApi();
    const common = { caller, nextApi, signal: this.end.signal };
    this.every(EVERY_MS.lists, () => this.ask(this.pick([...LISTS, UTXOS])));
    this.every(EVERY_MS.aggregations, () => runAggregation({ ...common, check, stories: aggregations }));
    this.every(EVERY_MS.messages, () => this.ask(this.messages()));
    this.every(EVERY_MS.usage, () => this.ask(USAGE));
    this.every(EVERY_MS.exports, () => this.runExport());
  }

  /**
   * Until a request of each kind has succeeded, at each of the processes where it matters.
   * @returns the seconds that it took; undefined when it took longer than the time given
   */
  async untilAnswered(timeoutSeconds: number): Promise<number | undefined> {
    const startedAt = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutSeconds * 1000);
    const { signal } = deadline;
    const { caller, check, topology, aggregations } = this;
    const reads = [...LISTS, UTXOS, USAGE, this.messages()];
    const asked = topology.apis.flatMap((api) => [
      ...reads.map((question) => this.untilOk(api, question, signal)),
      runAggregation({ caller, check, nextApi: () => api, stories: aggregations, signal }),
    ]);
    this.begin(() => this.runExport());
    await Promise.all([...asked, this.untilAccepted(this.exports.at(-1), signal)]);
    clearTimeout(timer);
    return signal.aborted ? undefined : (performance.now() - startedAt) / 1000;
  }

  /** Begins nothing more, and waits for what was begun. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.race([Promise.all(this.waiting), delay(END_WITHIN_MS)]);
    this.end.abort();
    await Promise.all(this.waiting);
  }

  private every(intervalMs: number, begin: () => Promise<void>): void {
    this.timers.push(
      setInterval(() => {
        if (this.waiting.size < MAX_WAITING) this.begin(begin);
      }, intervalMs),
    );
  }

  private begin(start: () => Promise<void>): void {
    const story = start();
    this.waiting.add(story);
    void story.finally(() => this.waiting.delete(story));
  }

  private runExport(): Promise<void> {
    const { caller, exports, random, topology } = this;
    const { chains, networks } = topology;
    const wish = makeWish(chains, networks, random);
    const nextApi = (): ServiceProcess => this.nextApi();
    return runExport({ caller, chains, wish, nextApi, stories: exports, signal: this.end.signal });
  }

  private async untilOk(api: ServiceProcess, question: Question, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.caller.ask(api, question)).outcome !== 200) {
      await delay(AGAIN_AFTER_MS);
    }
  }

  private async untilAccepted(story: ExportStory | undefined, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && story?.operationIds.size === 0) await delay(AGAIN_AFTER_MS);
  }

  private async ask(question: Question): Promise<void> {
    await this.caller.ask(this.nextApi(), question);
  }

  private messages(): Question {
    const address = this.pick(MESSAGE_SENDERS);
    return {
      kind: 'messages',
      route: '/v1/icm/addresses/{address}/messages',
      path: `/v1/icm/addresses/${address}/messages?pageSize=10`,
    };
  }

  private pick<T>(values: readonly T[]): T {
    const value = values[this.random(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  private nextApi(): ServiceProcess {
    return this.pick(this.topology.apis.filter(({ takesRequests }) => takesRequests));
  }
}
