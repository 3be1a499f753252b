import { type INestApplicationContext, Module } from '@nestjs/common';
import {
  NativeConnection,
  type NativeConnectionOptions,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { setTimeout as delay } from 'node:timers/promises';
import { ActivitiesModule } from '../activities/activities.module.js';
import { createActivities } from '../activities/create-activities.js';
import { AGGREGATE_SIGNATURES_QUEUE } from '../workflows/contracts/aggregate-signatures.js';
import { HISTORY_BUILDERS, HISTORY_SUFFIX, INDEXING_QUEUE } from '../workflows/contracts/index-chain.js';
import type { TaskQueue } from '../workflows/contracts/task-queues.js';
import { Config, ConfigModule } from './platform/config/config.module.js';
import type { Env } from './platform/config/env.schema.js';
import { Database } from './platform/database/database.js';
import { findSmallSettings } from './platform/database/server-settings.js';
import { isCChain } from './platform/evm-chains/evm-chain.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { EvmChains } from './platform/evm-chains/evm-chains.js';
import { EvmChainsModule } from './platform/evm-chains/evm-chains.module.js';
import { IndexProgressRepository } from './indexes/engine/progress/index-progress.repository.js';
import { nestLogger } from './platform/logging/logger.js';
import { Metrics } from './platform/metrics/metrics.js';
import { MetricsModule } from './platform/metrics/metrics.module.js';
import { Networks, NetworksModule } from './platform/networks/networks.module.js';
import { PeerConnections } from './resources/signature-aggregator/peers/peer-connections.js';
import { OpenRuns } from './resources/signature-aggregator/record/open-runs.js';
import { ProcessBeatModule } from './resources/status/process-beat.module.js';
import { followActivity, TRACE_SINKS } from './platform/temporal/activity-work.js';
import { type ConfiguredIndex, configuredIndexes } from './indexes/schedule/configured-indexes.js';
import { endFormerIndexing } from './indexes/schedule/end-former-indexing.js';
import { ensureSchedules } from './indexes/schedule/ensure-schedules.js';
import { registerSearchAttributes } from './platform/temporal/register-search-attributes.js';
import { runTogether, type RunningWorkers } from './platform/temporal/run-together.js';
import { ServedQueues } from './platform/temporal/served-queues.module.js';
import { startIndexing } from './indexes/schedule/start-indexing.js';
import { temporalEndpoint } from './platform/temporal/temporal-endpoint.js';
import { installTemporalRuntime, sdkMetrics } from './platform/temporal/temporal-runtime.js';
import { offerWorkerConnection, withdrawWorkerConnection } from './platform/temporal/worker-connection.js';
import { WORKFLOW_BUNDLE_PATH } from './platform/temporal/workflow-bundle.js';

/** Dependencies of workers besides their connection to Temporal. */
@Module({
  imports: [
    ConfigModule,
    MetricsModule,
    DatabaseModule,
    NetworksModule,
    EvmChainsModule,
    ActivitiesModule,
    ProcessBeatModule,
  ],
})
export class WorkerModule {}

export { installTemporalRuntime };

/** Temporal may come up after us, or restart: keep trying for about a minute before giving up. */
const CONNECT_ATTEMPTS = 60;
const CONNECT_RETRY_MS = 1_000;
const SHUTDOWN_GRACE_MS = 5_000;
const SPARE_INDEXING_SLOTS = 10;
/** Postgres takes a hundred in all unless configured otherwise. */
const MAX_INDEXING_CONNECTIONS = 30;

const QUEUE_OPTIONS: Record<TaskQueue, Partial<WorkerOptions>> = {
  signatures: {
    // After kill -9 of a worker its cached workflows wait this long before another worker gets them (default 10 s).
    stickyQueueScheduleToStartTimeout: '1s',
    // A local activity holds its workflow task, and one that waits for slow validators holds it for long.
    maxConcurrentWorkflowTaskExecutions: 200,
    maxConcurrentLocalActivityExecutions: 200,
    // Collections of the slow way, half a megabyte each; the callers of what waits get them in turn.
    maxConcurrentActivityTaskExecutions: 100,
  },
  indexing: {
    stickyQueueScheduleToStartTimeout: '1s',
    // A pause reaches the activity with the answer to a heartbeat.
    maxHeartbeatThrottleInterval: '1s',
    // A turn lasts longer than any grace, and the next one goes on from what is on record.
    shutdownGraceTime: 0,
  },
  exports: {
    stickyQueueScheduleToStartTimeout: '1s',
    maxHeartbeatThrottleInterval: '1s',
    // Each holds a database connection, and keeps the storage busy.
    maxConcurrentActivityTaskExecutions: 4,
  },
  nfts: {
    stickyQueueScheduleToStartTimeout: '1s',
    // Metadata documents fetched at a time.
    maxConcurrentActivityTaskExecutions: 32,
  },
};

/** Each index keeps one busy all the time, some more while history is made; the schedules and a reset want some, too. */
function slotsFor(indexes: readonly ConfiguredIndex[]): number {
  const histories = indexes.filter(({ chain }) => chain.endsWith(HISTORY_SUFFIX)).length;
  return indexes.length + HISTORY_BUILDERS * histories + SPARE_INDEXING_SLOTS;
}

async function warnOfSmallSettings(database: Database): Promise<void> {
  const small = await findSmallSettings(database);
  if (small.length === 0) return;
  nestLogger.warn(`Postgres has its defaults for ${small.join(', ')}: see docs/operating.md`, 'Worker');
}

/** Workers of the queues that this process serves, their activities provided by the context. */
export async function startWorkers(context: INestApplicationContext): Promise<RunningWorkers> {
  const { env } = context.get(Config);
  const queues = context.get(ServedQueues);
  context.get(Metrics).include(sdkMetrics);
  const connection = await connect(env);
  const networks = context
    .get(Networks)
    .all()
    .map(({ name }) => name);
  const configured = { networks, chains: context.get(EvmChains).all() };
  const indexes = configuredIndexes(configured);
  await ensureSchedules(connection, env, queues, configured);
  if (queues.includes(INDEXING_QUEUE)) {
    // Each writes over a connection of its own, and those of one chain wait for one another on theirs.
    context.get(Database).allowMore(Math.min(indexes.length, MAX_INDEXING_CONNECTIONS));
    if (context.get(EvmChains).all().some(isCChain)) await warnOfSmallSettings(context.get(Database));
    await endFormerIndexing(connection, env, context.get(IndexProgressRepository), indexes);
    await startIndexing(connection, env, indexes);
  }
  const activities = createActivities(context);
  const create = (options: Pick<WorkerOptions, 'taskQueue'> & Partial<WorkerOptions>): Promise<Worker> =>
    Worker.create({
      connection,
      namespace: env.TEMPORAL_NAMESPACE,
      activities,
      interceptors: { activity: [followActivity] },
      shutdownGraceTime: SHUTDOWN_GRACE_MS,
      ...options,
    });
  const createFor = (taskQueue: TaskQueue): Promise<Worker> =>
    create({
      taskQueue,
      workflowBundle: { codePath: WORKFLOW_BUNDLE_PATH },
      sinks: TRACE_SINKS,
      ...QUEUE_OPTIONS[taskQueue],
      ...(taskQueue === INDEXING_QUEUE ? { maxConcurrentActivityTaskExecutions: slotsFor(indexes) } : {}),
    });
  const signs = queues.includes(AGGREGATE_SIGNATURES_QUEUE);
  const workers = await Promise.all([
    ...queues.all.filter((queue) => queue !== AGGREGATE_SIGNATURES_QUEUE).map(createFor),
    // Runs that were started here reach what was collected here, also from another process.
    ...(signs ? [create({ taskQueue: context.get(OpenRuns).queue })] : []),
  ]);
  offerWorkerConnection(connection, env.TEMPORAL_NAMESPACE);
  const stopping = new AbortController();
  const createSigning = (): Promise<Worker> => createFor(AGGREGATE_SIGNATURES_QUEUE);
  const signing = signs ? [whileConnected(context.get(PeerConnections), createSigning, stopping.signal)] : [];
  return runTogether([...workers.map((worker) => worker.run()), ...signing], {
    connection,
    stop: () => {
      withdrawWorkerConnection();
      stopping.abort();
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  });
}

/** A worker that exists while the process has the peers that its work needs: a running one cannot pause. */
async function whileConnected(
  peers: PeerConnections,
  create: () => Promise<Worker>,
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    await peers.whenWork(true, stopping);
    if (stopping.aborted) return;
    const worker = await create();
    const running = worker.run();
    await Promise.race([running, peers.whenWork(false, stopping)]);
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await running;
  }
}

async function connect(env: Env): Promise<NativeConnection> {
  const options: NativeConnectionOptions = await temporalEndpoint(env);
  // Compressing costs more than it saves where the server is near.
  if (options.tls === undefined) options.grpcCompression = { codec: 'none' };
  for (let attempt = 1; ; attempt++) {
    try {
      const connection = await NativeConnection.connect(options);
      await registerSearchAttributes(connection, env.TEMPORAL_NAMESPACE);
      return connection;
    } catch (error) {
      if (attempt >= CONNECT_ATTEMPTS) throw error;
      nestLogger.warn(
        `Temporal at ${env.TEMPORAL_ADDRESS.join(', ')} does not answer yet (attempt ${attempt}): ${String(error)}`,
        'Worker',
      );
      await delay(CONNECT_RETRY_MS);
    }
  }
}
