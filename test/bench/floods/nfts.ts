import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { contractOf } from '../../../sandbox/generated/contract.js';
import { evmChainOf, generateEvmChain } from '../../../sandbox/generated/evm-chain-generator.js';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.js';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { writeChainsFile } from '../chains-file.js';
import { HttpClient } from '../http-client.js';
import { describeMachine } from '../machine.js';
import { format, row } from '../report.js';
import { TestBed } from '../test-bed.js';
import { describeStatuses, whileSampling } from './sampled.js';

export interface NftFlood {
  readonly seconds: number;
  readonly 'nfts-per-minute': number;
  /** Of each token, in its URI. */
  readonly 'metadata-kilobytes': number;
}

/** Of whichever network a sandbox stands for. */
const CHAIN = { network: 'sandbox', chainId: 43_113n } as const;
const BLOCKCHAIN_ID = '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC';
const BLOCKS = 100;
const FLOODING: Address = `0x${'f1'.repeat(20)}`;
/** Of somebody else, whose tokens must not be pushed out. */
const OTHER: Address = `0x${'0a'.repeat(20)}`;
const OTHER_TOKENS = 50;
const OWNER: Address = `0x${'ab'.repeat(20)}`;
const ERC721_INTERFACES: readonly Hex[] = ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f'];

/** The least that can be configured, so that the contract's tenth of it is reached soon. */
const STORED_MB = 100;
const CONTRACT_BYTES = 0.1 * STORED_MB * 1e6;
/** Bytes that a process writes before it looks at how much there is. */
const BETWEEN_LOOKS_BYTES = 0.01 * STORED_MB * 1e6;
/** The API and the worker write between their looks, and go on writing while one of them removes what is too much. */
const EXCESS_BYTES = 3 * BETWEEN_LOOKS_BYTES;
const GOALS = { countedBytes: CONTRACT_BYTES + EXCESS_BYTES, diskRatio: 1.1 } as const;

/** More than wait at this rate while each waits as long for its metadata as the service lets it. */
const CALLERS = 600;
const SAMPLE_MS = 500;
const NO_ANSWER = 'nothing';

/** Bytes. */
interface Sizes {
  readonly atMs: number;
  /** Bytes that the service counts for the contract. */
  readonly counted: number;
  /** With indexes, and with what is stored out of line. */
  readonly table: number;
  readonly database: number;
}

interface Flooded {
  readonly statuses: Readonly<Record<string, number>>;
  readonly asked: number;
  readonly elapsedMs: number;
}

/** A node whose C-chain has contracts with a token for each id, all of whose metadata is in the URI. */
async function startNode(metadataKilobytes: number): Promise<Sandbox> {
  const blocks = generateEvmChain({ blocks: BLOCKS, transactions: 0 });
  const sandbox = await startSandbox({
    validators: 1,
    recording: null,
    blockIntervalMs: 0,
    evmRecordings: [evmChainOf({ chainId: CHAIN.chainId, blockchainId: BLOCKCHAIN_ID, blocks })],
  });
  for (const [contract, kilobytes] of [
    [FLOODING, metadataKilobytes],
    [OTHER, 1],
  ] as const) {
    const answer = contractOf({
      interfaces: ERC721_INTERFACES,
      name: 'Works',
      symbol: 'WORK',
      ownerOf: () => OWNER,
      tokenURI: (tokenId) => tokenUri(tokenId, kilobytes),
    });
    sandbox.cChain.contracts.set(contract, answer);
  }
  return sandbox;
}

/** The same for the same token, and like noise: Postgres compresses what repeats, and would store less than it is sent. */
function tokenUri(tokenId: bigint, kilobytes: number): string {
  const outputLength = Math.ceil((kilobytes * 1_000 * 9) / 16); // base64 twice
  const description = createHash('shake256', { outputLength }).update(tokenId.toString()).digest('base64');
  const metadata = JSON.stringify({ name: `Token ${tokenId}`, description });
  return `data:application/json;base64,${Buffer.from(metadata).toString('base64')}`;
}

class Tokens {
  constructor(
    private readonly client: HttpClient,
    private readonly database: pg.Client,
  ) {}

  private pathOf(contract: Address, tokenId: number): string {
    return `/v1/chains/${CHAIN.chainId}/nfts/collections/${contract}/tokens/${tokenId}`;
  }

  async storeOthers(): Promise<void> {
    for (let tokenId = 0; tokenId < OTHER_TOKENS; tokenId++) {
      await this.client.read(this.pathOf(OTHER, tokenId));
    }
  }

  /** Each a token that nobody has asked for before; fewer than `perMinute` when all callers wait for answers. */
  async flood(perMinute: number, seconds: number): Promise<Flooded> {
    const statuses: Record<string, number> = {};
    const startedAtMs = performance.now();
    const intervalMs = 60_000 / perMinute;
    let asked = 0;
    const call = async (): Promise<void> => {
      for (;;) {
        const dueAtMs = startedAtMs + asked * intervalMs;
        if (Math.max(dueAtMs, performance.now()) >= startedAtMs + seconds * 1_000) return;
        const tokenId = asked++;
        await delay(Math.max(0, dueAtMs - performance.now()));
        const status = await this.client.get(this.pathOf(FLOODING, tokenId)).then(
          (answer) => String(answer.status),
          () => NO_ANSWER,
        );
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, call));
    return { statuses, asked, elapsedMs: seconds * 1_000 };
  }

  async sizes(): Promise<Sizes> {
    const { rows } = await this.database.query<Record<'counted' | 'table' | 'database', string>>(
      `SELECT (SELECT coalesce(sum(stored_bytes), 0) FROM nft_tokens WHERE address = $1) AS counted,
              pg_total_relation_size('nft_tokens') AS table, pg_database_size(current_database()) AS database`,
      [bytesOf(FLOODING)],
    );
    const [found] = rows;
    return {
      atMs: performance.now(),
      counted: Number(found?.counted),
      table: Number(found?.table),
      database: Number(found?.database),
    };
  }

  /** Of the other contract. */
  async othersKnown(): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM nft_tokens WHERE address = $1',
      [bytesOf(OTHER)],
    );
    return rows[0]?.count ?? 0;
  }

  /** Of all tables but that of the tokens, those of Postgres itself included. */
  async otherTables(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.database.query<{ name: string; bytes: string }>(
      `SELECT oid::regclass::text AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
        WHERE relkind = 'r' AND oid <> 'nft_tokens'::regclass`,
    );
    return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
  }
}

function bytesOf(address: Address): Buffer {
  return Buffer.from(address.slice(2), 'hex');
}

function megabytes(bytes: number): string {
  return format(bytes / 1e6);
}

function describeGrowth(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string {
  const [most] = [...after]
    .map(([name, bytes]) => ({ name, grown: bytes - (before.get(name) ?? 0) }))
    .sort((a, b) => b.grown - a.grown);
  if (most === undefined || most.grown <= 0) return 'none has grown';
  return `most of all ${most.name}, by ${megabytes(most.grown)} MB`;
}

function describeResults(
  options: NftFlood,
  { statuses, asked, elapsedMs }: Flooded,
  {
    samples,
    othersKnown,
    growth,
  }: { readonly samples: readonly Sizes[]; readonly othersKnown: number; readonly growth: string },
): string {
  const [first] = samples;
  if (first === undefined) throw new Error('nothing was measured');
  // Those that were still waiting when the flood was over are answered behind it.
  const at = (share: number): Sizes =>
    samples.reduce((best, sample) => {
      const distance = ({ atMs }: Sizes): number => Math.abs(atMs - first.atMs - share * elapsedMs);
      return distance(sample) < distance(best) ? sample : best;
    });
  const points = [0, 0.25, 0.5, 0.75, 1].map(at);
  const sizes = (what: string, read: (sizes: Sizes) => number, goal: string): string => {
    const most = Math.max(...samples.map(read));
    return row([what, ...points.map((point) => megabytes(read(point))), megabytes(most), goal]);
  };
  // Their peaks: autovacuum, once a minute unless configured, gives the room of removed tokens back in large pieces.
  const middleMs = first.atMs + elapsedMs / 2;
  const mostOnDisk = (isOfHalf: (sizes: Sizes) => boolean): number =>
    Math.max(...samples.filter(isOfHalf).map(({ table }) => table));
  const ratio = mostOnDisk(({ atMs }) => atMs > middleMs) / mostOnDisk(({ atMs }) => atMs <= middleMs);
  const isReached = samples.some(({ counted }) => counted >= CONTRACT_BYTES);
  return [
    row(['MB in Postgres', 'Before', '¼', 'Middle', '¾', 'End', 'Most', 'Goal']),
    row(Array.from({ length: 8 }, () => '---')),
    sizes('counted for the contract', ({ counted }) => counted, `≤ ${megabytes(GOALS.countedBytes)}`),
    sizes('tokens on disk', ({ table }) => table, ''),
    sizes('the rest of the database', ({ table, database }) => database - table, ''),
    '',
    row([`${options['nfts-per-minute']} new NFTs a minute of one contract`, '', 'Goal']),
    row(['---', '---', '---']),
    row(['asked for, a minute', format((asked * 60_000) / elapsedMs), '']),
    row(['asked for, in all', String(asked), '']),
    row(['answered with', describeStatuses(statuses), '']),
    row([
      'share of the contract',
      `${megabytes(CONTRACT_BYTES)} MB${isReached ? '' : ', which was not reached'}`,
      '',
    ]),
    row(['most tokens on disk, second half against first', `${format(ratio)} ×`, `≤ ${GOALS.diskRatio} ×`]),
    row(['tokens of another contract that are still known', `${othersKnown} of ${OTHER_TOKENS}`, 'all']),
    row(['other tables of the database', growth, '']),
    '',
    `${options.seconds} s, NFT_MAX_STORED_MB=${STORED_MB}, about ${options['metadata-kilobytes']} kB of metadata in each URI, without limits per caller;`,
    `Temporal's own database and Postgres' log of writes are not counted. ${describeMachine()}.`,
  ].join('\n');
}

/** @returns the tables */
export async function benchNfts(options: NftFlood, log: (text: string) => void): Promise<string> {
  const bed = await TestBed.start(log);
  const node = await startNode(options['metadata-kilobytes']);
  try {
    const databaseUrl = await bed.createDatabase('nfts');
    const env = {
      EVM_CHAINS_FILE: writeChainsFile(bed.folder, CHAIN, {
        rpcUrl: node.cChainUrl,
        blockchainId: BLOCKCHAIN_ID,
      }),
      NFT_MAX_STORED_MB: String(STORED_MB),
      WORKER_QUEUES: 'nfts',
      LOG_LEVEL: 'warn',
    };
    const api = await bed.startApi(node.url, { databaseUrl, env });
    await bed.startWorker(node.url, { databaseUrl, env });
    const client = new HttpClient(api.url);
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    try {
      const tokens = new Tokens(client, database);
      log(`${OTHER_TOKENS} tokens of another contract`);
      await tokens.storeOthers();
      const before = await tokens.otherTables();
      log(`${options['nfts-per-minute']} new NFTs a minute for ${options.seconds} s`);
      const { samples, result } = await whileSampling(
        SAMPLE_MS,
        () => tokens.sizes(),
        () => tokens.flood(options['nfts-per-minute'], options.seconds),
      );
      return describeResults(options, result, {
        samples,
        othersKnown: await tokens.othersKnown(),
        growth: describeGrowth(before, await tokens.otherTables()),
      });
    } finally {
      client.close();
      await database.end();
    }
  } finally {
    await bed.stop();
    await node.stop();
  }
}
