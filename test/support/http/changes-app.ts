import { Module, VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import type { DataSource } from 'typeorm';
import { createAdapter, registerHttpHooks } from '../../../src/app.setup.js';
import { Config } from '../../../src/platform/config/config.module.js';
import { parseEnv } from '../../../src/platform/config/env.schema.js';
import { Database } from '../../../src/platform/database/database.js';
import { DatabaseModule } from '../../../src/platform/database/database.module.js';
import { EvmChainsModule } from '../../../src/platform/evm-chains/evm-chains.module.js';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { NetworksModule } from '../../../src/platform/networks/networks.module.js';
import { ChangesModule } from '../../../src/resources/changes/changes.module.js';
import { onCleanup } from '../harness/cleanup.js';
import { openDatabase } from '../harness/database.js';
import { PATIENCE_MS } from '../harness/eventually.js';
import { createTestDatabase } from '../harness/services.js';

/** The streams of changes within the test's own process, over a migrated database; callers are whom `x-forwarded-for` names. */
export class ChangesApp {
  private constructor(
    readonly url: string,
    readonly dataSource: DataSource,
    /** Over which the streams read. */
    readonly database: Database,
    readonly server: Server,
    private readonly metrics: Metrics,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<ChangesApp> {
    const { url: databaseUrl } = await createTestDatabase();
    const dataSource = await openDatabase(databaseUrl);
    const config = new Config(parseEnv({ DATABASE_URL: databaseUrl, ...env }));
    @Module({})
    class ChangesAppModule {}
    const root = {
      module: ChangesAppModule,
      global: true,
      imports: [DatabaseModule, NetworksModule, EvmChainsModule, ChangesModule],
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
    // Streams that are not read are cut by the test that is about them, and not while it still looks at them.
    const adapter = createAdapter({ trustedProxies: ['127.0.0.0/8'], stallTimeoutMs: PATIENCE_MS });
    const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
      logger: ['error'],
      abortOnError: false,
    });
    onCleanup(() => app.close());
    app.enableVersioning({ type: VersioningType.URI });
    await registerHttpHooks(app);
    await app.listen(0, '127.0.0.1');
    return new ChangesApp(
      await app.getUrl(),
      dataSource,
      app.get(Database),
      app.getHttpServer(),
      app.get(Metrics),
    );
  }

  /** Streams that have a place. */
  openStreams(): Promise<number> {
    return this.sum('nds_change_streams');
  }

  sentEvents(): Promise<number> {
    return this.sum('nds_changes_sent_total');
  }

  private async sum(metric: string): Promise<number> {
    const lines = (await this.metrics.text()).split('\n');
    const values = lines.filter((line) => new RegExp(`^${metric}[{ ]`).test(line));
    return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }
}
