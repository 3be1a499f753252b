import { join } from 'node:path';
import { z } from 'zod';
import { ManagedChild, type ChildExit } from './child-process.js';
import { poll } from './poll.js';
import { projectFolder } from './project-folder.js';

/** A thousand validators derive their keys and certificates first. */
const READY_TIMEOUT_MS = 120_000;
const READY_INTERVAL_MS = 20;

const ReadyMessageSchema = z.object({ url: z.url({ protocol: /^http$/ }) });

export interface SandboxServer {
  url: string;
  port: number;
  pid: number;
  exited: Promise<ChildExit>;
  describeExit(): string;
  stop(): Promise<void>;
}

/** Starts the sandbox network in a process of its own: a thousand TLS sessions must not slow the API down. */
export async function startSandboxServer(options: {
  dataFolder: string;
  port: number;
  validators: number;
}): Promise<SandboxServer> {
  const messages: unknown[] = [];
  const child = await ManagedChild.start({
    name: 'the sandbox network',
    command: process.execPath,
    args: ['--enable-source-maps', join(projectFolder(), 'dist/src/sandbox/main.js')],
    env: {
      ...process.env,
      SANDBOX_PORT: String(options.port),
      SANDBOX_VALIDATORS: String(options.validators),
    },
    logFile: join(options.dataFolder, 'log', 'sandbox.log'),
    onMessage: (message) => messages.push(message),
  });
  try {
    const url = await poll({
      what: 'the sandbox network',
      timeoutMs: READY_TIMEOUT_MS,
      intervalMs: READY_INTERVAL_MS,
      ask: () => {
        if (child.hasExited) throw new Error(child.describeExit());
        return messages
          .map((message) => ReadyMessageSchema.safeParse(message).data?.url)
          .find((found) => found !== undefined);
      },
    });
    return {
      url,
      port: options.port,
      pid: child.pid,
      exited: child.exited,
      describeExit: () => child.describeExit(),
      stop: () => child.stop(),
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}
