import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { readMessengerEvent } from '../../src/avalanche/icm/messenger-event.js';
import { ChainChanges } from '../../src/indexes/evm/rows/chain-changes.js';
import { logBatch } from '../../src/indexes/evm/rows/log-rows.js';
import { Projector } from '../../src/indexes/evm/projections/projector.js';
import type { WatchedLog } from '../../src/indexes/evm/projections/watched-log.js';
import { logSetsOf } from '../../src/indexes/evm/sources/logs/log-sets.js';
import { Database } from '../../src/platform/database/database.js';
import type { EvmChain } from '../../src/platform/evm-chains/evm-chain.js';
import { MessageProjection } from '../../src/resources/interchain-messages/message-projection.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { advanceUntilDone, makeWriter, standAt, TEST_CHAIN } from '../support/evm/evm-index.js';
import {
  readMessengerRecording,
  type SideOfMessages,
  splitOverChains,
} from '../support/evm/messenger-recording.js';
import { moveIndex } from '../support/http/begun-indexes.js';
import { type ChangeEvent, ChangeStream } from '../support/http/change-stream.js';
import { isRecord, ListApi } from '../support/http/list-api.js';

const recording = readMessengerRecording();
const { source, destination } = splitOverChains(recording);
const TIP = 40;
const NODE = `\\x${'ab'.repeat(20)}`;
const P_CHAIN = { network: 'fuji', chain: 'P', cChainId: 1n } as const;
const KINDS = { sent: 'message.sent', received: 'message.delivered', executed: 'message.executed' } as const;

/** A chain of which nothing but the messenger's logs is indexed. */
class IndexedLogs {
  readonly chain: EvmChain;
  private readonly projector: Projector;

  constructor(
    private readonly api: ListApi,
    private readonly side: SideOfMessages,
  ) {
    const messengers: readonly Address[] = [recording.messenger];
    this.chain = { ...TEST_CHAIN, ...side.chain, index: 'logs', watch: ['messages'], messengers };
    const projections = [new MessageProjection()];
    this.projector = new Projector(
      this.chain,
      new Database(api.dataSource),
      projections,
      new ChainChanges(),
      10,
    );
  }

  get name(): string {
    return `evm${this.chain.chainId}`;
  }

  async write(from: number, to: number): Promise<void> {
    const [set] = logSetsOf(this.chain);
    if (set === undefined) throw new Error('no messages are watched');
    const range = { from: BigInt(from), to: BigInt(to) };
    const logs = this.side.logs.filter(({ height }) => height >= range.from && height <= range.to);
    await makeWriter(this.api.dataSource).write({ chain: this.chain, facets: [logBatch(set, range, logs)] });
  }

  async project(): Promise<void> {
    await advanceUntilDone(this.projector);
  }

  standAt(height: number): Promise<void> {
    return standAt(this.api.dataSource, this.chain, height);
  }
}

/** The first time that each thing is logged of each message. */
function loggedIn({ chain, logs }: SideOfMessages, from: number): string[] {
  const first = new Map<string, WatchedLog>();
  const inOrder = logs.toSorted((a, b) => Number(a.height - b.height) || a.logIndex - b.logIndex);
  for (const log of inOrder) {
    const event = readMessengerEvent(log);
    const kind = event.kind in KINDS ? KINDS[event.kind as keyof typeof KINDS] : undefined;
    if (kind === undefined || !('messageId' in event)) continue;
    const key = `${kind} ${event.messageId.slice(2)}`;
    if (!first.has(key)) first.set(key, log);
  }
  return [...first]
    .filter(([, { height }]) => height > BigInt(from))
    .map(([key, { height }]) => `evm${chain.chainId} ${height} ${key}`);
}

const nameIn = (chain: string, { id, event, data }: ChangeEvent): string => {
  const height = new RegExp(`${chain}:(\\d+)`).exec(id)?.[1] ?? '';
  return `${chain} ${height} ${event} ${String(data['messageId'])}`;
};

describe('the changes of interchain messages', () => {
  const BEGUN = 4;
  let api: ListApi;
  let sides: readonly [IndexedLogs, IndexedLogs];
  let stream: ChangeStream;
  let query: Record<string, string>;
  let witnessed = 0;

  beforeAll(async () => {
    const chains = [source, destination].map(({ chain }) => ({
      chainId: chain.chainId,
      blockchainId: chain.blockchainId,
      rpcUrls: ['http://127.0.0.1:1'],
      index: 'logs' as const,
      messengers: [recording.messenger],
    }));
    api = await ListApi.start(undefined, { EVM_CHAINS_FILE: writeEvmChainsFile(chains) });
    sides = [new IndexedLogs(api, source), new IndexedLogs(api, destination)];
    const addresses = [recording.sender, recording.receiver].join(',');
    for (const side of sides) {
      await side.standAt(BEGUN);
      await side.write(0, BEGUN);
      await side.project();
    }
    await moveIndex(new Database(api.dataSource), P_CHAIN, 0);
    query = { network: 'fuji', addresses, nodeIds: nodeIdToString(fromHex(NODE.slice(2))) };
    stream = await ChangeStream.open(api.url, query);
  });

  /** Until the stream has looked at all chains: a change of the first chain comes, and another one in the round after it. */
  const looked = async (): Promise<void> => {
    for (const last = witnessed + 2; witnessed < last;) {
      witnessed += 1;
      await api.insert('validator_set_members', [
        {
          network: 'fuji',
          subnet_id: `\\x${witnessed.toString(16).padStart(64, '0')}`,
          member_id: NODE,
          node_id: NODE,
          from_height: witnessed,
          until_height: '9223372036854775807',
          weight: '1',
        },
      ]);
      await moveIndex(new Database(api.dataSource), P_CHAIN, witnessed);
      await stream.untilEvent(({ data }) => data['blockNumber'] === String(witnessed));
    }
  };
  const messages = (): ChangeEvent[] => stream.events.filter(({ event }) => event.startsWith('message.'));

  const eventsOf = (side: IndexedLogs, kinds: readonly string[]): string[] =>
    messages()
      .filter(({ event }) => kinds.includes(event))
      .map((event) => nameIn(side.name, event));
  let begun = '';

  it('come when the messages are made of the logs, and not before', async () => {
    begun = stream.lastId;
    const [from] = sides;
    await from.standAt(TIP);
    await from.write(BEGUN + 1, TIP);
    await looked();
    expect(messages()).toEqual([]);
    await from.project();
    const expected = loggedIn(source, BEGUN);
    expect(expected.length).toBeGreaterThan(3);
    await stream.until(witnessed + expected.length);
    expect(eventsOf(from, ['message.sent'])).toEqual(expected);
  });

  it('wait for the blocks between, whichever are read first', async () => {
    const [, to] = sides;
    const sent = messages().length;
    await to.standAt(TIP);
    await to.write(20, TIP);
    await to.project();
    await looked();
    expect(messages()).toHaveLength(sent);
    await to.write(BEGUN + 1, 19);
    await to.project();
    const expected = loggedIn(destination, BEGUN);
    expect(new Set(expected.map((each) => each.split(' ')[2]))).toEqual(
      new Set(['message.delivered', 'message.executed']),
    );
    await stream.until(witnessed + sent + expected.length);
    expect(eventsOf(to, ['message.delivered', 'message.executed'])).toEqual(expected);
  });

  it('have each message as the list has it', async () => {
    const resumed = await ChangeStream.open(api.url, { ...query, cursor: begun });
    const events = await resumed.until(stream.events.length);
    const { body } = await api.get(`/v1/icm/addresses/${recording.sender}/messages`, { pageSize: '100' });
    const listed: unknown = isRecord(body) ? body['messages'] : [];
    for (const { event, data } of events) {
      if (event.startsWith('message.')) expect(listed).toContainEqual(data);
    }
  });
});
