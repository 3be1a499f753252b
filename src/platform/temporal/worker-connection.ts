import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { TRACED_CALLS } from './traced-calls.js';

/**
 * A client over the connection of the worker that runs in this process, if one does. An eager workflow start hands the first
 * task straight to that worker, and works only through its very connection.
 */
let clientOfThisProcess: Client | undefined;

export function offerWorkerConnection(connection: NativeConnection, namespace: string): void {
  clientOfThisProcess = new Client({ connection, namespace, interceptors: { workflow: [TRACED_CALLS] } });
}

export function withdrawWorkerConnection(): void {
  clientOfThisProcess = undefined;
}

export function workerClientOfThisProcess(): Client | undefined {
  return clientOfThisProcess;
}
