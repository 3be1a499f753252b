import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import type { Caller } from '../../access/keys/caller.js';
import { Refusals } from '../../platform/http/errors/refusals.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { ChangesController } from './changes.controller.js';
import type { ChangesService } from './changes.service.js';
import { MAX_STREAMS_PER_CALLER, OpenStreams } from './open-streams.js';

describe(ChangesController.name, () => {
  it('keeps no place for who left while the limits were looked up', async () => {
    const metrics = new Metrics();
    const streams = new OpenStreams(metrics, new Refusals(metrics));
    const changes = { open: () => Promise.resolve(), stream: async function* () {} };
    const controller = new ChangesController(changes as unknown as ChangesService, streams);

    const caller = { owner: 'somebody' } as Caller;
    const server = fastify();
    server.addHook('onRequest', async (_request, reply) => {
      client.destroy();
      await once(reply.raw, 'close');
    });
    const handled = new Promise<void>((resolve) => {
      server.get('/', (request, reply) => {
        const stream = controller.stream({} as never, undefined, caller, request, reply);
        resolve(stream);
        return stream;
      });
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await handled;
    await server.close();
    const places = Array.from({ length: MAX_STREAMS_PER_CALLER }, () => streams.take(caller));
    expect(places).toHaveLength(MAX_STREAMS_PER_CALLER);
  });
});
