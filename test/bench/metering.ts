import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { dataSourceOptions, runMigrations } from '../../src/platform/database/data-source.js';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { generatedOwners, generateLists } from '../support/http/generated-lists.js';
import { makeBenchFolder } from './bench-folder.js';
import { type Child, startChild } from './child.js';
import { HttpClient } from './http-client.js';
import { describeMachine } from './machine.js';
import { compare, measure } from './measure.js';
import { parseNumbers } from './options.js';
import { row } from './pages.js';
import { createUnlimitedKey } from './unlimited-key.js';
import { KEY_ENTITIES } from '../../src/access/keys/api-key.entities.js';

/** `npm run bench -- metering`: what limits and metrics take of the lists' throughput, two processes in turns over one database. */

const CALLERS = 16;
const USAGE = `Usage: npm run bench -- metering [options]
  --utxos N    UTXOs to generate, and a fifth as many validators (100000)
  --rounds N   rounds of each comparison (7)
  --seconds S  length of a round (2)`;

const { utxos, rounds, seconds } = parseNumbers(USAGE, { utxos: 100_000, rounds: 7, seconds: 2 });
const SIZES = { validators: Math.ceil(utxos / 5), delegators: 1_000, utxos, subnets: 2_000 };

const log = (text: string): void => console.error(`[bench] ${text}`);

interface Side {
  readonly client: HttpClient;
  readonly processId: number;
}

async function benchPath(what: string, path: string, sides: { metered: Side; plain: Side }): Promise<string> {
  log(what);
  const sample =
    ({ client, processId }: Side) =>
    (): ReturnType<typeof measure> =>
      measure({ forMs: seconds * 1_000, callers: CALLERS, processId, call: () => client.read(path) });
  await sample(sides.metered)();
  await sample(sides.plain)();
  const rates = await compare({
    rounds,
    ours: sample(sides.metered),
    reference: sample(sides.plain),
  });
  return row([
    what,
    `${rates.ours.perSecond.toFixed(0)}/s`,
    `${rates.reference.perSecond.toFixed(0)}/s`,
    `${rates.rateRatio.toFixed(2)} ×`,
    `${rates.ours.processorMs.toFixed(2)} ms`,
    `${rates.reference.processorMs.toFixed(2)} ms`,
  ]);
}

const folder = makeBenchFolder();
const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
const children: Child[] = [];
try {
  const dataSource = await new DataSource(
    dataSourceOptions({ url: postgres.url, poolSize: 2, entities: KEY_ENTITIES }),
  ).initialize();
  await runMigrations(dataSource);
  log('generating data');
  await generateLists(dataSource, SIZES, log);
  const { whale } = await generatedOwners(dataSource);
  const key = await createUnlimitedKey(dataSource, 'bench');
  await dataSource.destroy();
  for (const arg of ['metered', 'plain']) {
    const env = { DATABASE_URL: postgres.url, LOG_LEVEL: 'warn', RATE_LIMITS: 'true' };
    children.push(
      await startChild({
        name: arg,
        entry: 'dist/test-programs/bench/metering-api.js',
        args: [arg],
        folder,
        env,
      }),
    );
  }
  const [metered, plain] = children.map(({ url, pid }): Side => ({
    client: new HttpClient(url, { 'x-data-api-key': key }),
    processId: pid,
  }));
  if (metered === undefined || plain === undefined) throw new Error('no process');
  const address = packAddress({ hrp: 'avax', bytes: Buffer.from(whale, 'hex') });
  const lines: string[] = [];
  for (const [what, path] of [
    ['validators', 'validators?pageSize=10'],
    ['validators, 100 a page', 'validators?pageSize=100'],
    ['subnets, 100 a page', 'subnets?pageSize=100'],
    ['UTXOs of one address', `blockchains/p-chain/utxos?pageSize=10&addresses=${address}`],
  ] as const) {
    lines.push(await benchPath(what, `/v1/networks/mainnet/${path}`, { metered, plain }));
  }
  metered.client.close();
  plain.client.close();
  console.log(
    [
      row([
        'List',
        'With limits and metrics',
        'Without',
        'Ratio (goal ≥ 0.90)',
        'Processor time of a request with',
        'Without',
      ]),
      row(['---', '---', '---', '---', '---', '---']),
      ...lines,
      '',
      `${CALLERS} callers with one key. ${describeMachine()}.`,
    ].join('\n'),
  );
} finally {
  for (const child of children) await child.stop();
  await postgres.stop();
}
