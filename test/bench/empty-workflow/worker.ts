import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { EMPTY_WORKFLOW_QUEUE } from './queue.js';

/** A worker with the settings of src/worker.ts, for the empty workflow alone. */
Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN') });
const workflowBundle = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('./empty.workflow.ts', import.meta.url)),
  logger: new DefaultLogger('WARN'),
});
const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
const worker = await Worker.create({
  connection,
  taskQueue: EMPTY_WORKFLOW_QUEUE,
  workflowBundle,
  stickyQueueScheduleToStartTimeout: '1s',
});
const completed = worker.run();
process.send?.('ready');
process.once('SIGTERM', () => worker.shutdown());
await completed;
await connection.close();
process.exit(0);
