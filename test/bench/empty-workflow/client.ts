import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { measure } from '../measure.js';
import type { emptyWorkflow } from './empty.workflow.js';
import { EMPTY_WORKFLOW_QUEUE } from './queue.js';

/** Starts empty workflows and waits for their results as the API does; `GET /?forMs=…&callers=…` answers what they took. */
const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
const client = new Client({ connection });

async function runOne(): Promise<void> {
  const handle = await client.workflow.start<typeof emptyWorkflow>('emptyWorkflow', {
    workflowId: `empty:${randomUUID()}`,
    taskQueue: EMPTY_WORKFLOW_QUEUE,
  });
  await handle.result();
}

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const [forMs, callers] = [Number(searchParams.get('forMs')), Number(searchParams.get('callers'))];
  measure({ forMs, callers, call: runOne }).then(
    (sample) => response.end(JSON.stringify(sample)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.once('SIGTERM', () => process.exit(0));
