import { join } from 'node:path';
import { z } from 'zod';
import { startNodeProgram } from './processes/node-program.js';
import { type Server, serverOf } from './processes/supervisor.js';

/** Keys, certificates and the recorded chains come first. */
const READY_TIMEOUT_MS = 120_000;

const ReadyMessageSchema = z.object({ url: z.url({ protocol: /^http$/ }) });

export interface SandboxServer extends Server {
  url: string;
  port: number;
}

/** Starts the sandbox network in a process of its own: a thousand TLS sessions must not slow the API down. */
export async function startSandboxServer(options: {
  dataFolder: string;
  port: number;
}): Promise<SandboxServer> {
  const { child, ready } = await startNodeProgram({
    name: 'the sandbox network',
    entry: 'dist/bundled/sandbox/main.js',
    args: ['--port', String(options.port)],
    env: process.env,
    logFile: join(options.dataFolder, 'log', 'sandbox.log'),
    readyTimeoutMs: READY_TIMEOUT_MS,
    readReady: (message) => ReadyMessageSchema.safeParse(message).data,
  });
  return { url: ready.url, port: options.port, ...serverOf(child) };
}
