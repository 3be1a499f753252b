import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { Database } from '../../src/platform/database/database.js';
import { Geolocator } from '../../src/indexes/p-chain/observations/geolocator.js';
import { ObservationRepository } from '../../src/indexes/p-chain/observations/observation.repository.js';
import {
  OBSERVED_HOURS,
  type PollResult,
  ValidatorPoller,
} from '../../src/indexes/p-chain/validator-poller.js';
import { cityDatabase, ipv4Bits } from '../support/http/city-database.js';
import { ListApi } from '../support/http/list-api.js';
import {
  checkpointRow,
  idOf,
  idText,
  nodeIdText,
  shortIdOf,
  validatorRow,
} from '../support/p-chain/p-chain-rows.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { nodeIdFromString } from '../../src/avalanche/ids/node-id.js';
import { OpenPeers } from '../../src/platform/networks/open-peers.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { connectTo } from '../support/p2p/connect-to.js';
import { networkAt } from '../support/network.js';

const PATH = '/v1/networks/fuji/validators';
const HOUR_MS = 3_600_000;
const NOON = 1_800_000_000_000;
const [alice, bob, stranger] = [1, 2, 99].map((number) => nodeIdText(shortIdOf(number)));
const signal = new AbortController().signal;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** By method; of others the node reports that there are none. */
type Answers = Readonly<Record<string, unknown>>;

class FakeNode {
  private constructor(
    readonly url: string,
    public answers: Answers,
  ) {}

  static async start(answers: Answers): Promise<FakeNode> {
    const server = createServer((request, response) => {
      void json(request).then((call) => {
        const { id, method } = z.object({ id: z.number(), method: z.string() }).parse(call);
        const result = node.answers[method];
        const error = { code: -32601, message: 'no such method' };
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close().closeAllConnections());
    const node = new FakeNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers);
    return node;
  }
}

const startNodes = (...answers: readonly Answers[]): Promise<FakeNode[]> =>
  Promise.all(answers.map((given) => FakeNode.start(given)));

const validator = (nodeID: string | undefined, facts: object = {}) => ({
  txID: idText(idOf(77)),
  nodeID,
  startTime: '1',
  endTime: '2',
  weight: '3',
  uptime: '99.5000',
  connected: true,
  ...facts,
});

const peer = (nodeID: string | undefined, facts: object = {}) => ({
  nodeID,
  ip: '127.0.0.1:9651',
  publicIP: '127.0.0.1:9651',
  version: 'avalanchego/1.15.0',
  benched: [],
  ...facts,
});

const answering = (validators: unknown, peers: unknown): Answers => ({
  'platform.getCurrentValidators': { validators },
  'info.peers': { peers },
});

describe('observations of validators', () => {
  let api: ListApi;

  beforeAll(async () => {
    api = await ListApi.start();
    await api.insert('index_checkpoints', [checkpointRow({ networkId: '12345' })]);
    const row = (number: number, node: number, facts: object = {}) =>
      validatorRow({ network: 'fuji', tx_id: idOf(number), node_id: shortIdOf(node), ...facts });
    await api.insert('validators', [
      row(1, 1),
      row(2, 2),
      row(3, 3),
      row(11, 1, { subnet_id: idOf(12), is_permissioned: true, shares: null }),
      row(21, 1, { status: 'completed' }),
    ]);
  });

  afterEach(async () => {
    await api.dataSource.query('TRUNCATE node_observations, observed_nodes');
    await api.dataSource.query('UPDATE validators SET uptime_performance = NULL');
  });

  const poll = async (
    nodes: readonly FakeNode[],
    {
      now = NOON,
      databases = [],
      peers = new OpenPeers(),
    }: { now?: number; databases?: readonly string[]; peers?: OpenPeers } = {},
  ): Promise<PollResult> => {
    const network = networkAt(nodes.map(({ url }) => url));
    closers.push(() => network.rpc.close());
    const observations = new ObservationRepository(new Database(api.dataSource));
    return new ValidatorPoller(observations, new Geolocator(databases), peers).poll(network, signal, now);
  };

  /** By transaction: what the API answers of it. */
  const listed = async (number: number): Promise<Record<string, unknown>> => {
    const items = await api.walk(PATH, 'validators', {}, () => 100);
    const item = items.find(({ txHash }) => txHash === idText(idOf(number)));
    if (item === undefined) throw new Error(`no validator ${number}`);
    return item;
  };

  const health = async (number: number): Promise<unknown> => (await listed(number))['validatorHealth'];
  const observations = (): Promise<unknown[]> => api.dataSource.query('SELECT * FROM node_observations');

  const healthOf = (reachable: number, [p, x, c]: readonly [number, number, number] = [0, 0, 0]) => ({
    reachabilityPercent: reachable,
    benchedPChainRequestsPercent: p,
    benchedXChainRequestsPercent: x,
    benchedCChainRequestsPercent: c,
  });

  it('is left out or null before the first look, and for validations that are over', async () => {
    const before = await listed(1);
    expect(before).not.toHaveProperty('validatorHealth');
    expect(before).not.toHaveProperty('uptimePerformance');
    expect(before['geolocation']).toBeNull();
    await poll(await startNodes(answering([validator(alice)], [peer(alice)])));
    const completed = await listed(21);
    for (const field of ['validatorHealth', 'geolocation', 'uptimePerformance', 'avalancheGoVersion']) {
      expect(completed).not.toHaveProperty(field);
    }
  });

  it('is shown of every active validation, that of a subnet included', async () => {
    const nodes = await startNodes(answering([validator(alice), validator(bob)], [peer(alice)]));
    expect(await poll(nodes)).toEqual({ nodesAsked: 1, peerListsRead: 1, validators: 2 });
    for (const number of [1, 11]) {
      expect(await listed(number)).toMatchObject({
        uptimePerformance: 99.5,
        avalancheGoVersion: 'avalanchego/1.15.0',
        validatorHealth: healthOf(100),
        geolocation: null,
      });
    }
    expect(await health(3)).toEqual(healthOf(0));
  });

  it('is what our own connections show where there is no node, without an uptime', async () => {
    expect(await poll([])).toEqual({ nodesAsked: 0, peerListsRead: 0, validators: 0 });
    expect(await observations()).toEqual([]);
    const sandbox = await startSandbox({ validators: 1, evmRecordings: [], xChainRecording: null });
    onCleanup(() => sandbox.stop());
    const peers = new OpenPeers();
    peers.set('fuji', await connectTo(sandbox.validators.map(({ nodeId, port }) => ({ nodeId, port }))));
    const [validator] = sandbox.validators;
    await api.insert('validators', [
      validatorRow({
        network: 'fuji',
        tx_id: idOf(55),
        node_id: `\\x${toHex(nodeIdFromString(validator?.nodeId ?? ''))}`,
      }),
    ]);
    expect(await poll([], { peers })).toEqual({ nodesAsked: 1, peerListsRead: 1, validators: 0 });
    const seen = await listed(55);
    expect(seen).toMatchObject({
      validatorHealth: healthOf(100),
      avalancheGoVersion: expect.stringMatching(/^avalanchego\/\d+\.\d+\.\d+$/),
    });
    expect(seen).not.toHaveProperty('uptimePerformance');
    expect(await health(3)).toEqual(healthOf(0));
    await api.dataSource.query('DELETE FROM validators WHERE tx_id = $1', [
      Buffer.from(idOf(55).slice(2), 'hex'),
    ]);
  });

  it('counts looks over time, and by chain those at which the node had benched the validator', async () => {
    const nodes = await startNodes({});
    const look = async (peers: readonly object[], hour: number): Promise<void> => {
      for (const node of nodes) node.answers = answering([], peers);
      await poll(nodes, { now: NOON + hour * HOUR_MS });
    };
    await look([peer(alice, { benched: ['P'] }), peer(bob)], 0);
    await look([peer(alice, { benched: ['P', 'C', 'a chain of its own'] }), peer(bob)], 1);
    await look([peer(bob)], 2);
    await look([peer(bob)], 2);
    expect(await health(1)).toEqual(healthOf(50, [50, 0, 25]));
    expect(await health(2)).toEqual(healthOf(100));
    expect(await observations()).toHaveLength(3 * 3);
  });

  it('forgets looks that are a day old, and nodes that nobody looks for any more', async () => {
    const nodes = await startNodes(answering([], [peer(alice)]));
    await poll(nodes);
    nodes[0]!.answers = answering([], [peer(bob)]);
    await poll(nodes, { now: NOON + (OBSERVED_HOURS - 1) * HOUR_MS });
    expect(await health(1)).toEqual(healthOf(50));
    await poll(nodes, { now: NOON + OBSERVED_HOURS * HOUR_MS });
    expect(await health(1)).toEqual(healthOf(0));
    await api.dataSource.query("UPDATE validators SET status = 'completed' WHERE tx_id = $1", [
      Buffer.from(idOf(3).slice(2), 'hex'),
    ]);
    await poll(nodes, { now: NOON + 3 * OBSERVED_HOURS * HOUR_MS });
    expect(await observations()).toHaveLength(2);
    expect(await api.dataSource.query('SELECT FROM observed_nodes')).toHaveLength(2);
    await api.dataSource.query("UPDATE validators SET status = 'active' WHERE tx_id = $1", [
      Buffer.from(idOf(3).slice(2), 'hex'),
    ]);
  });

  it('takes the middle of nodes that differ', async () => {
    const nodes = await startNodes(
      answering([validator(alice, { uptime: '10' })], [peer(bob)]),
      answering([validator(alice, { uptime: '90' })], [peer(alice, { version: 'avalanchego/1.14.2' })]),
      answering([validator(alice, { uptime: '80' })], [peer(alice)]),
    );
    expect(await poll(nodes)).toEqual({ nodesAsked: 3, peerListsRead: 3, validators: 1 });
    // The first one counts alice as connected, as a validator reports itself.
    expect(await listed(1)).toMatchObject({
      uptimePerformance: 80,
      avalancheGoVersion: 'avalanchego/1.14.2',
      validatorHealth: healthOf(100),
    });
    expect(await health(2)).toEqual(healthOf(0));
  });

  it('has the version of a validator that is asked itself, and is no peer of its own', async () => {
    const answers = answering([validator(alice), validator(bob)], [peer(stranger)]);
    const itself = {
      'info.getNodeID': { nodeID: alice },
      'info.getNodeVersion': { version: 'avalanchego/1.15.1' },
    };
    await poll(await startNodes({ ...answers, ...itself }));
    expect(await listed(1)).toMatchObject({
      avalancheGoVersion: 'avalanchego/1.15.1',
      validatorHealth: healthOf(100),
    });
    expect(await listed(2)).not.toHaveProperty('avalancheGoVersion');
    const { body } = await api.get('/v1/networks/fuji');
    expect(body).toMatchObject({
      validatorDetails: {
        stakingDistributionByVersion: ['avalanchego/1.15.1', 'offline', 'unknown'].map((version) =>
          expect.objectContaining({ version, validatorCount: 1 }),
        ),
      },
    });
  });

  it('ignores a node that is away, or is connected to nobody', async () => {
    const nodes = await startNodes({}, answering([], []), answering([], [peer(alice)]));
    expect(await poll(nodes)).toEqual({ nodesAsked: 2, peerListsRead: 1, validators: 0 });
    expect(await health(1)).toEqual(healthOf(100));
    await expect(poll(nodes.slice(0, 1))).rejects.toThrow('no such method');
    expect(await health(1)).toEqual(healthOf(100));
  });

  it('keeps the answer to either question when a gateway refuses the other', async () => {
    const [withoutPeers, withoutUptimes] = await startNodes(
      { 'platform.getCurrentValidators': { validators: [validator(alice)] } },
      { 'info.peers': { peers: [peer(alice)] } },
    );
    expect(await poll([withoutPeers!])).toEqual({ nodesAsked: 1, peerListsRead: 0, validators: 1 });
    expect(await listed(1)).toMatchObject({ uptimePerformance: 99.5, geolocation: null });
    expect(await listed(1)).not.toHaveProperty('validatorHealth');
    expect(await poll([withoutUptimes!])).toEqual({ nodesAsked: 1, peerListsRead: 1, validators: 0 });
    expect(await health(1)).toEqual(healthOf(100));
  });

  it.each([
    { id: 'a peer without an id', peers: [peer(alice), {}] },
    { id: 'peers that are no list', peers: { length: 3 } },
    { id: 'a version that is a number', peers: [peer(alice, { version: 1 })] },
    { id: 'benched chains that are a number', peers: [peer(alice, { benched: 1 })] },
    { id: 'an id that is none', peers: [peer('NodeID-2')] },
    { id: 'more peers than a node has', peers: Array.from({ length: 50_001 }, () => peer(alice)) },
  ])('takes nothing from a node that reports $id', async ({ peers }) => {
    const nodes = await startNodes(answering([validator(alice)], peers));
    expect(await poll(nodes)).toEqual({ nodesAsked: 1, peerListsRead: 0, validators: 1 });
    expect(await observations()).toEqual([]);
  });

  it('counts a validator once however often it is listed, and nobody else', async () => {
    const peers = [...Array.from({ length: 1_000 }, () => peer(alice, { benched: ['X'] })), peer(stranger)];
    await poll(await startNodes(answering([validator(alice), validator(alice), validator(stranger)], peers)));
    expect(await health(1)).toEqual(healthOf(100, [0, 100, 0]));
    expect(await observations()).toHaveLength(3);
  });

  it.each(['-1', '100.0001', '1e300', '-1e300'])('ignores an uptime of %s', async (uptime) => {
    await poll(await startNodes(answering([validator(alice, { uptime }), validator(bob)], [peer(bob)])));
    expect(await listed(1)).not.toHaveProperty('uptimePerformance');
    expect(await listed(2)).toMatchObject({ uptimePerformance: 99.5 });
  });

  it.each([
    { id: 'an empty one', version: '' },
    { id: 'one of 100,000 characters', version: `avalanchego/${'1'.repeat(100_000)}` },
    { id: 'one with a zero byte, which Postgres refuses', version: 'avalanchego/1.0\u0000' },
    { id: 'HTML', version: '<b>/1' },
  ])('shows no version that is $id', async ({ version }) => {
    await poll(await startNodes(answering([], [peer(alice, { version })])));
    expect(await listed(1)).not.toHaveProperty('avalancheGoVersion');
    expect(await health(1)).toEqual(healthOf(100));
  });

  describe('with databases of places', () => {
    let folder: string;
    let databases: string[];
    const place = { latitude: 50.1109, longitude: 8.6821 };
    const shown = { city: 'Frankfurt am Main', country: 'Germany', countryCode: 'DE', ...place };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'nds-places-'));
      databases = ['ipv4.mmdb', 'ipv6.mmdb'].map((name) => join(folder, name));
      const files = [
        cityDatabase(4, {
          bits: ipv4Bits('32.1.13.0'),
          record: { map: { city: 'Frankfurt am Main', country_code: 'DE', ...place } },
        }),
        cityDatabase(6, {
          bits: '0010000000000010', // 2002::/16
          record: {
            map: {
              city: { map: { names: { map: { en: 'Frankfurt am Main' } } } },
              country: { map: { iso_code: 'DE' } },
              location: { map: place },
            },
          },
        }),
      ];
      for (const [index, file] of files.entries()) await writeFile(databases[index]!, file);
    });

    afterAll(() => rm(folder, { recursive: true }));

    it.each([
      { id: 'the address of the connection', ip: '32.1.13.200:9651', publicIP: '' },
      { id: 'an address in brackets', ip: '[::ffff:32.1.13.7]:9651', publicIP: '' },
      { id: 'IPv6', ip: '[2002::1]:9651', publicIP: '' },
      {
        id: 'the claimed address when the other is private',
        ip: '10.0.0.1:1',
        publicIP: '32.1.13.2:1',
      },
    ])('finds the place of $id', async ({ ip, publicIP }) => {
      await poll(await startNodes(answering([], [peer(alice, { ip, publicIP })])), { databases });
      expect((await listed(1))['geolocation']).toEqual(shown);
    });

    it.each([
      // As bits, 2001:d00:: begins like 32.1.13.0.
      { id: 'an IPv6 address that begins like a known IPv4 one', ip: '[2001:d00::1]:9651', publicIP: '' },
      { id: 'private addresses', ip: '10.0.0.1:1', publicIP: '192.168.0.1:1' },
      { id: 'what is no address', ip: 'DROP TABLE', publicIP: '999.1.1.1:1' },
    ])('knows no place of $id', async ({ ip, publicIP }) => {
      await poll(await startNodes(answering([], [peer(alice, { ip, publicIP })])), { databases });
      expect((await listed(1))['geolocation']).toBeNull();
    });

    it('forgets the place of a node that has moved to an unknown one, and keeps it while the node is away', async () => {
      const nodes = await startNodes(answering([], [peer(alice, { ip: '32.1.13.1:1' })]));
      await poll(nodes, { databases });
      nodes[0]!.answers = answering([], [peer(bob)]);
      await poll(nodes, { databases });
      expect((await listed(1))['geolocation']).toEqual(shown);
      nodes[0]!.answers = answering([], [peer(alice)]);
      await poll(nodes, { databases });
      expect((await listed(1))['geolocation']).toBeNull();
    });

    it('goes on without a file that is not a database', async () => {
      const broken = join(folder, 'broken.mmdb');
      await writeFile(broken, 'no database');
      const nodes = await startNodes(answering([], [peer(alice, { ip: '32.1.13.1:1' })]));
      await poll(nodes, { databases: [broken, join(folder, 'missing.mmdb'), ...databases] });
      expect((await listed(1))['geolocation']).toEqual(shown);
    });
  });
});
