import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { dateOf } from '../support/exports/export-comparison.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { headersWithKey } from '../support/http/api-keys.js';
import {
  isGenuine,
  NO_ANSWER,
  type ReceivedCall,
  WebhookReceiver,
} from '../support/http/webhook-receiver.js';

const WebhookSchema = z.strictObject({
  webhookId: z.uuid(),
  url: z.string(),
  eventTypes: z.array(z.enum(['operation.finished', 'message.delivered'])),
  addresses: z.array(z.string()),
  secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/),
  createdAt: z.number(),
  droppedEventCount: z.number(),
});
type Webhook = z.output<typeof WebhookSchema>;
const ListSchema = z.strictObject({ webhooks: z.array(WebhookSchema) });
const EventSchema = z.strictObject({
  type: z.literal('operation.finished'),
  timestamp: z.iso.datetime(),
  data: z.strictObject({ operationId: z.uuid(), operationType: z.string(), operationStatus: z.string() }),
});

describe('webhooks', () => {
  const recording = defaultCChainRecording();
  let sandbox: Sandbox;
  let service: TestService;
  let receiver: WebhookReceiver;
  let ours: Record<string, string>;
  let theirs: Record<string, string>;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    const rpcUrls = [`${sandbox.url}/ext/bc/C/rpc`];
    service = await TestService.start({
      nodeUrl: sandbox.url,
      env: {
        WORKER_QUEUES: 'indexing,exports,nfts',
        EVM_CHAINS_FILE: writeEvmChainsFile([
          { chainId: BigInt(recording.chainId), rpcUrls, startHeight: 'tip' },
        ]),
        WEBHOOK_TRUSTED_HOSTS: receiver.host,
        LOG_LEVEL: 'warn',
      },
    });
    const { databaseUrl } = service;
    [ours, theirs] = [await headersWithKey(databaseUrl, 'ours'), await headersWithKey(databaseUrl, 'theirs')];
  });

  afterAll(async () => {
    receiver.stop();
    await sandbox.stop();
  });

  const add = (body: object, headers = ours) => service.post('/v1/webhooks', JSON.stringify(body), headers);
  const added = async (path: string, headers = ours): Promise<Webhook> => {
    const { status, body } = await add({ url: receiver.urlOf(path) }, headers);
    expect(status).toBe(201);
    return WebhookSchema.parse(body);
  };
  const listed = async (headers = ours): Promise<Webhook[]> =>
    ListSchema.parse((await service.request('/v1/webhooks', { headers })).body).webhooks;
  const removed = async ({ webhookId }: Webhook, headers = ours): Promise<number> =>
    (await fetch(`${service.url}/v1/webhooks/${webhookId}`, { method: 'DELETE', headers })).status;
  const removeAll = async (): Promise<void> => {
    for (const webhook of await listed()) expect(await removed(webhook)).toBe(204);
    receiver.calls = [];
  };
  let exported = 0;
  const exportOnce = async (headers: Record<string, string>): Promise<string> => {
    const request = {
      type: 'TRANSACTION_EXPORT_EVM',
      firstDate: dateOf(recording, 1),
      lastDate: dateOf(recording, 1),
      options: {
        addresses: [`0x${String((exported += 1)).padStart(40, '0')}`],
        includeChains: [String(BigInt(recording.chainId))],
      },
    };
    const { status, body } = await service.post(
      '/v1/operations/transactions:export',
      JSON.stringify(request),
      headers,
    );
    expect(status).toBe(201);
    return z.object({ operationId: z.string() }).parse(body).operationId;
  };
  const eventsOf = (operationId: string): ReceivedCall[] => receiver.callsOf(operationId);

  it('are called, signed, when an operation of their organisation ends, and again until they answer 2xx', async () => {
    const [good, bad] = [await added('/good'), await added('/bad')];
    const theirsToo = await added('/theirs', theirs);
    for (const status of [500, 302, 404]) {
      receiver.statuses.set('/bad', status);
      receiver.calls = [];
      const operationId = await exportOnce(ours);
      const answersTo = (path: string): number[] =>
        eventsOf(operationId).flatMap((call) => (call.path === path ? [call.status] : []));
      await eventually('both are called', () => answersTo('/bad').length * answersTo('/good').length > 0);
      receiver.statuses.delete('/bad');
      await eventually('a call that is repeated', () => answersTo('/bad').includes(204));
      expect(answersTo('/good')).toEqual([204]);
      // Perhaps more than once before the other one was called.
      const [first, ...later] = answersTo('/bad');
      expect([first, later.at(-1)]).toEqual([status, 204]);
      expect(new Set(later.slice(0, -1))).toEqual(new Set(later.length > 1 ? [status] : []));
      for (const call of eventsOf(operationId)) {
        const { secret } = call.path === '/good' ? good : bad;
        expect(isGenuine(call, secret)).toBe(true);
        expect(isGenuine(call, theirsToo.secret)).toBe(false);
        expect(call.headers['content-type']).toBe('application/json');
        const { data } = EventSchema.parse(JSON.parse(call.body));
        const { body } = await service.request(`/v1/operations/${operationId}`, { headers: ours });
        expect(body).toMatchObject({
          operationId,
          operationType: data.operationType,
          operationStatus: data.operationStatus,
        });
      }
    }
    await removed(theirsToo, theirs);
    await removeAll();
  });

  it('are called after a kill -9 of the worker, and not by 410 again', async () => {
    // What is answered in the last moment of the worker would be asked again.
    for (const path of ['/after-all', '/gone']) receiver.statuses.set(path, NO_ANSWER);
    await added('/after-all');
    await added('/gone');
    const operationId = await exportOnce(ours);
    await service.workers[0]?.kill('SIGKILL');
    receiver.statuses.delete('/after-all');
    receiver.statuses.set('/gone', 410);
    await service.startWorker();
    const answered = () => eventsOf(operationId).filter(({ status }) => status !== NO_ANSWER);
    await eventually('both calls', () => answered().length >= 2);
    const answers = answered().map(({ path, status }) => `${status} ${path}`);
    expect(answers.sort()).toEqual(['204 /after-all', '410 /gone']);
    await removeAll();
  });

  it('belong to organisations, which have ten at most, each URL once', async () => {
    const first = await added('/0');
    expect(await added('/0')).toEqual(first);
    for (let i = 1; i < 10; i += 1) await added(`/${i}`);
    expect(await add({ url: receiver.urlOf('/10') })).toMatchObject({
      status: 400,
      body: { message: 'there are 10 webhooks of your organisation, remove one first' },
    });
    expect((await listed()).map((webhook) => webhook.url)).toEqual(
      expect.arrayContaining(Array.from({ length: 10 }, (_, i) => receiver.urlOf(`/${i}`))),
    );
    expect(await listed(theirs)).toEqual([]);
    expect(await removed(first, theirs)).toBe(404);
    const refusal = {
      status: 401,
      body: { message: 'webhooks belong to organisations: send the key of yours' },
    };
    expect(await service.request('/v1/webhooks')).toMatchObject(refusal);
    expect(await add({ url: receiver.urlOf('/') }, {})).toMatchObject(refusal);
    await removeAll();
    expect(await removed(first)).toBe(404);
  });

  it.each([
    ['nothing', ''],
    ['another scheme', 'ftp://x.example/'],
    ['a user', 'https://me@x.example/'],
    ['a word', 'x'],
    ['a long one', `https://x.example/${'x'.repeat(2_048)}`],
    ['a number', 1],
  ])('have a URL, and not %s', async (_, given) => {
    expect(await add({ url: given })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^url: must be a URL of at most 2048 characters/) },
    });
  });

  it.each([
    ['https://x.example:8443/hook', 'port 8443 is not allowed'],
    ['http://127.0.0.1/hook', 'a private address'],
    ['http://169.254.169.254/hook', 'a private address'],
    ['http://localhost:8080/hook', 'port 8080 is not allowed'],
    ['https://[fd00::1]/hook', 'a private address'],
  ])('are not added where they would never be called: %s', async (given, reason) => {
    expect(await add({ url: given })).toMatchObject({
      status: 400,
      body: { message: `url: would never be called: ${reason}` },
    });
  });

  it('replace what they are called for when their URL is added again', async () => {
    const first = await added('/again');
    expect(first).toMatchObject({ eventTypes: ['operation.finished'], addresses: [], droppedEventCount: 0 });
    const [one, two] = [
      '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC',
      '0x000000000000000000000000000000000000dEaD',
    ];
    const watching = {
      eventTypes: ['message.delivered', 'operation.finished', 'message.delivered'],
      addresses: [one, two, one.toLowerCase()],
    };
    const again = { eventTypes: ['operation.finished', 'message.delivered'], addresses: [two, one] };
    const path = receiver.urlOf('/again');
    expect((await add({ url: path, ...watching })).body).toEqual({ ...first, ...again });
    expect(await listed()).toEqual([{ ...first, ...again }]);
    const messages = { eventTypes: ['message.delivered'], addresses: [one] };
    expect((await add({ url: path, ...messages })).body).toEqual({ ...first, ...messages });
    await added('/called');
    const operationId = await exportOnce(ours);
    await eventually('a call', () => eventsOf(operationId).length === 1);
    expect(eventsOf(operationId).map((call) => call.path)).toEqual(['/called']);
    expect(await added('/again')).toEqual(first);
    await removeAll();
  });

  const NEITHER = 'addresses: must name at least one address for message.delivered, and none without it';
  it.each([
    ['messages of nobody', { eventTypes: ['message.delivered'] }, NEITHER],
    ['messages of no address', { eventTypes: ['message.delivered'], addresses: [] }, NEITHER],
    ['addresses without messages', { addresses: ['0x000000000000000000000000000000000000dEaD'] }, NEITHER],
    ['nothing at all', { eventTypes: [] }, 'eventTypes: must name at least one type of event'],
    [
      'a type that is no list',
      { eventTypes: 'message.delivered' },
      'eventTypes: must be a list of types of events',
    ],
    [
      'an unknown type',
      { eventTypes: ['message.sent'] },
      'eventTypes[0]: must be operation.finished or message.delivered',
    ],
    [
      'an address that is none',
      { eventTypes: ['message.delivered'], addresses: ['0xdead'] },
      'addresses[0]: must be an address: 0x and 40 hex digits',
    ],
    [
      'more addresses than may be',
      { eventTypes: ['message.delivered'], addresses: Array(65).fill(`0x${'0'.repeat(40)}`) },
      'addresses: must name at most 64 addresses',
    ],
  ])('are not for %s', async (_, settings, message) => {
    expect(await add({ url: receiver.urlOf('/'), ...settings })).toMatchObject({
      status: 400,
      body: { message },
    });
  });
});
