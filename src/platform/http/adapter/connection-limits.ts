import { compile } from '@fastify/proxy-addr';
import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { clientAddress } from '../requests/client-address.js';
import { KeyedCounts } from '../../keyed-counts.js';

/** Of one process. Each may hold an answer that waits to be read. */
export const MAX_CONNECTIONS = 4_096;
/** Of one address or IPv6 network, unless it is a trusted proxy's or this machine's own. */
export const MAX_CONNECTIONS_PER_ADDRESS = 256;
/**
 * After so long without a byte either way, a connection is not needed any more: one whose caller does not take his answer, above all.
 * Longer than a request may take to arrive, so that whoever is too slow gets an error.
 */
export const STALL_TIMEOUT_MS = 60_000;

/** How often it is logged that callers are turned away. */
const WARN_EVERY_MS = 60_000;

/** Lets Node's timeout of connections pass over those where the caller waits for us: nothing of an answer waits for him. */
export function endUnreadAnswersOnly(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, { raw }, done) => {
    // With a listener Node leaves it to him whether the connection ends. Every write starts the time anew.
    raw.on('timeout', () => {
      if (raw.writableLength > 0) raw.destroy();
    });
    done();
  });
}

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Of these there may be any number from one address. */
  readonly trustedProxies: readonly string[];
}

/** Closes connections beyond so many as soon as they are made. */
export function limitConnections(
  { server }: FastifyInstance,
  { maxConnections, maxConnectionsPerAddress, trustedProxies }: ConnectionLimits,
): void {
  const logger = new Logger('Connections');
  let warnedAtMs = -Infinity;
  const warn = (text: string): void => {
    if (performance.now() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = performance.now();
    logger.warn(`connections are refused: ${text}`);
  };
  server.maxConnections = maxConnections;
  server.on('drop', () => warn(`${maxConnections} are open`));
  const isTrusted = compile([...trustedProxies]);
  const open = new KeyedCounts();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // Reset before it was accepted: what it has sent nobody could be charged for, or be answered.
    if (remoteAddress === undefined) return void socket.destroy();
    if (isTrusted(remoteAddress, 0)) return;
    const address = clientAddress(remoteAddress);
    const count = open.add(address, 1);
    socket.once('close', () => open.add(address, -1));
    if (count <= maxConnectionsPerAddress) return;
    warn(`${maxConnectionsPerAddress} are open from ${address}`);
    socket.destroy();
  });
}
