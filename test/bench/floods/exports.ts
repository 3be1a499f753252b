import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { StorageSpace } from '../../../src/exports/storage/storage-space.js';
import { addDays } from '../../../src/exports/turns/days.js';
import { Config } from '../../../src/platform/config/config.module.js';
import { parseEnv } from '../../../src/platform/config/env.schema.js';
import { dataSourceOptions, runMigrations } from '../../../src/platform/database/data-source.js';
import { Database } from '../../../src/platform/database/database.js';
import { TRANSACTION_EXPORT_EVM } from '../../../workflows/contracts/export-transactions.js';
import { ENTITIES } from '../../support/entities.js';
import {
  GENERATED_CHAIN,
  GENERATED_FIRST_DAY,
  generatedAddresses,
  generateEvm,
  transactionsFor,
  whaleRows,
} from '../../support/evm/generated-evm.js';
import { writeChainsFile } from '../chains-file.js';
import { HttpClient } from '../http-client.js';
import { describeMachine } from '../machine.js';
import { format, row } from '../report.js';
import { TestBed } from '../test-bed.js';
import { createUnlimitedKey } from '../unlimited-key.js';
import { createExportRoom, type ExportRoom, type SpaceRules } from './export-room.js';
import { describeStatuses, whileSampling } from './sampled.js';

export interface ExportFlood {
  readonly exports: number;
  /** Of each export. */
  readonly 'export-rows': number;
}

const DAYS = 30;
const BLOCKCHAIN_ID = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5';
/** Nobody is asked: all blocks are in the index. */
const NO_NODE = 'http://127.0.0.1:9';

/** Between one hundredth below the mark and the mark, it has room for two turns at a time. */
const ROOM_BYTES = 16 * 2 ** 30;
const BELOW_MARK = 0.01;
const STARTED_AT_ONCE = 8;
const LOOK_MS = 500;
const SAMPLE_MS = 50;
/** An export that waits tries again once a minute at the latest. */
const PATIENCE_MS = 600_000;

interface Sample {
  readonly usedBytes: number;
  /** Turns that have claimed room, or are looking for some. */
  readonly claims: number;
}

interface OperationBody {
  readonly operationId: string;
  readonly operationStatus: string;
  readonly message: string;
}

/** The exports of this flood as their caller sees them. */
class Exports {
  readonly answers: Record<number, number> = {};
  /** Those that were seen to wait for room. */
  readonly waiting = new Set<string>();
  readonly ended = new Map<string, OperationBody>();
  private readonly ids: string[] = [];

  constructor(private readonly client: HttpClient) {}

  get started(): number {
    return this.ids.length;
  }

  get areAllOver(): boolean {
    return this.ended.size === this.started;
  }

  get failed(): readonly OperationBody[] {
    return [...this.ended.values()].filter(({ operationStatus }) => operationStatus !== 'COMPLETED');
  }

  /** Of the same address, and of one that has nothing: equal requests would be one export. */
  async start(count: number, address: string): Promise<void> {
    let next = 0;
    const startSome = async (): Promise<void> => {
      while (next < count) {
        next += 1;
        await this.startOne([address, `0x${next.toString(16).padStart(40, '0')}`]);
      }
    };
    await Promise.all(Array.from({ length: STARTED_AT_ONCE }, startSome));
  }

  /** Asks for all that are not over. */
  async look(): Promise<void> {
    for (const id of this.ids) {
      if (this.ended.has(id)) continue;
      const operation = JSON.parse(await this.client.read(`/v1/operations/${id}`)) as OperationBody;
      if (operation.operationStatus !== 'RUNNING') this.ended.set(id, operation);
      else if (operation.message.includes('STORAGE_FULL')) this.waiting.add(id);
    }
  }

  private async startOne(addresses: readonly string[]): Promise<void> {
    const request = {
      type: TRANSACTION_EXPORT_EVM,
      firstDate: GENERATED_FIRST_DAY,
      lastDate: addDays(GENERATED_FIRST_DAY, DAYS - 1),
      options: { addresses, includeChains: [GENERATED_CHAIN.chainId.toString()] },
    };
    const { status, body } = await this.client.post(
      '/v1/operations/transactions:export',
      JSON.stringify(request),
    );
    this.answers[status] = (this.answers[status] ?? 0) + 1;
    if (status === 201) this.ids.push((JSON.parse(body) as OperationBody).operationId);
  }
}

/** The results of one part of the flood, in which as much is taken by others. */
interface Stretch {
  readonly seconds: number;
  readonly ended: number;
  readonly mostBytes: number;
  readonly mostClaims: number;
}

class Flood {
  constructor(
    readonly exports: Exports,
    private readonly room: ExportRoom,
    private readonly rules: SpaceRules,
    private readonly dataSource: DataSource,
  ) {}

  /** Looks at the exports until this is so. */
  async until(isSo: (sample: Sample) => boolean): Promise<Stretch> {
    const { exports } = this;
    const startedAtMs = performance.now();
    const endedBefore = exports.ended.size;
    const { samples } = await whileSampling(
      SAMPLE_MS,
      () => this.sample(),
      async () => {
        for (;;) {
          await exports.look();
          if (isSo(await this.sample())) return;
          if (performance.now() - startedAtMs > PATIENCE_MS) throw new Error('the exports do not go on');
          await delay(LOOK_MS);
        }
      },
    );
    return {
      seconds: (performance.now() - startedAtMs) / 1_000,
      ended: exports.ended.size - endedBefore,
      mostBytes: Math.max(...samples.map(({ usedBytes }) => usedBytes)),
      mostClaims: Math.max(...samples.map(({ claims }) => claims)),
    };
  }

  /** Whether not even one turn alone may begin. */
  isFull({ usedBytes, claims }: Sample): boolean {
    const { mark, totalBytes, beyondBytes } = this.room;
    return claims === 0 && usedBytes + this.rules.turnBytes - beyondBytes >= mark * totalBytes;
  }

  private async sample(): Promise<Sample> {
    const [found] = await this.dataSource.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM operations WHERE storing_until > extract(epoch FROM now())',
    );
    return { usedBytes: await this.room.usedBytes(), claims: found?.count ?? 0 };
  }
}

function describeResults(
  { exports: wanted, 'export-rows': wantedRows }: ExportFlood,
  { exports, room, rows }: { readonly exports: Exports; readonly room: ExportRoom; readonly rows: number },
  { full, scarce, free }: { readonly full: Stretch; readonly scarce: Stretch; readonly free: Stretch },
): string {
  const { mark, totalBytes, beyondBytes } = room;
  const percent = (bytes: number): string => `${((100 * bytes) / totalBytes).toFixed(2)} %`;
  const shareOf = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const scarceShare = shareOf(mark - BELOW_MARK);
  const most = beyondBytes === 0 ? shareOf(mark) : percent(mark * totalBytes + beyondBytes);
  const isWhole = ({ message }: OperationBody): boolean => message.startsWith(`${rows} rows`);
  const stretches = [full, scarce, free];
  const cells = (read: (stretch: Stretch) => string): string[] => stretches.map(read);
  return [
    row([`${room.what}: taken by others`, shareOf(mark), scarceShare, '0 %', 'Goal']),
    row(['---', '---', '---', '---', '---']),
    row(['for, s', ...cells(({ seconds }) => format(seconds)), '']),
    row(['exports that ended', ...cells(({ ended }) => String(ended)), '']),
    row([
      'taken with exports, most',
      ...cells(({ mostBytes }) => percent(mostBytes)),
      `< ${most} beside ${scarceShare}`,
    ]),
    row([
      'turns that store or look for room at once, most',
      ...cells(({ mostClaims }) => String(mostClaims)),
      '',
    ]),
    '',
    row([`All ${wanted} exports`, '', 'Goal']),
    row(['---', '---', '---']),
    row(['asked for, and answered with', describeStatuses(exports.answers), '201']),
    row(['seen to wait for room', String(exports.waiting.size), '']),
    row(['finished', String(exports.ended.size - exports.failed.length), String(wanted)]),
    row(['failed', String(exports.failed.length), '0']),
    row([
      `with all ${rows} rows`,
      String([...exports.ended.values()].filter(isWhole).length),
      String(wanted),
    ]),
    '',
    `${room.what} has ${format(totalBytes / 1e9)} GB; about ${wantedRows} rows in each export. ${describeMachine()}.`,
  ].join('\n');
}

/** @returns the tables */
export async function benchExports(options: ExportFlood, log: (text: string) => void): Promise<string> {
  const bed = await TestBed.start(log);
  let room: ExportRoom | undefined;
  let dataSource: DataSource | undefined;
  try {
    const databaseUrl = await bed.createDatabase('exports');
    dataSource = await new DataSource(
      dataSourceOptions({ url: databaseUrl, poolSize: 2, entities: ENTITIES }),
    ).initialize();
    await runMigrations(dataSource);
    const transactions = transactionsFor(options['export-rows']);
    await generateEvm(dataSource, { transactions, days: DAYS });
    const { whale } = await generatedAddresses(dataSource);
    const rules = new StorageSpace(
      new Config(parseEnv({ DATABASE_URL: databaseUrl })),
      new Database(dataSource),
    );
    room = await createExportRoom(bed.folder, ROOM_BYTES, rules, dataSource);
    const service = {
      databaseUrl,
      env: {
        ...room.env,
        MAINNET_NODE_URL: NO_NODE,
        EVM_CHAINS_FILE: writeChainsFile(bed.folder, GENERATED_CHAIN, {
          rpcUrl: NO_NODE,
          blockchainId: BLOCKCHAIN_ID,
        }),
        RATE_LIMITS: 'true',
        WORKER_QUEUES: 'exports',
        LOG_LEVEL: 'warn',
      },
    };
    const api = await bed.startApi(NO_NODE, service);
    const key = await createUnlimitedKey(dataSource, 'bench');
    const client = new HttpClient(api.url, { 'x-data-api-key': key });
    try {
      const exports = new Exports(client);
      // While a worker is away and there is room: with this little of it the service would accept one or two.
      await exports.start(options.exports, whale);
      log(`${exports.started} exports are accepted; others take ${room.what} up to the mark`);
      await room.takeUpTo(room.mark);
      await bed.startWorker(NO_NODE, service);
      const flood = new Flood(exports, room, rules, dataSource);
      const full = await flood.until(() => exports.waiting.size + exports.ended.size >= exports.started);
      log(`all wait for room, and get a hundredth of ${room.what}`);
      await room.takeUpTo(room.mark - BELOW_MARK);
      const scarce = await flood.until((sample) => exports.areAllOver || flood.isFull(sample));
      log(`${exports.started - exports.ended.size} exports wait for more, and get all of it`);
      await room.takeUpTo(0);
      const free = await flood.until(() => exports.areAllOver);
      return describeResults(
        options,
        { exports, room, rows: whaleRows(transactions) },
        { full, scarce, free },
      );
    } finally {
      client.close();
    }
  } finally {
    await dataSource?.destroy();
    room?.remove();
    await bed.stop();
  }
}
