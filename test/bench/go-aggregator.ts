import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ManagedChild } from '../../sandbox/local/processes/child-process.js';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { HttpClient } from './http-client.js';
import type { BenchRequest } from './messages.js';

const RETRY_MS = 50;
const GIVE_UP_MS = 180_000;
const AnswerSchema = z.object({ 'signed-message': z.string() });

/**
 * The signature-aggregator of icm-services, built by whoever compares with it. What it is given are its defaults; only that addresses of
 * loopback may be dialled is not one.
 */
export class GoAggregator {
  private constructor(
    private readonly child: ManagedChild,
    private readonly http: HttpClient,
  ) {}

  static async start(options: { binary: string; nodeUrl: string; folder: string }): Promise<GoAggregator> {
    const [apiPort, metricsPort] = [await freePort(), await freePort()];
    const configFile = join(options.folder, 'go-aggregator.json');
    writeFileSync(
      configFile,
      JSON.stringify({
        'p-chain-api': { 'base-url': options.nodeUrl },
        'info-api': { 'base-url': options.nodeUrl },
        'api-port': apiPort,
        'metrics-port': metricsPort,
        'allow-private-ips': true,
      }),
    );
    const child = await ManagedChild.start({
      name: 'go-aggregator',
      command: options.binary,
      args: ['--config-file', configFile],
      logFile: join(options.folder, 'log', 'go-aggregator.log'),
    });
    return new GoAggregator(child, new HttpClient(`http://127.0.0.1:${apiPort}`));
  }

  get pid(): number {
    return this.child.pid;
  }

  /** @returns how often it failed, or was not there yet */
  async aggregateEventually({ message }: BenchRequest): Promise<number> {
    const body = JSON.stringify({ message: message.replace(/^0x/, ''), 'quorum-percentage': 67 });
    const startedAtMs = performance.now();
    for (let refusals = 0; ; refusals++) {
      if (this.child.hasExited) throw new Error(this.child.describeExit());
      const answer = await this.http.post('/aggregate-signatures', body).catch(() => undefined);
      if (answer?.status === 200) {
        AnswerSchema.parse(JSON.parse(answer.body));
        return refusals;
      }
      if (performance.now() - startedAtMs > GIVE_UP_MS) throw new Error(answer?.body ?? 'it does not answer');
      await delay(RETRY_MS);
    }
  }

  async stop(): Promise<void> {
    this.http.close();
    await this.child.stop();
  }
}
