import { Runtime } from '@temporalio/worker';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parseEnv } from '../config/env.schema.js';
import { temporalLogger } from '../logging/logger.js';

const LOOPBACK = '127.0.0.1';
/** Another program may take a port between its choice and its use. */
const PORT_ATTEMPTS = 5;
const TIMEOUT_MS = 3_000;

let metricsUrl: string | undefined;
let installed: Promise<void> | undefined;

/** Once per process, before anything else of Temporal: signals are ours, and all logs go one way. */
export function installTemporalRuntime(): Promise<void> {
  installed ??= installOnce();
  return installed;
}

async function installOnce(): Promise<void> {
  if (parseEnv(process.env).METRICS_ADDRESS === undefined) return install(undefined);
  for (let attempt = 1; ; attempt++) {
    const address = `${LOOPBACK}:${await freePort()}`;
    try {
      install(address);
      metricsUrl = `http://${address}/metrics`;
      return;
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/**
 * The SDK's own metrics. It can only do so at an address of its own: that is one on loopback, and who scrapes the process gets it with
 * everything else.
 */
export async function sdkMetrics(): Promise<string> {
  if (metricsUrl === undefined) return '';
  const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`Temporal's SDK answers ${response.status}`);
  return response.text();
}

function install(metricsAddress: string | undefined): void {
  Runtime.install({
    shutdownSignals: [],
    logger: temporalLogger,
    telemetryOptions: {
      logging: { forward: {}, filter: 'temporalio_sdk_core=WARN,temporalio_client=WARN' },
      ...(metricsAddress === undefined
        ? {}
        : {
            metrics: {
              prometheus: {
                bindAddress: metricsAddress,
                // As Prometheus wants its names.
                countersTotalSuffix: true,
                unitSuffix: true,
                useSecondsForDurations: true,
              },
            },
          }),
    },
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
