import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { dataSourceOptions, runMigrations } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { makeBenchFolder } from './bench-folder.js';
import { writeChainsFile } from './chains-file.js';
import { startChild } from './child.js';
import { HttpClient } from './http-client.js';
import { describeMachine } from './machine.js';
import { compare, measure } from './measure.js';
import { parseNumbers } from './options.js';
import { generateNfts, NFT_CHAIN, NFT_COLLECTION } from './nfts-data.js';

/** `npm run bench -- nfts`: what the service adds to the one statement that a token on record takes. */

const CALLERS = 16;
const USAGE = `Usage: npm run bench -- nfts [options]
  --tokens N   tokens on record (200000)
  --rounds N   rounds of each comparison (5)
  --seconds S  length of a round (1.5)`;
/** Nobody is asked: everything is on record. */
const NO_NODE = 'http://127.0.0.1:9';
const BLOCKCHAIN_ID = 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp';

const { tokens, rounds, seconds } = parseNumbers(USAGE, { tokens: 200_000, rounds: 5, seconds: 1.5 });

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

async function bench(client: HttpClient): Promise<string[]> {
  const get = async (path: string): Promise<void> => {
    await client.read(`${path}/${Math.floor(Math.random() * tokens)}`);
  };
  const sample = (path: string, callers: number) => (): ReturnType<typeof measure> =>
    measure({ forMs: seconds * 1_000, callers, call: () => get(path) });
  const ours = `/v1/chains/${NFT_CHAIN.chainId}/nfts/collections/${NFT_COLLECTION}/tokens`;
  await sample(ours, CALLERS)();
  const compareWith = (callers: number): ReturnType<typeof compare> =>
    compare({ rounds, ours: sample(ours, callers), reference: sample('/v1/bare', callers) });
  const alone = await compareWith(1);
  const together = await compareWith(CALLERS);
  return [
    row(['', 'Service', 'Bare driver', 'Service / bare']),
    row(['---', '---', '---', '---']),
    row([
      'p50 of one caller',
      `${alone.ours.p50Ms.toFixed(2)} ms`,
      `${alone.reference.p50Ms.toFixed(2)} ms`,
      `${alone.p50Ratio.toFixed(2)} ×`,
    ]),
    row([
      `${CALLERS} callers`,
      `${together.ours.perSecond.toFixed(0)}/s`,
      `${together.reference.perSecond.toFixed(0)}/s`,
      `${together.rateRatio.toFixed(2)} ×`,
    ]),
    '',
    `${tokens} tokens on record. ${describeMachine()}.`,
  ];
}

const folder = makeBenchFolder();
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  // The data are made for once; how fast they come to the disk is not what is measured.
  settings: { fsync: 'off', synchronous_commit: 'off' },
});
try {
  const dataSource = await new DataSource(dataSourceOptions({ url: postgres.url, poolSize: 2 })).initialize();
  await runMigrations(dataSource);
  await generateNfts(new Database(dataSource), tokens);
  await dataSource.destroy();
  const api = await startChild({
    name: 'nfts',
    entry: 'dist/test-programs/bench/nfts-api.js',
    folder,
    env: {
      DATABASE_URL: postgres.url,
      EVM_CHAINS_FILE: writeChainsFile(folder, NFT_CHAIN, { rpcUrl: NO_NODE, blockchainId: BLOCKCHAIN_ID }),
      NFT_TOKEN_MAX_AGE_SECONDS: '1000000',
      LOG_LEVEL: 'warn',
    },
  });
  const client = new HttpClient(api.url);
  try {
    console.log((await bench(client)).join('\n'));
  } finally {
    client.close();
    await api.stop();
  }
} finally {
  await postgres.stop();
}
