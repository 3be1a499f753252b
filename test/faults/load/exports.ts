import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { addressFor } from '../../../sandbox/generated/evm-block.js';
import type { Random } from '../../../sandbox/generated/evm-chain-generator.js';
import type { FarNetworks } from '../topology/far-networks.js';
import { BLOCKS_PER_DAY, dayOf, type MadeChains } from '../topology/made-chains.js';
import type { ServiceProcess } from '../topology/service-process.js';
import type { Caller } from './caller.js';

const ASK_AGAIN_AFTER_MS = 1_000;
/** Accounts of the made-up chains; few sets of them, so that the truth of each is worked out once. */
const ACCOUNTS = 60;
const ADDRESSES_OF_ONE = 5;
const SETS_OF_ADDRESSES = 4;
const MAX_DAYS = 8;
/** The day of the genesis is left out: nobody knows what it gave. */
const FIRST_DAY = 1;
/** A block that the index may not have yet proves nothing. */
const BLOCKS_BEHIND_TIP = 30;

const OperationSchema = z.object({
  operationId: z.string(),
  operationStatus: z.enum(['RUNNING', 'COMPLETED', 'COMPLETED_WITH_WARNING', 'FAILED']),
  message: z.string(),
  metadata: z.object({ downloadUrl: z.string().optional() }),
});

export interface ExportWish {
  readonly chains: readonly (keyof MadeChains)[];
  readonly addresses: readonly string[];
  /** UTC days, both included. */
  readonly firstDate: string;
  readonly lastDate: string;
}

/** One export, from its first request to its file. */
export interface ExportStory {
  readonly key: string;
  readonly wish: ExportWish;
  /** Every id that the service has answered the key with: must be one. */
  readonly operationIds: Set<string>;
  status: z.output<typeof OperationSchema>['operationStatus'] | undefined;
  message: string;
  /** The file without its header. */
  file: string | undefined;
}

/** Of a file, in its order. */
export function rowsOf(file: string): string[] {
  return file.split('\r\n').slice(0, -1);
}

/** Whole days of one chain or both, for some of the accounts. */
export function makeWish(chains: MadeChains, { tip }: FarNetworks, random: Random): ExportWish {
  const set = random(SETS_OF_ADDRESSES);
  const days = Math.floor((tip - BLOCKS_BEHIND_TIP) / BLOCKS_PER_DAY) - 1;
  const count = 1 + random(MAX_DAYS);
  const first = FIRST_DAY + random(Math.max(1, days - count - FIRST_DAY));
  const both = Object.keys(chains).length;
  const [only] = [['source'], ['destination']][random(both)] ?? ['source'];
  return {
    chains: random(2) === 0 ? ['source', 'destination'] : [only === 'source' ? 'source' : 'destination'],
    addresses: Array.from({ length: ADDRESSES_OF_ONE }, (_, index) =>
      addressFor((set * ADDRESSES_OF_ONE * 2 + index) % ACCOUNTS),
    ),
    firstDate: dayOf(first * BLOCKS_PER_DAY),
    lastDate: dayOf((first + count - 1) * BLOCKS_PER_DAY),
  };
}

/** Asks for an export under one key until it is accepted, until it has ended, and until its file is there. */
export async function runExport(options: {
  caller: Caller;
  chains: MadeChains;
  wish: ExportWish;
  nextApi: () => ServiceProcess;
  stories: ExportStory[];
  signal: AbortSignal;
}): Promise<void> {
  const story: ExportStory = {
    key: randomUUID(),
    wish: options.wish,
    operationIds: new Set(),
    status: undefined,
    message: '',
    file: undefined,
  };
  options.stories.push(story);
  const steps = new ExportSteps(options.caller, options.chains, story);
  while (!options.signal.aborted && story.file === undefined) {
    const api = options.nextApi();
    const operationId = [...story.operationIds][0];
    if (operationId === undefined) await steps.begin(api);
    else if (!(await steps.follow(api, operationId))) return;
    if (story.file === undefined) await delay(ASK_AGAIN_AFTER_MS);
  }
  // Whoever repeats his request gets the operation that he has, from whichever process.
  if (!options.signal.aborted) await steps.begin(options.nextApi());
}

class ExportSteps {
  constructor(
    private readonly caller: Caller,
    private readonly chains: MadeChains,
    private readonly story: ExportStory,
  ) {}

  async begin(api: ServiceProcess): Promise<void> {
    const { chains, addresses, firstDate, lastDate } = this.story.wish;
    const includeChains = chains.map((name) => this.chains[name].chain.chainId.toString());
    const { outcome, body } = await this.caller.ask(api, {
      kind: 'exports',
      route: '/v1/operations/transactions:export',
      path: '/v1/operations/transactions:export',
      body: JSON.stringify({
        type: 'TRANSACTION_EXPORT_EVM',
        firstDate,
        lastDate,
        options: { addresses, includeChains },
      }),
      headers: { 'idempotency-key': this.story.key },
    });
    if (outcome === 201) this.story.operationIds.add(OperationSchema.parse(JSON.parse(body)).operationId);
  }

  /** @returns whether there is anything left to wait for */
  async follow(api: ServiceProcess, operationId: string): Promise<boolean> {
    const { outcome, body } = await this.caller.ask(api, {
      kind: 'operations',
      route: '/v1/operations/{operationId}',
      path: `/v1/operations/${operationId}`,
    });
    if (outcome !== 200) return true;
    const { operationStatus, message, metadata } = OperationSchema.parse(JSON.parse(body));
    Object.assign(this.story, { status: operationStatus, message });
    if (operationStatus === 'RUNNING') return true;
    if (metadata.downloadUrl === undefined) return false;
    await this.download(api, new URL(metadata.downloadUrl));
    return true;
  }

  private async download(api: ServiceProcess, { pathname, search }: URL): Promise<void> {
    const { outcome, body } = await this.caller.ask(api, {
      kind: 'downloads',
      route: '/v1/operations/{operationId}/transactions.csv',
      path: `${pathname}${search}`,
    });
    if (outcome === 200) this.story.file = body.slice(body.indexOf('\r\n') + '\r\n'.length);
  }
}
