import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { getAddress } from 'viem/utils';
import { z } from 'zod';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import type { Address, Hash } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { InterchainMessageDetails } from '../../src/resources/interchain-messages/dto/message-details.response.js';
import { makeDeliverWebhookWorkflowId } from '../../workflows/contracts/deliver-webhook.js';
import type { deliverWebhookWorkflow } from '../../workflows/deliver-webhook.workflow.js';
import { SendingChain } from '../support/evm/sending-chain.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { createTestFolder } from '../support/harness/services.js';
import { headersWithKey } from '../support/http/api-keys.js';
import {
  isGenuine,
  NO_ANSWER,
  type ReceivedCall,
  WebhookReceiver,
} from '../support/http/webhook-receiver.js';

const OURS = addressFor(1);
const THEIRS = addressFor(2);
const BURST = 1_000;

const WebhookSchema = z.object({ webhookId: z.uuid(), secret: z.string() });

describe('webhooks of messages', () => {
  let chain: SendingChain;
  let receiver: WebhookReceiver;
  /** On a host of its own: of one host, calls take turns. */
  let other: WebhookReceiver;
  let service: TestService;
  let database: pg.Client;
  let connection: Connection;
  let ours: Record<string, string>;
  let theirs: Record<string, string>;

  beforeAll(async () => {
    chain = await SendingChain.start({ validators: 1 });
    [receiver, other] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
    const env = {
      EVM_CHAINS_FILE: chain.writeChainsFile(createTestFolder('chains')),
      WORKER_QUEUES: 'indexing,nfts',
      WEBHOOK_TRUSTED_HOSTS: `${receiver.host},${other.host}`,
      LOG_LEVEL: 'warn',
    };
    service = await TestService.start({ nodeUrl: chain.sandbox.url, env });
    const { databaseUrl } = service;
    database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    connection = await Connection.connect({ address: service.temporalAddress });
    [ours, theirs] = [await headersWithKey(databaseUrl, 'ours'), await headersWithKey(databaseUrl, 'theirs')];
  });

  afterAll(async () => {
    receiver.stop();
    other.stop();
    await connection.close();
    await database.end();
    await chain.sandbox.stop();
  });

  const add = async (url: string, address: Address, headers: Record<string, string>) => {
    const settings = { url, eventTypes: ['message.delivered'], addresses: [address] };
    const { status, body } = await service.post('/v1/webhooks', JSON.stringify(settings), headers);
    expect({ status, body }).toMatchObject({ status: 201 });
    return WebhookSchema.parse(body);
  };

  const eventOf = (messageId: Hash): string => `delivered-fuji-${messageId.slice(2)}`;
  const callsOf = (messageId: Hash): ReceivedCall[] => receiver.callsOf(eventOf(messageId));

  const deliveryOf = (webhookId: string, messageId: Hash) =>
    new Client({ connection }).workflow.getHandle<typeof deliverWebhookWorkflow>(
      makeDeliverWebhookWorkflowId({ webhookId, eventId: eventOf(messageId) }),
    );

  const called = (messageId: Hash, times = 1): Promise<void> =>
    eventually('the webhook is called', () => callsOf(messageId).length >= times);

  it('are called once, signed, when a message of one of their addresses is delivered', async () => {
    const { secret } = await add(receiver.urlOf('/ours'), OURS, ours);
    await add(other.urlOf('/theirs'), THEIRS, theirs);
    const messageId = chain.receive(OURS);
    await called(messageId);
    const [call, ...others] = callsOf(messageId);
    if (call === undefined) throw new Error('no call');
    expect(isGenuine(call, secret)).toBe(true);
    const { body } = await service.request(`/v1/icm/messages/${messageId}`);
    const { from, to, destinationTransaction, ...message } = body as InterchainMessageDetails;
    expect(JSON.parse(call.body)).toEqual({
      type: 'message.delivered',
      timestamp: new Date((destinationTransaction?.timestamp ?? 0) * 1000).toISOString(),
      data: {
        network: 'fuji',
        messageId: messageId.slice(2),
        icmContractAddress: message.icmContractAddress,
        sourceBlockchainId: message.sourceBlockchainId,
        destinationBlockchainId: message.destinationBlockchainId,
        sourceEvmChainId: message.sourceEvmChainId,
        destinationEvmChainId: message.destinationEvmChainId,
        messageNonce: message.messageNonce,
        from,
        to,
        addresses: [getAddress(OURS)],
        destinationTransaction,
      },
    });
    // All messages are made anew, and another one comes.
    await database.query('DELETE FROM projection_checkpoints');
    const next = chain.receive(OURS);
    await called(next);
    expect(callsOf(messageId)).toHaveLength(1);
    expect(others).toEqual([]);
    expect(other.calls).toEqual([]);
  });

  it('are called with the same event again where the worker ends by kill -9 in the middle of the call', async () => {
    const { webhookId } = await add(receiver.urlOf('/ours'), OURS, ours);
    receiver.statuses.set('/ours', NO_ANSWER);
    const messageId = chain.receive(OURS);
    await called(messageId);
    await service.workers.at(-1)?.kill('SIGKILL');
    receiver.statuses.delete('/ours');
    await service.startWorker();
    await called(messageId, 2);
    // Once it is on record: a worker that was killed before would call again.
    await deliveryOf(webhookId, messageId).result();
    const next = chain.receive(OURS);
    await service.workers.at(-1)?.kill('SIGKILL');
    await service.startWorker();
    await called(next);
    const [first, second, ...others] = callsOf(messageId);
    expect(second?.body).toBe(first?.body);
    expect(others).toEqual([]);
  });

  it('of one organisation do not wait for a thousand events of another one whose receiver does not answer', async () => {
    const { webhookId } = await add(other.urlOf('/theirs'), THEIRS, theirs);
    other.statuses.set('/theirs', NO_ANSWER);
    await database.query(
      `INSERT INTO webhook_events (webhook_id, event_id, event, created_at)
       SELECT $1, 'made-' || i, jsonb_build_object('type', 'message.delivered', 'timestamp', '', 'data', '{}'::jsonb), 0
         FROM generate_series(1, ${BURST}) i`,
      [webhookId],
    );
    const areTaken = async (): Promise<boolean> => {
      const { rowCount } = await database.query('SELECT FROM webhook_events WHERE event IS NOT NULL');
      return rowCount === 0;
    };
    await eventually('all of them are taken', areTaken);
    const before = other.calls.length;
    const messageId = chain.receive(OURS);
    await called(messageId);
    // Two at a time, each for fifteen seconds: all of them would take two hours, and these two minutes on a busy machine.
    expect(other.calls.length - before).toBeLessThan(16);
  });
});
