import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DataSource } from 'typeorm';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { PRIMARY_CHAINS } from '../../src/platform/database/chains.js';
import { dataSourceOptions, runMigrations } from '../../src/platform/database/data-source.js';
import { startPostgres } from '../../sandbox/local/postgres-server.js';
import { beginCIndex, beginXIndex, completeCIndex } from '../support/http/begun-indexes.js';
import {
  beginGeneratedPChain,
  GENERATED_NODE,
  generatedOwners,
  generateLists,
  type GeneratedSizes,
} from '../support/http/generated-lists.js';
import { makeBenchFolder } from './bench-folder.js';
import { benchChurnedUtxos } from './churned-utxos.js';
import { startChild } from './child.js';
import { HttpClient } from './http-client.js';
import { describeMachine } from './machine.js';
import { type BenchedList, benchPages, PAGES_HEADER } from './pages.js';

/** `npm run bench -- lists`: whether a page far behind costs more than the first one, and what the service adds to its SQL. */

const SIZES: Readonly<Record<string, GeneratedSizes>> = {
  tiny: { validators: 200, delegators: 400, utxos: 2_000, subnets: 300 },
  small: { validators: 20_000, delegators: 40_000, utxos: 200_000, subnets: 12_000 },
  medium: { validators: 200_000, delegators: 400_000, utxos: 1_000_000, subnets: 12_000 },
  full: { validators: 1_000_000, delegators: 2_000_000, utxos: 10_000_000, subnets: 20_000 },
};
const ROUND_SECONDS = 1.5;
const USAGE = `Usage: npm run bench -- lists [options]
  --size ${Object.keys(SIZES).join('|')}  rows to generate (full: 13 million, a quarter of an hour)
  --only PART               only lists whose name contains this
  --seconds S               length of a round (${ROUND_SECONDS})`;
const CHURNED = 'UTXOs of one address after they were spent';
/** Nobody is asked: everything is on record. */
const NO_NODE = 'http://127.0.0.1:9';
const C_CHAIN = { network: 'mainnet', chainId: 43114n } as const;

const startedAt = Date.now();
const log = (text: string): void =>
  console.error(`[bench ${String(Math.round((Date.now() - startedAt) / 1000)).padStart(3)} s] ${text}`);

const { size, sizes, only, seconds } = parseOptions(process.argv.slice(2));

function parseOptions(args: string[]): {
  size: string;
  sizes: GeneratedSizes;
  only: string;
  seconds: number;
} {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string', default: 'full' },
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: String(ROUND_SECONDS) },
      help: { type: 'boolean', default: false },
    },
  });
  const found = SIZES[values.size];
  const seconds = Number(values.seconds);
  if (values.help || found === undefined || !(seconds > 0)) {
    console.error(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  return { size: values.size, sizes: found, only: values.only, seconds };
}

const lists = (whale: string): BenchedList[] => [
  { name: 'subnets', what: 'subnets', path: 'subnets?pageSize=10' },
  { name: 'blockchains', what: 'blockchains', path: 'blockchains?pageSize=10' },
  { name: 'l1-validators', what: 'L1 validators', path: 'l1Validators?pageSize=10' },
  {
    name: 'validation-cycles',
    what: 'cycles of one node',
    path: `validators/${nodeIdToString(fromHex(GENERATED_NODE))}/cycles?pageSize=10`,
  },
  {
    name: 'validations-of-a-node',
    what: 'validations of one node',
    path: `validators/${nodeIdToString(fromHex(GENERATED_NODE))}?pageSize=10`,
  },
  { name: 'validators', what: 'validators', path: 'validators?pageSize=10' },
  {
    name: 'active-validators',
    what: 'active validators by uptime',
    path: `validators?pageSize=10&validationStatus=active&sortBy=uptimePerformance&subnetId=${PRIMARY_NETWORK_ID}`,
  },
  { name: 'delegators', what: 'delegators', path: 'delegators?pageSize=10' },
  {
    name: 'delegators-of-an-address',
    what: 'delegators of one address',
    path: `delegators?pageSize=10&rewardAddresses=${whale}`,
  },
  {
    name: 'pending-rewards-of-an-address',
    what: 'pending rewards of one address',
    path: `rewards:listPending?pageSize=10&addresses=${whale}`,
  },
  {
    name: 'historical-rewards-of-an-address',
    what: 'historical rewards of one address',
    path: `rewards?pageSize=10&addresses=${whale}`,
  },
  {
    name: 'staking-transactions',
    what: 'staking transactions',
    path: 'blockchains/p-chain/transactions:listStaking?pageSize=10',
  },
  {
    name: 'staking-transactions-of-an-address',
    what: 'staking transactions of one address',
    path: `blockchains/p-chain/transactions:listStaking?pageSize=10&addresses=${whale}`,
  },
  {
    name: 'balances-of-an-address',
    what: 'balances of one address',
    path: `blockchains/p-chain/balances?addresses=${whale}`,
  },
  ...PRIMARY_CHAINS.flatMap((chain): BenchedList[] => {
    const path = `blockchains/${chain.toLowerCase()}-chain/utxos?pageSize=10`;
    return [
      { name: `utxos-${chain}`, what: `UTXOs of the ${chain}-chain`, path },
      {
        name: `utxos-${chain}-of-an-address`,
        what: `UTXOs of one address, ${chain}-chain`,
        path: `${path}&addresses=${whale}`,
      },
    ];
  }),
];

/** The X- and the C-chain from their beginnings, without which nobody knows which of their UTXOs are spent. */
async function beginIndexes(dataSource: DataSource): Promise<void> {
  const place = { dataSource };
  await beginXIndex(place, 'mainnet');
  await beginCIndex(place, C_CHAIN, 0);
  await completeCIndex(place, C_CHAIN);
}

const folder = makeBenchFolder();
const postgres = await startPostgres({
  dataDir: join(folder, 'postgres'),
  // The data are made for once; how fast they come to the disk is not what is measured.
  settings: { fsync: 'off', synchronous_commit: 'off', max_wal_size: '8GB', shared_buffers: '512MB' },
});
try {
  const dataSource = await new DataSource(dataSourceOptions({ url: postgres.url, poolSize: 2 })).initialize();
  await runMigrations(dataSource);
  log(`generating ${size} data`);
  await generateLists(dataSource, sizes, log);
  await beginGeneratedPChain(dataSource);
  const { whale } = await generatedOwners(dataSource);
  await beginIndexes(dataSource);
  const api = await startChild({
    name: 'lists',
    entry: 'dist/test-programs/bench/lists-api.js',
    folder,
    env: { DATABASE_URL: postgres.url, MAINNET_NODE_URL: NO_NODE, LOG_LEVEL: 'warn' },
  });
  const client = new HttpClient(api.url);
  try {
    const lines: string[] = [];
    const address = packAddress({ hrp: 'avax', bytes: Buffer.from(whale, 'hex') });
    for (const list of lists(address).filter(({ what }) => what.includes(only))) {
      const path = `/v1/networks/mainnet/${list.path}`;
      lines.push(await benchPages(client, { ...list, path, whale, seconds }, log));
    }
    if (CHURNED.includes(only)) {
      log(CHURNED);
      const path = `/v1/networks/mainnet/blockchains/p-chain/utxos?pageSize=10&addresses=${address}`;
      lines.push(
        '',
        ...(await benchChurnedUtxos(dataSource, client, { path, whale, seconds, utxos: sizes.utxos })),
      );
    }
    console.log(
      [
        ...PAGES_HEADER,
        ...lines,
        '',
        `${sizes.validators} validators, ${sizes.delegators} delegators, ${sizes.utxos} UTXOs, ${sizes.subnets} subnets. ${describeMachine()}.`,
      ].join('\n'),
    );
  } finally {
    client.close();
    await api.stop();
    await dataSource.destroy();
  }
} finally {
  await postgres.stop();
}
