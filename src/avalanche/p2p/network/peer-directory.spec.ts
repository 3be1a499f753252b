import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { loadVectors } from '../../../../test/support/vectors.js';
import { fromHex, toHex } from '../../ids/hex.js';
import { ClaimedIpPortSchema, type ClaimedIpPort } from '../../proto/generated/p2p_pb.js';
import { BloomFilter, bloomHash } from './bloom-filter.js';
import { readClaimant, verifyClaimedIp } from '../peer/peer-list-claim.js';
import { decodeMessage } from '../messages/p2p-message.js';
import { PeerDirectory } from './peer-directory.js';
import { ScriptedNode } from '../../../../test/support/p2p/scripted-node.js';

interface Vectors {
  plain: {
    name: string;
    bytes: string;
    fields: { claimedIpPorts: { nodeID: string; gossipID: string; ipPort: number; timestamp: number }[] };
  }[];
}

const NOW = 1_800_000_000n;
const vector = loadVectors<Vectors>('p2p_messages').plain.find(({ name }) => name === 'peer_list one')!;

function readVector(): ClaimedIpPort {
  const message = decodeMessage(fromHex(vector.bytes));
  if (message.case !== 'peerList') throw new Error('not a peer list');
  return message.value.claimedIpPorts[0]!;
}

describe('an entry of a peer list', () => {
  it('is verified as avalanchego wrote it', () => {
    const claim = readVector();
    const [expected] = vector.fields.claimedIpPorts;
    const address = verifyClaimedIp(claim, readClaimant(claim), NOW);
    expect(address).toMatchObject({
      nodeId: expected!.nodeID,
      host: '203.0.113.7',
      port: expected!.ipPort,
      timestampSeconds: BigInt(expected!.timestamp),
    });
    expect(toHex(address.gossipId)).toBe(expected!.gossipID);
  });

  it.each<[string, Partial<ClaimedIpPort>]>([
    ['another port', { ipPort: 9652 }],
    ['another address', { ipAddr: Uint8Array.of(203, 0, 113, 8) }],
    ['another time', { timestamp: 1_700_000_001n }],
    ['another signature', { signature: Uint8Array.of(1) }],
    ['no certificate', { x509Certificate: new Uint8Array() }],
    ['port 0', { ipPort: 0 }],
    ['a port beyond 65535', { ipPort: 9651 + 65_536 }],
    ['an address of 5 bytes', { ipAddr: new Uint8Array(5) }],
  ])('is refused with %s', (_, change) => {
    const claim = create(ClaimedIpPortSchema, { ...readVector(), ...change });
    expect(() => verifyClaimedIp(claim, readClaimant(claim), NOW)).toThrow(
      expect.objectContaining({ code: 'INVALID_IP_CLAIM' }),
    );
  });

  it('is accepted up to a minute ahead of our clock', () => {
    const claim = readVector();
    const verifyAt = (now: bigint) => () => verifyClaimedIp(claim, readClaimant(claim), now);
    expect(verifyAt(claim.timestamp - 60n)).not.toThrow();
    expect(verifyAt(claim.timestamp - 61n)).toThrow(expect.objectContaining({ code: 'INVALID_IP_CLAIM' }));
  });
});

describe(PeerDirectory.name, () => {
  const nodes: ScriptedNode[] = [];

  beforeAll(async () => {
    for (let i = 0; i < 4; i++) nodes.push(await ScriptedNode.start());
  });

  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  const makeDirectory = (maxEntries = 100, wanted: readonly string[] = []): PeerDirectory =>
    new PeerDirectory(maxEntries, (nodeId) => wanted.includes(nodeId));

  it('takes given addresses, the later of two, and none that nobody can dial', () => {
    const directory = makeDirectory();
    const changed = directory.setAddresses([
      { nodeId: 'a', host: '1.1.1.1', port: 1 },
      { nodeId: 'a', host: '1.1.1.1', port: 2 },
      { nodeId: 'b', host: '1.1.1.1', port: 0 },
      { nodeId: 'b', host: '1.1.1.1', port: 65_536 },
      { nodeId: 'b', host: '1.1.1.1', port: NaN },
      { nodeId: 'b', host: '', port: 1 },
    ]);
    expect(changed).toEqual(['a']);
    expect(directory.addressesOf('a')).toEqual([{ nodeId: 'a', host: '1.1.1.1', port: 2 }]);
    expect(directory.addressesOf('b')).toEqual([]);
    expect(directory.setAddresses([{ nodeId: 'a', host: '1.1.1.1', port: 2 }])).toEqual([]);
    expect(directory.setAddresses([{ nodeId: 'a', host: '1.1.1.2', port: 2 }])).toEqual(['a']);
  });

  it('learns what nodes signed, keeping the newest', () => {
    const directory = makeDirectory();
    const node = nodes[0]!;
    expect(directory.learn([node.claim(NOW - 10n, 1000)], NOW)).toEqual([node.nodeId]);
    expect(directory.learn([node.claim(NOW - 11n, 2000)], NOW)).toEqual([]);
    expect(directory.addressesOf(node.nodeId)).toMatchObject([{ port: 1000 }]);
    expect(directory.learn([node.claim(NOW - 9n, 3000)], NOW)).toEqual([node.nodeId]);
    expect(directory.learn([node.claim(NOW - 8n, 3000)], NOW)).toEqual([]);
    expect(directory.addressesOf(node.nodeId)).toMatchObject([{ port: 3000, timestampSeconds: NOW - 8n }]);
  });

  it('passes over invalid entries and takes the others', () => {
    const directory = makeDirectory();
    const future = nodes[0]!.claim(NOW + 61n);
    const forged = create(ClaimedIpPortSchema, {
      ...nodes[1]!.claim(NOW),
      signature: nodes[2]!.claim(NOW).signature,
    });
    const empty = create(ClaimedIpPortSchema, {});
    expect(directory.learn([future, forged, empty, nodes[3]!.claim(NOW)], NOW)).toEqual([nodes[3]!.nodeId]);
  });

  it('offers the given address first and the claimed one second, unless they are the same', () => {
    const directory = makeDirectory();
    const node = nodes[0]!;
    directory.learn([node.claim(NOW)], NOW);
    directory.setAddresses([{ nodeId: node.nodeId, host: 'localhost', port: 1 }]);
    expect(directory.addressesOf(node.nodeId).map(({ host }) => host)).toEqual(['localhost', '127.0.0.1']);
    directory.setAddresses([node.address]);
    expect(directory.addressesOf(node.nodeId)).toHaveLength(1);
  });

  it('holds a bounded number of nodes, and drops the oldest that nobody wants', () => {
    const directory = makeDirectory(2, [nodes[0]!.nodeId]);
    nodes.forEach((node) => directory.learn([node.claim(NOW)], NOW));
    const known = nodes.map(({ nodeId }) => directory.addressesOf(nodeId).length);
    expect(known).toEqual([1, 0, 0, 1]);
    expect(directory.size).toBe(2);
  });

  it('looks at a bounded number of entries', () => {
    const directory = makeDirectory();
    const garbage = Array<ClaimedIpPort>(64).fill(create(ClaimedIpPortSchema, {}));
    expect(directory.learn([...garbage, nodes[0]!.claim(NOW)], NOW)).toEqual([]);
  });

  it('makes a filter of what it learned', () => {
    const directory = makeDirectory();
    expect(directory.makeKnownPeersFilter()).toBeUndefined();
    const [first, second] = nodes.map((node) => node.claim(NOW));
    directory.learn([first!], NOW);
    const { filter, salt } = directory.makeKnownPeersFilter()!;
    const contains = (claim: ClaimedIpPort): boolean => {
      const { gossipId } = verifyClaimedIp(claim, readClaimant(claim), NOW);
      return BloomFilter.fromBytes(filter).has(bloomHash(gossipId, salt));
    };
    expect(salt).toHaveLength(32);
    expect([contains(first!), contains(second!)]).toEqual([true, false]);
  });
});
