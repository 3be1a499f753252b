import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { signatureHeaders, webhookSecret } from '../../../src/resources/webhooks/webhook-signature.js';
import { readWebhook, WebhookError } from './webhooks.js';

const SECRET = webhookSecret(new Uint8Array(32).fill(7), 'a-webhook');
const OTHER = webhookSecret(new Uint8Array(32).fill(7), 'another');
const NOW = 1_795_694_400;
const EVENT = {
  type: 'operation.finished',
  timestamp: '2026-11-26T12:00:00Z',
  data: { operationId: 'x', operationType: 'y', operationStatus: 'COMPLETED' },
};

const DELIVERED = {
  type: 'message.delivered',
  timestamp: '2026-11-26T12:00:00Z',
  data: { network: 'fuji', messageId: 'x', addresses: ['0x1'] },
};

function signed(content: { seconds?: number; secret?: string; event?: object } = {}) {
  const body = JSON.stringify(content.event ?? EVENT);
  const { seconds = NOW, secret = SECRET } = content;
  return { headers: signatureHeaders(secret, { id: 'event-1', seconds, body }), body };
}

describe(readWebhook.name, () => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW * 1000);
  });

  it('reads what the service has signed, from the headers of Node and of fetch', async () => {
    const { headers, body } = signed();
    const event = { id: 'event-1', ...EVENT };
    expect(await readWebhook({ headers, body }, SECRET)).toEqual(event);
    expect(await readWebhook({ headers: new Headers(headers), body }, SECRET)).toEqual(event);
    const rotated = {
      ...headers,
      'webhook-signature': `v1,${'A'.repeat(43)}= ${headers['webhook-signature']}`,
    };
    expect(await readWebhook({ headers: rotated, body }, SECRET)).toEqual(event);
    const http2 = { ...headers, ':method': 'POST', ':path': '/' };
    expect(await readWebhook({ headers: http2, body }, SECRET)).toEqual(event);
  });

  it('reads events of both types', async () => {
    for (const event of [EVENT, DELIVERED]) {
      expect(await readWebhook(signed({ event }), SECRET)).toEqual({ id: 'event-1', ...event });
    }
    const event = await readWebhook(signed({ event: DELIVERED }), SECRET);
    expect(event.type === 'message.delivered' && event.data.messageId).toBe('x');
  });

  it.each([
    ['another secret', { ...signed({ secret: OTHER }) }],
    ['another body', { ...signed(), body: JSON.stringify({ ...EVENT, type: 'x' }) }],
    ['another id', { ...signed(), headers: { ...signed().headers, 'webhook-id': 'event-2' } }],
    ['no signature', { ...signed(), headers: { ...signed().headers, 'webhook-signature': undefined } }],
    ['nonsense', { ...signed(), headers: { ...signed().headers, 'webhook-signature': 'v1,x v2' } }],
    ['no headers', { ...signed(), headers: {} }],
    ['an old request', signed({ seconds: NOW - 301 })],
    ['one of the future', signed({ seconds: NOW + 301 })],
    ['no time', { ...signed(), headers: { ...signed().headers, 'webhook-timestamp': 'now' } }],
  ])('refuses %s', async (_, request) => {
    await expect(readWebhook(request, SECRET)).rejects.toThrow(WebhookError);
  });
});
