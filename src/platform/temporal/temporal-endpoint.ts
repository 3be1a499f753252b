import type { TLSConfig } from '@temporalio/client';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Env } from '../config/env.schema.js';

/** Options of both kinds of the SDK's connections: the API's and the worker's. */
export interface TemporalEndpoint {
  address: string;
  tls?: TLSConfig;
  apiKey?: string;
}

const DEFAULT_PORT = 7233;
/** For each of several addresses; one behind a firewall may never answer. */
const CONNECT_TIMEOUT_MS = 2_000;

export async function temporalEndpoint(env: Env): Promise<TemporalEndpoint> {
  const [first = '', ...others] = env.TEMPORAL_ADDRESS;
  const isOne = others.length === 0;
  const endpoint: TemporalEndpoint = {
    address: isOne ? first : await forwardToAny(env.TEMPORAL_ADDRESS),
  };
  const tls = tlsConfig(env, isOne ? undefined : splitAddress(first).host);
  if (tls !== undefined) endpoint.tls = tls;
  if (env.TEMPORAL_API_KEY !== undefined) endpoint.apiKey = env.TEMPORAL_API_KEY;
  return endpoint;
}

function tlsConfig(env: Env, serverNameOverride: string | undefined): TLSConfig | undefined {
  const { TEMPORAL_TLS_CA_FILE: ca, TEMPORAL_TLS_CERT_FILE: crt, TEMPORAL_TLS_KEY_FILE: key } = env;
  // A key of Temporal Cloud is never sent in the clear.
  const isWanted =
    env.TEMPORAL_TLS || env.TEMPORAL_API_KEY !== undefined || ca !== undefined || crt !== undefined;
  if (!isWanted) return undefined;
  const tls: TLSConfig = {};
  if (serverNameOverride !== undefined) tls.serverNameOverride = serverNameOverride;
  if (ca !== undefined) tls.serverRootCACertificate = ca;
  if (crt !== undefined && key !== undefined) tls.clientCertPair = { crt, key };
  return tls;
}

/**
 * An address on loopback whose connections lead to the first of several that answers. The SDK's connections take one address each (all
 * of a name's they try by themselves), and connect anew through this one. TLS is between the SDK and the server.
 */
async function forwardToAny(addresses: readonly string[]): Promise<string> {
  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => near.destroy()); // also while there is nothing behind it
    void connectToAny(addresses).then((far) => {
      if (far === undefined || near.destroyed) {
        far?.destroy();
        near.destroy();
        return;
      }
      pipeline(near, far, near, () => undefined); // ends both when one ends
    });
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return `127.0.0.1:${address.port}`;
}

async function connectToAny(addresses: readonly string[]): Promise<Socket | undefined> {
  for (const address of addresses) {
    const socket = connect({ ...splitAddress(address), noDelay: true });
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
      return socket;
    } catch {
      socket.destroy();
    }
  }
  return undefined;
}

function splitAddress(address: string): { host: string; port: number } {
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || DEFAULT_PORT) };
}
