import { join } from 'node:path';
import { ManagedChild } from './child-process.js';
import { poll } from './poll.js';
import { projectFolder } from '../../../src/platform/config/project-folder.js';

const READY_INTERVAL_MS = 20;

/** Starts a built program of this project in a process of its own, and waits for its message that it is ready. */
export async function startNodeProgram<T>(options: {
  /** How messages call it. */
  name: string;
  /** Below the project's folder. */
  entry: string;
  args?: readonly string[];
  /** Of Node.js. */
  nodeOptions?: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  readyTimeoutMs: number;
  /** The program's message when it is ready; undefined for any other message. */
  readReady: (message: unknown) => T | undefined;
}): Promise<{ child: ManagedChild; ready: T }> {
  const messages: unknown[] = [];
  const child = await ManagedChild.start({
    name: options.name,
    command: process.execPath,
    args: [
      '--enable-source-maps',
      ...(options.nodeOptions ?? []),
      join(projectFolder(), options.entry),
      ...(options.args ?? []),
    ],
    env: options.env,
    logFile: options.logFile,
    onMessage: (message) => messages.push(message),
  });
  try {
    const ready = await poll({
      what: options.name,
      timeoutMs: options.readyTimeoutMs,
      intervalMs: READY_INTERVAL_MS,
      ask: () => {
        const ready = messages.map(options.readReady).find((found) => found !== undefined);
        // In this order: one that ends soon after it was ready has been ready.
        if (ready === undefined && child.hasExited) throw new Error(child.describeExit());
        return ready;
      },
    });
    return { child, ready };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
