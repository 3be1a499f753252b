import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { type ChangeEvent, ChangeStream } from '../support/http/change-stream.js';
import { ListApi } from '../support/http/list-api.js';
import { indexRecording } from '../support/p-chain/index-recording.js';

const HRP = 'local';
const UTXOS = '/v1/networks/fuji/blockchains/p-chain/utxos';
const CONSUMPTION = ['consumingTxHash', 'consumingBlockNumber', 'consumingBlockTimestamp'];
const MAX_LISTED = 64;

type Utxo = Record<string, unknown>;
type Members = ReadonlyMap<string, Record<string, unknown>>;

interface Moment {
  readonly utxos: ReadonlyMap<string, Utxo>;
  readonly members: Members;
}

const hex = (bytes: Buffer): string => bytes.toString('hex');

async function everybodyIn(database: DataSource): Promise<{ addresses: string; nodeIds: string }> {
  const owners = await database.query<{ owner: Buffer }[]>(
    `SELECT DISTINCT unnest(owner_addresses) AS owner FROM utxos ORDER BY 1 LIMIT ${MAX_LISTED}`,
  );
  const nodes = await database.query<{ node_id: Buffer }[]>(
    `SELECT node_id FROM nodes UNION SELECT node_id FROM l1_validators ORDER BY 1 LIMIT ${MAX_LISTED}`,
  );
  return {
    addresses: owners.map(({ owner }) => packAddress({ hrp: HRP, bytes: owner })).join(','),
    nodeIds: nodes.map(({ node_id: id }) => nodeIdToString(id)).join(','),
  };
}

/** All members of all sets after a block, as signing would ask for them. */
async function membersAt(database: DataSource, height: number): Promise<Members> {
  const rows = await database.query<
    {
      subnet_id: Buffer;
      member_id: Buffer;
      node_id: Buffer | null;
      weight: string;
      l1_node_id: Buffer | null;
    }[]
  >(
    `SELECT m.*, l1.node_id AS l1_node_id FROM validator_set_members m
       LEFT JOIN l1_validators l1 ON l1.validation_id = m.member_id
      WHERE m.from_height <= $1 AND m.until_height > $1`,
    [height],
  );
  return new Map(
    rows.map((row) => {
      const isL1 = row.l1_node_id !== null;
      const change = {
        subnetId: idToString(row.subnet_id),
        nodeId: nodeIdToString(row.l1_node_id ?? row.member_id),
        ...(isL1 ? { validationId: idToString(row.member_id), isActive: row.node_id !== null } : {}),
        weight: row.weight,
      };
      return [hex(row.subnet_id) + hex(row.member_id), change];
    }),
  );
}

/** The differences between two moments, in the order in which a stream has them. Those of a proposal have the height of the proposal. */
function diffOf(height: number, before: Moment, after: Moment): string[] {
  const members = [...new Set([...before.members.keys(), ...after.members.keys()])].sort().flatMap((key) => {
    const [old, now] = [before.members.get(key), after.members.get(key)];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const left = old && { ...old, weight: '0', ...('isActive' in old ? { isActive: false } : {}) };
    return [describeChange('validator.changed', height, now ?? left ?? {})];
  });
  const byId = [...after.utxos].sort(([a], [b]) => (a < b ? -1 : 1));
  const created = byId.flatMap(([id, utxo]) =>
    before.utxos.has(id) ? [] : [describeChange('utxo.created', Number(utxo['blockNumber']), utxo)],
  );
  const consumed = byId.flatMap(([id, utxo]) => {
    const isHere = utxo['consumedOnChainId'] === PRIMARY_NETWORK_ID && 'consumingTxHash' in utxo;
    const wasBefore = 'consumingTxHash' in (before.utxos.get(id) ?? {});
    if (!isHere || wasBefore) return [];
    return [describeChange('utxo.consumed', Number(utxo['consumingBlockNumber']), utxo)];
  });
  const rank = (change: string): number => Number(change.split(' ')[1]);
  return [...members, ...created, ...consumed].sort((a, b) => rank(a) - rank(b));
}

function describeChange(event: string, height: number, data: Record<string, unknown>): string {
  const { utxoId, subnetId, nodeId, validationId, weight, isActive } = data;
  const what = event.startsWith('utxo.')
    ? String(utxoId)
    : JSON.stringify({ subnetId, nodeId, validationId, weight, isActive });
  return `${event} ${height} ${what}`;
}

function describeEvent({ id, event, data }: ChangeEvent): string {
  const height = event === 'utxo.consumed' ? data['consumingBlockNumber'] : data['blockNumber'];
  expect(id).toMatch(new RegExp(`^p:${String(height)}(\\.\\d+)?$`));
  return describeChange(event, Number(height), data);
}

describe('the changes of a recorded P-chain', () => {
  const recording = defaultRecording();
  const last = recording.blocks.length;
  const middle = Math.floor(last / 2);
  const expected: string[] = [];
  let api: ListApi;
  let query: Record<string, string>;
  let followed: readonly ChangeEvent[];
  let begun: string;

  const utxosNow = async (): Promise<Map<string, Utxo>> => {
    const { addresses = '' } = query;
    const items = await api.walk(UTXOS, 'utxos', { addresses, includeSpent: 'true' }, () => 100);
    const ids = await api.dataSource.query<{ utxo_id: Buffer }[]>('SELECT utxo_id FROM utxos');
    const hexOf = new Map(ids.map(({ utxo_id: id }) => [idToString(id), hex(id)]));
    return new Map(items.map((item) => [hexOf.get(String(item['utxoId'])) ?? '', item]));
  };

  beforeAll(async () => {
    const whole = await createMigratedDatabase();
    await indexRecording(recording, whole, async (replay, write) => {
      if (replay.height === BigInt(recording.blocks.at(-1)?.height ?? 0)) await write();
    });
    query = { network: 'fuji', ...(await everybodyIn(whole)) };
    api = await ListApi.start();
    let stream: ChangeStream | undefined;
    let before: Moment = { utxos: new Map(), members: new Map() };
    await indexRecording(recording, api.dataSource, async (replay, write) => {
      await write();
      const height = Number(replay.height);
      if (height < middle || replay.isUndecided) return;
      const after = { utxos: await utxosNow(), members: await membersAt(api.dataSource, height) };
      if (stream === undefined) stream = await ChangeStream.open(api.url, query);
      else expected.push(...diffOf(height, before, after));
      before = after;
    });
    if (stream === undefined) throw new Error('nothing was streamed');
    followed = [...(await stream.until(expected.length))];
    begun = `p:${middle}`;
    stream.close();
  });

  const streamFrom = async (cursor: string, server = api.url): Promise<ChangeStream> => {
    const stream = await ChangeStream.open(server, { ...query, cursor });
    return stream;
  };

  it('are what differs between the lists before and after each block, in order', () => {
    expect(new Set(expected.map((each) => each.split(' ')[0])).size).toBe(3);
    expect(followed.map(describeEvent)).toEqual(expected);
  });

  it('have the data that the lists have, what was created without what has become of it', async () => {
    const stream = await streamFrom(begun);
    const utxos = new Map([...(await utxosNow()).values()].map((utxo) => [utxo['utxoId'], utxo]));
    for (const { event, data } of await stream.until(expected.length)) {
      if (!event.startsWith('utxo.')) continue;
      const listed = utxos.get(data['utxoId']) ?? {};
      const left = event === 'utxo.created' ? CONSUMPTION : [];
      expect(data).toEqual(
        Object.fromEntries(Object.entries(listed).filter(([name]) => !left.includes(name))),
      );
    }
  });

  it('continue behind whichever event a reader has had last, with all that follow and no other', async () => {
    const sequence = followed.map(({ id, event, data }) => [id, event, data['utxoId'] ?? data['weight']]);
    for (const [index, { id }] of followed.entries()) {
      if (index === followed.length - 1) break;
      const stream = await streamFrom(id);
      const rest = await stream.until(expected.length - index - 1);
      expect(rest.map((each) => [each.id, each.event, each.data['utxoId'] ?? each.data['weight']])).toEqual(
        sequence.slice(index + 1),
      );
      stream.close();
    }
  });

  it('are the same from another process over the database, byte by byte', async () => {
    const other = await ListApi.start(api.databaseUrl);
    const streams = [await streamFrom(begun), await streamFrom(begun, other.url)];
    for (const stream of streams) await stream.until(expected.length);
    expect(streams[1]?.text).toBe(streams[0]?.text);
  });

  it('continue from the header of a browser before the parameter of its first connection', async () => {
    const at = followed.length - 3;
    const headers = { 'last-event-id': followed[at]?.id ?? '' };
    const stream = await ChangeStream.open(api.url, { ...query, cursor: begun }, headers);
    expect((await stream.until(2)).map(({ id }) => id)).toEqual(followed.slice(at + 1).map(({ id }) => id));
  });
});
