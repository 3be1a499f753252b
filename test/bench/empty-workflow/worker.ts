import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { join } from 'node:path';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { EMPTY_WORKFLOW_QUEUE } from './queue.js';

/** A worker with the settings of src/worker.ts, for the empty workflow alone. */
Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN') });
const workflowBundle = await bundleWorkflowCode({
  workflowsPath: join(projectFolder(), 'test/bench/empty-workflow/empty.workflow.ts'),
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
