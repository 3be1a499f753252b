import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { getAddress } from 'viem/utils';
import { addressFor } from '../../sandbox/generated/evm-block.js';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { reportMessages } from '../../src/resources/webhooks/message-events.js';
import { Webhook, type WebhookMessage } from '../../src/resources/webhooks/webhook.entities.js';
import {
  MAX_MESSAGE_EVENTS_PER_DAY,
  type WaitingEvent,
  WebhookRepository,
} from '../../src/resources/webhooks/webhook.repository.js';
import type { MessageDelivered } from '../../workflows/contracts/deliver-webhook.js';
import { ENTITIES } from '../support/entities.js';
import { anyJourney } from '../support/evm/any-journey.js';
import { BRIDGED, BridgeWorld, CROOK, PEOPLE } from '../support/evm/bridge-world.js';
import {
  idOfMessage,
  type MadeMessage,
  messengerChain,
  receivedLog,
  sentLog,
} from '../support/evm/messenger-logs.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createTestDatabase } from '../support/harness/services.js';
import { Messages } from '../support/signatures/messages.js';
import { patientDataSource } from '../support/harness/data-source-options.js';

const INDEXED = [BRIDGED.home, BRIDGED.one, BRIDGED.other];
const NOW = Math.floor(Date.now() / 1000);
const DAY = 86_400;
const MESSAGE: MadeMessage = {
  source: messengerChain('fuji', 1n),
  destination: messengerChain('fuji', 2n),
  nonce: 1n,
  from: addressFor(1),
  to: addressFor(2),
};

type Event = WaitingEvent & { readonly event: MessageDelivered };

describe('webhooks of messages', () => {
  let dataSource: DataSource;
  let messages: Messages;
  let webhooks: WebhookRepository;

  beforeAll(async () => {
    const { url } = await createTestDatabase();
    const options = patientDataSource({ url, poolSize: 4, entities: ENTITIES });
    dataSource = await new DataSource(options).initialize();
    onCleanup(() => dataSource.destroy());
    messages = new Messages(dataSource);
    await dataSource.query(
      `INSERT INTO api_organisations (org_id, created_at) VALUES ('ours', 0), ('theirs', 0)`,
    );
  });

  const forgetMessages = (): Promise<unknown> =>
    dataSource.query(
      'TRUNCATE icm_sends, icm_deliveries, icm_fees, icm_executions, icm_senders, icm_listings, icm_chains, evm_tokens',
    );

  beforeEach(async () => {
    await forgetMessages();
    await dataSource.query('TRUNCATE webhooks, webhook_addresses, webhook_messages, webhook_events');
    webhooks = new WebhookRepository(dataSource.getRepository(Webhook));
  });

  let urls = 0;
  /** As though it was added at NOW. */
  const watch = async (
    addresses: readonly Address[],
    { orgId = 'ours', url = `https://wallet.example/${(urls += 1)}` } = {},
  ): Promise<string> => {
    const webhook = await webhooks.add(orgId, { url, eventTypes: ['message.delivered'], addresses });
    if (webhook === undefined) throw new Error('too many webhooks');
    await dataSource.query('UPDATE webhook_addresses SET since = $1 WHERE since > $1', [NOW]);
    return webhook.webhookId;
  };

  /** As though it had been added that long ago. */
  const backdate = (seconds: number): Promise<unknown> =>
    dataSource.query('UPDATE webhook_addresses SET since = since - $1', [seconds]);

  /** How many messages were taken at a time. */
  const writeEvents = async (now = NOW): Promise<number[]> => {
    const counts: number[] = [];
    for (let count; count !== 0; counts.push(count)) count = await webhooks.writeMessageEvents(now);
    return counts;
  };

  const waiting = async (): Promise<Event[]> => {
    await writeEvents();
    return messages.database.query<Event>({
      text: 'SELECT webhook_id AS "webhookId", event_id AS "eventId", event FROM webhook_events WHERE event IS NOT NULL ORDER BY 1, 2',
      values: [],
    });
  };

  const takeAll = async (): Promise<WaitingEvent[]> => {
    const all: WaitingEvent[] = [];
    const take = (events: readonly WaitingEvent[]): Promise<void> => {
      all.push(...events);
      return Promise.resolve();
    };
    await writeEvents();
    while ((await webhooks.takeEvents(10, take)) > 0);
    return all;
  };

  const sent = (time: number): WatchedLog => sentLog(MESSAGE, { height: 1n, time });
  const received = (time: number, message = MESSAGE): WatchedLog =>
    receivedLog(message, { height: message.nonce, time });

  it('have one event of each delivered message of each address, in whatever order and pieces the chains are indexed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyJourney, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(100), { minLength: 40, maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        async (journeys, order, size) => {
          await forgetMessages();
          await dataSource.query('TRUNCATE webhooks, webhook_addresses, webhook_messages, webhook_events');
          const world = new BridgeWorld();
          for (const journey of journeys) world.travel(journey);
          const expected = world.expected().filter(({ deliveredIn }) => deliveredIn !== undefined);
          const anybody = [...PEOPLE, CROOK, addressFor(0xb0)];
          const groups = [...anybody.map((address) => [address]), PEOPLE.slice(0, 2)];
          const watchers = new Map<string, readonly Address[]>();
          for (const group of groups) watchers.set(await watch(group), group);

          const pieces = INDEXED.flatMap((chain) => {
            const logs = (world.logs.get(chain) ?? []).map((log) => ({
              ...log,
              blockTime: NOW + log.blockTime,
            }));
            const count = Math.ceil(logs.length / size);
            return Array.from({ length: count }, (_, at) => ({
              chain,
              logs: logs.slice(at * size, (at + 1) * size),
            }));
          });
          const shuffled = pieces
            .map((piece, at) => ({ piece, rank: order[at % order.length] ?? 0 }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ piece }) => piece);
          for (const [at, { chain, logs }] of [...shuffled, ...pieces].entries()) {
            await messages.apply(chain, logs);
            if (at % 3 === 0) await writeEvents();
          }

          const events = await waiting();
          for (const [webhookId, group] of watchers) {
            const own = events.filter((event) => event.webhookId === webhookId);
            const concerned = expected.filter(({ people }) => group.some((address) => people.has(address)));
            expect(own.map(({ event }) => event.data.messageId).sort()).toEqual(
              concerned.map(({ id }) => id.slice(2)).sort(),
            );
            for (const { event } of own) {
              const { people, deliveredIn } =
                concerned.find(({ id }) => id.slice(2) === event.data.messageId) ?? {};
              expect(event.data.destinationTransaction.txHash).toBe(deliveredIn);
              // Of several, the sender may become known after the event.
              if (group.length > 1) continue;
              expect(event.data.addresses).toEqual(
                group.filter((each) => people?.has(each)).map((each) => getAddress(each)),
              );
            }
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it('name the message and its delivery as the lists do', async () => {
    const webhookId = await watch([MESSAGE.to, addressFor(3)]);
    await messages.apply(MESSAGE.source, [sent(NOW)]);
    expect(await waiting()).toEqual([]);
    await messages.apply(MESSAGE.destination, [received(NOW + 1)]);
    const messageId = idOfMessage(MESSAGE).slice(2);
    expect(await waiting()).toEqual([
      {
        webhookId,
        eventId: `delivered-fuji-${messageId}`,
        event: {
          type: 'message.delivered',
          timestamp: new Date((NOW + 1) * 1000).toISOString(),
          data: {
            network: 'fuji',
            messageId,
            icmContractAddress: getAddress(received(NOW).address),
            sourceBlockchainId: MESSAGE.source.blockchainId,
            destinationBlockchainId: MESSAGE.destination.blockchainId,
            sourceEvmChainId: '1',
            destinationEvmChainId: '2',
            messageNonce: '1',
            from: getAddress(MESSAGE.from),
            to: getAddress(MESSAGE.to),
            addresses: [getAddress(MESSAGE.to)],
            destinationTransaction: {
              txHash: received(NOW).txHash,
              timestamp: NOW + 1,
              gasSpent: '21000',
              rewardRedeemer: getAddress(MESSAGE.from),
              delivererAddress: getAddress(MESSAGE.from),
            },
          },
        },
      },
    ]);
  });

  it('are there together with the rows of the delivery, or not at all', async () => {
    await watch([MESSAGE.to]);
    const failed = messages.database.transaction(async (transaction) => {
      await messages.applyWithin(transaction, MESSAGE.destination, [received(NOW)]);
      throw new Error('the worker ends');
    });
    await expect(failed).rejects.toThrow('the worker ends');
    expect([...(await messages.rows()), ...(await waiting())]).toEqual([]);
  });

  it('have no second event when the messages are made anew, whether the first one has been taken or not', async () => {
    await watch([MESSAGE.to]);
    await backdate(DAY);
    const logs = [received(NOW), received(NOW + 1, { ...MESSAGE, nonce: 2n })];
    const [first] = logs;
    if (first === undefined) throw new Error('no logs');
    await messages.apply(MESSAGE.destination, [first]);
    expect(await takeAll()).toHaveLength(1);
    await messages.apply(MESSAGE.destination, logs);
    await messages.clear(MESSAGE.destination);
    await messages.apply(MESSAGE.destination, logs);
    expect((await takeAll()).map(({ eventId }) => eventId)).toEqual([
      `delivered-fuji-${idOfMessage({ ...MESSAGE, nonce: 2n }).slice(2)}`,
    ]);
    await webhooks.forgetEvents();
    await messages.clear(MESSAGE.destination);
    await messages.apply(MESSAGE.destination, logs);
    expect(await waiting()).toEqual([]);
  });

  it.each([
    ['no delivery from before the webhook was added', 0, -1, 0],
    ['a delivery in the second in which it was added', 0, 0, 1],
    ['no delivery of more than a week ago, as an index that begins late finds', 30 * DAY, -7 * DAY - 1, 0],
    ['a delivery of less than a week ago', 30 * DAY, -7 * DAY + 3_600, 1],
    ['no delivery of next year, on a chain whose clock is wrong', 0, 365 * DAY, 0],
  ])('report %s', async (_, age, time, times) => {
    await watch([MESSAGE.to]);
    await backdate(age);
    await messages.apply(MESSAGE.destination, [received(NOW + time)]);
    expect(await waiting()).toHaveLength(times);
  });

  it('report nothing of addresses that were watched later, and nothing more of those that are watched no more', async () => {
    const url = 'https://wallet.example/changed';
    const [kept, dropped, added] = [addressFor(1), addressFor(3), addressFor(4)];
    const webhookId = await watch([kept, dropped], { url });
    await backdate(DAY);
    expect(await watch([kept, added], { url })).toBe(webhookId);
    let nonce = 0n;
    const deliver = async (from: Address, time: number): Promise<number> => {
      nonce += 1n;
      await messages.apply(MESSAGE.destination, [received(time, { ...MESSAGE, nonce, from })]);
      return (await takeAll()).length;
    };
    expect(await deliver(kept, NOW - 600)).toBe(1);
    expect(await deliver(dropped, NOW + 600)).toBe(0);
    expect(await deliver(added, NOW - 600)).toBe(0);
    expect(await deliver(added, NOW + 600)).toBe(1);
    await webhooks.remove('ours', webhookId);
    expect(await deliver(kept, NOW + 600)).toBe(0);
    expect(await dataSource.query('SELECT FROM webhook_addresses')).toEqual([]);
  });

  const madeEvents = (count: number, { from = 0, address = MESSAGE.to } = {}): WebhookMessage[] =>
    Array.from({ length: count }, (_, at) => ({
      eventId: `delivered-fuji-${String(from + at).padStart(8, '0')}`,
      time: NOW + from + at,
      event: {
        type: 'message.delivered',
        timestamp: '',
        data: { addresses: [address] },
      } as unknown as MessageDelivered,
    }));
  const write = async (events: readonly WebhookMessage[], now = NOW): Promise<number[]> => {
    await messages.database.transaction((transaction) => reportMessages(transaction, events));
    return writeEvents(now);
  };

  it('have the events of ten messages written at a time, by one process at a time', async () => {
    const two = [await watch([MESSAGE.to]), await watch([MESSAGE.to])];
    expect(await write(madeEvents(25))).toEqual([10, 10, 5, 0]);
    expect(await waiting()).toHaveLength(25 * two.length);
    await messages.database.transaction((transaction) =>
      reportMessages(transaction, madeEvents(100, { from: 100 })),
    );
    const others = Array.from({ length: 3 }, () => new WebhookRepository(dataSource.getRepository(Webhook)));
    await Promise.all(
      [...others, webhooks].map(async (each) => {
        for (let turn = 0; turn < 20; turn += 1) await each.writeMessageEvents(NOW);
      }),
    );
    expect(await waiting()).toHaveLength(125 * two.length);
    expect(await dataSource.query('SELECT message_count FROM webhooks')).toEqual(
      two.map(() => ({ message_count: 125 })),
    );
  });

  it('have so many events a day, of which the oldest count, and count the others', async () => {
    const webhookId = await watch([MESSAGE.to]);
    const other = await watch([addressFor(7)]);
    const max = MAX_MESSAGE_EVENTS_PER_DAY;
    await write(madeEvents(max - 2));
    await write(madeEvents(max)); // all but two are known
    expect(await waiting()).toHaveLength(max);
    await write(madeEvents(5, { from: max }).toReversed());
    await write(madeEvents(1, { address: addressFor(7) }));
    const countsOf = async (id: string) =>
      (await webhooks.list('ours')).find((webhook) => webhook.webhookId === id)?.droppedCount;
    expect(await countsOf(webhookId)).toBe(5);
    expect(await countsOf(other)).toBe(0);
    expect((await waiting()).filter((event) => event.webhookId === webhookId)).toHaveLength(max);

    await write(madeEvents(max + 3, { from: 2 * max }).toReversed(), NOW + DAY);
    const events = (await waiting()).filter((event) => event.webhookId === webhookId);
    expect(events).toHaveLength(2 * max);
    expect(events.at(-1)?.eventId).toBe(madeEvents(max, { from: 2 * max }).at(-1)?.eventId);
    expect(await countsOf(webhookId)).toBe(8);
  });

  it('take turns, however many events one of them has', async () => {
    const busy = await Promise.all([0, 1, 2].map(() => watch([MESSAGE.to])));
    await write(madeEvents(1_000));
    const late = await watch([addressFor(7)], { orgId: 'theirs' });
    await write(madeEvents(1, { address: addressFor(7), from: 5_000 }));
    const turns: string[][] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      await webhooks.takeEvents(2, (events) => {
        turns.push(events.map(({ webhookId }) => webhookId));
        return Promise.resolve();
      });
    }
    expect(turns.slice(0, 2).flat()).toContain(late);
    for (const webhookId of busy) {
      expect(turns.flat().filter((each) => each === webhookId).length).toBeGreaterThan(10);
    }
    const last = await takeAll();
    expect(last.length + turns.flat().length).toBe(3_001);
    expect(await takeAll()).toEqual([]);
  });

  it('wait while they cannot be handed over, and are forgotten once nothing can report them again', async () => {
    await watch([MESSAGE.to]);
    await write(madeEvents(1));
    await expect(webhooks.takeEvents(1, () => Promise.reject(new Error('no Temporal')))).rejects.toThrow(
      'no Temporal',
    );
    await webhooks.forgetEvents(NOW + 30 * DAY);
    expect(await takeAll()).toHaveLength(1);
    const remembered = () => dataSource.query('SELECT FROM webhook_events');
    await webhooks.forgetEvents(NOW + 8 * DAY);
    expect(await remembered()).toHaveLength(1);
    await webhooks.forgetEvents(NOW + 15 * DAY);
    expect(await remembered()).toHaveLength(0);
  });
});
