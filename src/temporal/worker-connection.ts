import type { NativeConnection } from '@temporalio/worker';

/**
 * The connection of the worker that runs in this process, if one does. An eager workflow start hands the first task straight to
 * that worker, and works only through its very connection.
 */
let connectionOfThisProcess: NativeConnection | undefined;

export function offerWorkerConnection(connection: NativeConnection): void {
  connectionOfThisProcess = connection;
}

export function withdrawWorkerConnection(): void {
  connectionOfThisProcess = undefined;
}

export function workerConnectionOfThisProcess(): NativeConnection | undefined {
  return connectionOfThisProcess;
}
