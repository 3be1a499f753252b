import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import type { DataSource } from 'typeorm';
import { expect } from '@jest/globals';
import { INDEX_SIGNALS, makeIndexWorkflowId } from '../../../workflows/contracts/index-chain.js';
import { onCleanup } from '../harness/cleanup.js';
import { eventually } from '../harness/eventually.js';
import type { TestService } from '../harness/service.js';
import { generatedChains } from '../../../sandbox/generated/generated-chains.js';
import {
  type NodeBehaviourInput,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../../sandbox/sandbox.js';
import { createXIndexer } from '../x-chain/x-chain-index.js';
import { advanceToTip, digestTables } from '../indexer.js';
import { createIndexer, WITHOUT_INDEX_API } from './p-chain-index.js';
import { createMigratedDatabase } from '../harness/database.js';

export const BLOCKS = 1_000;

const ROUND_TRIP_MS = 40;

export const CHAINS = ['p-chain', 'x-chain'] as const;

/** Of a worker that notices soon when another one has died. */
export const INDEXING_ENV = {
  WORKER_QUEUES: 'indexing',
  INDEX_CONCURRENCY: '1', // and so few blocks per transaction
  WORKER_SILENCE_MS: '500',
  NODE_TIMEOUT_MS: '500',
  LOG_LEVEL: 'warn',
};

export interface IndexPart {
  state: string;
  height?: string;
  tip?: string;
  message?: string;
}

/** Of a node that is slow enough for something to die in between. */
export const SLOW: NodeBehaviourInput = { delayMs: 4, without: ['index'] };

/** A P-chain and an X-chain, the tables that they lead to without any trouble, and slow nodes that serve both. */
export class IndexedChains {
  private constructor(
    private readonly chains: Awaited<ReturnType<typeof generatedChains>>,
    private readonly expected: Record<string, string>,
  ) {}

  static async generate(): Promise<IndexedChains> {
    const chains = await generatedChains(BLOCKS);
    const database = await createMigratedDatabase();
    const node = await startNode(chains, WITHOUT_INDEX_API);
    const [p, x] = [createIndexer(database, [node.url]), createXIndexer(database, [node.url])];
    for (const { indexer } of [p, x]) await advanceToTip(indexer, 1_000);
    return new IndexedChains(chains, await digestTables(database));
  }

  startNode(): Promise<Sandbox> {
    return startNode(this.chains, SLOW);
  }

  /** Validators that serve both, and take seconds for all of it. */
  async startValidators(): Promise<Sandbox> {
    const sandbox = await startSandbox({
      ...this.chains,
      validators: [{ roundTripMs: ROUND_TRIP_MS }, { roundTripMs: ROUND_TRIP_MS }],
      ancestorsPerAnswer: BLOCKS / 100,
    });
    onCleanup(() => sandbox.stop());
    return sandbox;
  }

  /** Until both chains are indexed; compares all tables. */
  async untilWhole(database: DataSource): Promise<void> {
    await above(database, BLOCKS - 1);
    expect(await digestTables(database)).toEqual(this.expected);
  }

  /** Indexes the rest without delay and compares all tables. */
  async finish(database: DataSource, node: Sandbox): Promise<void> {
    node.setNodeBehaviour(WITHOUT_INDEX_API);
    await this.untilWhole(database);
  }
}

async function startNode(chains: SandboxOptions, node: NodeBehaviourInput): Promise<Sandbox> {
  const sandbox = await startSandbox({ validators: 1, node, ...chains });
  onCleanup(() => sandbox.stop());
  return sandbox;
}

/** Of the chain that is less far; -1 before both have begun and while Postgres is away. */
export async function heightOf(database: DataSource): Promise<number> {
  try {
    const rows = await database.query<{ height: string }[]>('SELECT height FROM index_checkpoints');
    return rows.length < CHAINS.length ? -1 : Math.min(...rows.map(({ height }) => Number(height)));
  } catch {
    return -1;
  }
}

/** Until both are as far as that, or at their end. */
export function above(database: DataSource, height: number): Promise<void> {
  const wanted = Math.min(height, BLOCKS - 1);
  return eventually(`height ${wanted}`, async () => (await heightOf(database)) >= wanted);
}

export async function indexHealth(service: TestService): Promise<(IndexPart | undefined)[]> {
  const { body } = await service.request('/v1/health-check');
  const { details } = body as { details: { fuji: { index?: Record<string, IndexPart> } } };
  return CHAINS.map((chain) => details.fuji.index?.[chain]);
}

/** Until the health answer shows it of both chains. */
export function told(
  what: string,
  service: TestService,
  isReported: (part: IndexPart) => boolean,
): Promise<void> {
  return eventually(`health tells ${what}`, async () =>
    (await indexHealth(service)).every((part) => part !== undefined && isReported(part)),
  );
}

/** To the workflows of both indexes. */
export function signal(service: TestService, name: keyof typeof INDEX_SIGNALS): Promise<void> {
  return withWorkflows(service, (workflow) => workflow.signal(INDEX_SIGNALS[name]));
}

/** Of the workflows of both indexes. The record of a state can be read in the database before they know of it. */
export async function pendingActivities(service: TestService): Promise<(string | null | undefined)[]> {
  const pending: (string | null | undefined)[] = [];
  await withWorkflows(service, async (workflow) => {
    const { pendingActivities: all } = (await workflow.describe()).raw;
    pending.push(...(all ?? []).map(({ activityType }) => activityType?.name));
  });
  return pending.filter((name) => name !== 'recordIndexState');
}

async function withWorkflows(
  service: TestService,
  work: (workflow: WorkflowHandle) => Promise<void>,
): Promise<void> {
  const connection = await Connection.connect({ address: service.temporalAddress });
  const { workflow } = new Client({ connection });
  for (const chain of CHAINS) {
    await work(workflow.getHandle(makeIndexWorkflowId({ network: 'fuji', chain })));
  }
  await connection.close();
}
