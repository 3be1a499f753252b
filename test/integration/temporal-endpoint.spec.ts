import { beforeAll, describe, expect, it } from '@jest/globals';
import { NativeConnection } from '@temporalio/worker';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { freePort } from '../../sandbox/local/processes/ports.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { temporalEndpoint } from '../../src/platform/temporal/temporal-endpoint.js';
import { TemporalClient } from '../../src/platform/temporal/temporal.module.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { createTestFolder, temporalAddress } from '../support/harness/services.js';

/** Both kinds of connections, with the settings of a process. */
const KINDS = {
  API: async (env: NodeJS.ProcessEnv): Promise<() => Promise<boolean>> => {
    const client = new TemporalClient(await endpointOf(env), 'default');
    onCleanup(() => client.onApplicationShutdown());
    return () => client.isAvailable();
  },
  worker: async (env: NodeJS.ProcessEnv): Promise<() => Promise<boolean>> => {
    const connection = await NativeConnection.connect(await endpointOf(env));
    onCleanup(() => connection.close());
    return () =>
      connection.workflowService.getSystemInfo({}).then(
        () => true,
        () => false,
      );
  },
};

const endpointOf = (env: NodeJS.ProcessEnv) =>
  temporalEndpoint(parseEnv({ DATABASE_URL: 'postgres://localhost/nds', ...env }));

/** A way to the server of the tests. */
class Gate {
  private readonly sockets = new Set<Socket>();

  constructor(
    private readonly server: Server,
    readonly address: string,
  ) {}

  static async open(server: Server, event: 'connection' | 'secureConnection', port = 0): Promise<Gate> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const listening = server.address();
    if (listening === null || typeof listening === 'string') throw new Error('no port is free');
    const gate = new Gate(server, `127.0.0.1:${listening.port}`);
    server.on(event, (near: Socket | TLSSocket) => gate.join(near));
    onCleanup(() => gate.close());
    return gate;
  }

  private join(near: Socket): void {
    const [host = '', port] = temporalAddress().split(':');
    const far = connect(Number(port), host);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) this.sockets.add(socket.on('error', () => undefined));
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, 'close');
  }
}

describe.each(Object.entries(KINDS))(`${temporalEndpoint.name} of the %s`, (_, open) => {
  it('passes over an address where nothing listens', async () => {
    const isServed = await open({ TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}, ${temporalAddress()}` });
    await eventually('it is served', isServed);
  });

  it('takes the next address when the connection breaks, and the first one again', async () => {
    // On a port that no connection gets while it is closed.
    const first = await Gate.open(createServer(), 'connection', await freePort());
    const second = await Gate.open(createServer(), 'connection');
    const isServed = await open({ TEMPORAL_ADDRESS: `${first.address},${second.address}` });
    await eventually('it is served', isServed);
    await first.close();
    await eventually('the second address serves', isServed);
    await Gate.open(createServer(), 'connection', Number(first.address.split(':')[1]));
    await second.close();
    await eventually('the first address serves again', isServed);
  });

  describe('with TLS', () => {
    let files: { certificate: string; key: string };
    let gate: Gate;
    beforeAll(async () => {
      files = makeCertificate();
      const cert = readFileSync(files.certificate);
      const key = readFileSync(files.key);
      const server = createTlsServer({ cert, key, ca: cert, requestCert: true, ALPNProtocols: ['h2'] });
      gate = await Gate.open(server, 'secureConnection');
    });

    it.each(['', '127.0.0.1:9,'])('shows its certificate to the server [%s]', async (before) => {
      const isServed = await open({
        TEMPORAL_ADDRESS: before + gate.address.replace('127.0.0.1', 'localhost'),
        TEMPORAL_TLS_CA_FILE: files.certificate,
        TEMPORAL_TLS_CERT_FILE: files.certificate,
        TEMPORAL_TLS_KEY_FILE: files.key,
      });
      await eventually('it is served', isServed);
    });

    it.each([
      ['connects to no server of an unknown authority', ['TEMPORAL_TLS']],
      ['is refused without a certificate', ['TEMPORAL_TLS_CA_FILE']],
      ['is refused in the clear', []],
    ])('%s', async (_title, names) => {
      const settings = { TEMPORAL_TLS: 'true', TEMPORAL_TLS_CA_FILE: files.certificate };
      const chosen = Object.entries(settings).filter(([name]) => names.includes(name));
      const isServed = open({ TEMPORAL_ADDRESS: gate.address, ...Object.fromEntries(chosen) }).then(
        (ask) => ask(),
        () => false,
      );
      expect(await isServed).toBe(false);
    });
  });
});

/** For the server, for the client, and as the authority that has signed both. */
function makeCertificate(): { certificate: string; key: string } {
  const folder = createTestFolder('tls');
  const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-subj',
        '/CN=nds',
      ],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE'],
      ...['-keyout', files.key, '-out', files.certificate],
    ],
    { stdio: 'ignore' },
  );
  return files;
}
