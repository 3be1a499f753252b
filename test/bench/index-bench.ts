import { DataSource } from 'typeorm';
import { dataSourceOptions, runMigrations } from '../../src/platform/database/data-source.js';
import type { PostgresServer } from '../../sandbox/local/postgres-server.js';

/** Code shared by the parts of `npm run bench -- index`. */
export class IndexBench {
  private databases = 0;

  constructor(
    readonly folder: string,
    private readonly postgres: PostgresServer,
    readonly log: (text: string) => void,
  ) {}

  /** With all tables, and nothing in them. */
  async freshDatabase(): Promise<{ url: string; dataSource: DataSource; drop(): Promise<void> }> {
    const name = `bench_${this.databases++}`;
    await this.onServer(`CREATE DATABASE ${name}`);
    const url = new URL(this.postgres.url);
    url.pathname = `/${name}`;
    const dataSource = await new DataSource(dataSourceOptions({ url: url.href, poolSize: 4 })).initialize();
    await runMigrations(dataSource);
    return {
      url: url.href,
      dataSource,
      drop: async () => {
        await dataSource.destroy();
        await this.onServer(`DROP DATABASE ${name} WITH (FORCE)`);
      },
    };
  }

  private async onServer(sql: string): Promise<void> {
    const server = await new DataSource(
      dataSourceOptions({ url: this.postgres.url, poolSize: 1 }),
    ).initialize();
    await server.query(sql);
    await server.destroy();
  }
}
