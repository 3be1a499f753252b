import { afterEach, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { Observed, signedMessageOf } from '../support/harness/observed-service.js';
import { type ApiAnswer, TestService } from '../support/harness/service.js';
import { startPostgresForTest, startTemporalForTest } from '../support/harness/services.js';

/** Of each test; more of them by hand. */
const REQUESTS = Number(process.env['BURST_REQUESTS'] ?? 320);
const BURSTS = 8;
const OUTAGE_MS = 10_000;

/** Two processes that take requests and collect, over one Temporal and one Postgres. */
class TwoProcesses {
  /** The signed messages of requests that were answered with 201, by message. */
  readonly answered = new Map<string, string>();

  private constructor(
    readonly sandbox: Sandbox,
    readonly observed: Observed,
    readonly first: TestService,
    readonly second: TestService,
  ) {}

  static async start(sandbox: Sandbox, given: { databaseUrl?: string; dynamicConfig?: string[] } = {}) {
    const { dynamicConfig = [], ...options } = given;
    const temporal = await startTemporalForTest({ dynamicConfig });
    const observed = await Observed.start(sandbox, { temporalAddress: temporal.address, ...options });
    const { service } = observed;
    const second = await TestService.start({
      nodeUrl: sandbox.url,
      isHosted: true,
      databaseUrl: service.databaseUrl,
      temporalAddress: service.temporalAddress,
    });
    const both = new TwoProcesses(sandbox, observed, service, second);
    await eventually('the second process answers', async () => {
      const message = observed.newMessage();
      return (await second.aggregate({ message })).status === 201;
    });
    return both;
  }

  /** All at once: a third of the messages through both processes, the others through one of them. */
  burst(requests = REQUESTS / BURSTS): Promise<void>[] {
    const messages = Array.from({ length: (requests * 3) / 4 }, () => this.observed.newMessage());
    return messages.flatMap((message, index) => {
      const services = [[this.first, this.second], [this.first], [this.second]][index % 3] ?? [];
      return services.map((service) => this.ask(service, message));
    });
  }

  /** Every message that was answered is in a run's history, becomes stored, and is answered again by both. */
  async expectNothingLost(): Promise<void> {
    await this.observed.runsEnd();
    const messages = [...this.answered.keys()];
    await eventually('all are in the history of a run', async () => {
      const recorded = await this.observed.recordedMessages();
      return messages.every((message) => recorded.has(message));
    });
    await eventually('all are stored', () => this.observed.areStored(messages));
    for (const service of [this.first, this.second]) {
      const again = await Promise.all(messages.map((message) => service.aggregate({ message })));
      expect(again.map(signedMessageOf).map(unsignedPart)).toEqual(messages);
    }
  }

  private async ask(service: TestService, message: string): Promise<void> {
    const answer = await service.aggregate({ message }).catch((): ApiAnswer | undefined => undefined);
    if (answer?.status === 201) this.answered.set(message, signedMessageOf(answer));
  }
}

/** All messages of these tests are equally long. */
let messageLength = 0;

function unsignedPart(signedMessage: string): string {
  return signedMessage.slice(0, messageLength);
}

describe('bursts of aggregations through two processes', () => {
  let sandbox: Sandbox;
  let both: TwoProcesses;

  const start = async (options: Parameters<typeof TwoProcesses.start>[1] = {}) => {
    sandbox = await startSandbox({ validators: 5 });
    both = await TwoProcesses.start(sandbox, options);
    messageLength = both.observed.newMessage().length;
  };

  afterEach(async () => {
    await both.observed.close();
    await sandbox.stop();
  });

  const killOneInBetween = async () => {
    for (let burst = 0; burst < BURSTS; burst++) {
      const asking = both.burst();
      if (burst === BURSTS / 2) {
        await Promise.race(asking);
        await both.second.killApi();
      }
      await Promise.all(asking);
      // So that the next burst opens new runs; those of a killed process take longer.
      if (burst % 2 === 1 && burst < BURSTS / 2) await both.observed.runsEnd();
    }
    expect(both.answered.size).toBeGreaterThan(REQUESTS / 3);
    await both.second.restartApi();
  };

  it('lose nothing to kill -9 of one of them, and to Postgres being away afterwards', async () => {
    const postgres = await startPostgresForTest();
    await start({ databaseUrl: postgres.url });
    await killOneInBetween();
    const asking = both.burst();
    await Promise.race(asking);
    // Stopped, not killed: what was stored in the last moment is not on the disk yet.
    await postgres.stop();
    const returnsAt = performance.now() + OUTAGE_MS;
    await Promise.all(asking);
    while (performance.now() < returnsAt) await Promise.all(both.burst(24));
    await postgres.start();
    await eventually('requests are answered again', async () => {
      const before = both.answered.size;
      await Promise.all(both.burst(24));
      return both.answered.size === before + 18;
    });
    await both.observed.reconnect();
    await both.expectNothingLost();
  }); // alone it takes a quarter of that

  it('are collected once each without eager starts, and lose nothing to kill -9 of one of them', async () => {
    await start({ dynamicConfig: ['system.enableEagerWorkflowStart=false'] });
    await both.observed.settles();
    const asked = sandbox.validators.map(({ requests }) => requests);
    const messages = Array.from({ length: 40 }, () => both.observed.newMessage());
    const answers = await Promise.all(
      messages.map((message, index) => (index % 2 === 0 ? both.first : both.second).aggregate({ message })),
    );
    expect(answers.map(({ status }) => status)).toEqual(messages.map(() => 201));
    await both.observed.runsEnd();
    const askedNow = sandbox.validators.map(({ requests }) => requests);
    await both.observed.settles();
    // On a busy machine a process may be late enough to count as gone.
    const takenOver = await both.observed.messagesTakenOver();
    const twice = messages.filter((message) => takenOver.has(message)).length;
    for (const [index, requests] of askedNow.entries()) {
      const more = requests - (asked[index] ?? 0);
      expect(more).toBeGreaterThanOrEqual(messages.length);
      expect(more).toBeLessThanOrEqual(messages.length + twice);
    }
    await killOneInBetween();
    await both.expectNothingLost();
  });
});
