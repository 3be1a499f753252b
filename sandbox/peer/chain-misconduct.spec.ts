import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { EMPTY_ID } from '../../src/avalanche/ids/id.js';
import { MAX_ANCESTORS } from '../../src/avalanche/p2p/messages/p2p-message.js';
import type { Peer } from '../../src/avalanche/p2p/peer/peer.js';
import { blockId, parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { containerId, unwrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { rejection } from '../../test/support/p2p/dialled-peer.js';
import { until } from '../../test/support/p2p/scripted-node.js';
import { endStarted, onTestEnd } from '../../test/support/p2p/started.js';
import { clientOf, countLinked } from '../../test/support/sandbox/chain-walk.js';
import { RawPeer } from '../../test/support/sandbox/raw-peer.js';
import type { ChainBehaviourInput } from '../chain-behaviour.js';
import { defaultRecording } from '../p-chain/default-recording.js';
import { type Sandbox, type SandboxValidator, startSandbox } from '../sandbox.js';

const { blocks } = defaultRecording();
const TIP = blocks.length - 1;
const UNKNOWN = new Uint8Array(32).fill(3);
const request = { chainId: EMPTY_ID, timeoutMs: 10_000 };

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ validators: [{}, { chainBehaviour: 'silent' }], ancestorsPerAnswer: 50 });
});
afterAll(() => sandbox.stop());
afterEach(async () => {
  validator(0).setChainBehaviour('honest');
  await endStarted();
});

function validator(index: number): SandboxValidator {
  const found = sandbox.validators[index];
  if (found === undefined) throw new RangeError('no such validator');
  return found;
}

const containerAt = (height: number): Uint8Array => {
  const block = blocks[height];
  if (block === undefined) throw new RangeError('no such block');
  return fromHex(block.container ?? block.bytes);
};
const idAt = (height: number): Uint8Array => fromHex(containerId(containerAt(height)));
const innerIdAt = (height: number): Uint8Array => fromHex(blockId(fromHex(blocks[height]?.bytes ?? '')));

/** A client of a validator that behaves so. */
async function clientOfOne(behaviour: ChainBehaviourInput): Promise<Peer> {
  validator(0).setChainBehaviour(behaviour);
  return clientOf(validator(0));
}

const ancestorsOf = (peer: Peer, id: Uint8Array, timeoutMs = request.timeoutMs) =>
  peer.ask({ kind: 'getAncestors', containerId: id, engine: 'chain' }, { ...request, timeoutMs });
const acceptedOf = (peer: Peer, containerIds: Uint8Array[]) =>
  peer.ask({ kind: 'getAccepted', containerIds }, request);
const frontierOf = (peer: Peer, requestedHeight = 0n) =>
  peer.ask({ kind: 'pullQuery', containerId: UNKNOWN, requestedHeight }, request);
const heightsOf = (containers: readonly Uint8Array[]): number[] =>
  containers.map((container) => Number(parseBlock(unwrapBlock(container).inner).height));
const downFrom = (height: number, to: number): number[] =>
  Array.from({ length: height - to + 1 }, (_, i) => height - i);

/** Sends these without waiting, and gives the kinds of what came back before the pong. */
async function kindsAnswered(to: SandboxValidator): Promise<string[]> {
  const peer = await RawPeer.greeted(to.address);
  onTestEnd(() => peer.close());
  const envelope = { chainId: EMPTY_ID, requestId: 1, deadline: 10_000_000_000n };
  peer.send({ case: 'getAccepted', value: { ...envelope, containerIds: [idAt(1)] } });
  peer.send({ case: 'getAncestors', value: { ...envelope, containerId: idAt(1) } });
  peer.send({ case: 'get', value: { ...envelope, containerId: idAt(1) } });
  peer.send({ case: 'pullQuery', value: { ...envelope, containerId: idAt(1) } });
  await peer.roundTrip();
  return peer.received.map((message) => message.case);
}

describe('a validator that serves its chains', () => {
  it('answers everything when it is honest', async () => {
    expect(await kindsAnswered(validator(0))).toEqual(['accepted', 'ancestors', 'put', 'chits']);
  });

  it('answers nothing when it is silent, also by an option of the sandbox', async () => {
    expect(validator(1).chainBehaviour).toEqual({ kind: 'silent' });
    expect(await kindsAnswered(validator(1))).toEqual([]);
    expect(validator(1).counters).toMatchObject({ chainRequests: 4, containers: 0 });
  });

  it('answers one request after the other when it is slow', async () => {
    const before = validator(0).counters.chainRequests;
    const peer = await clientOfOne({ kind: 'slow', delayMs: 500 });
    const answered: string[] = [];
    const first = ancestorsOf(peer, idAt(1)).then(() => answered.push('first'));
    await until(() => validator(0).counters.chainRequests > before, 'the first request');
    validator(0).setChainBehaviour({ kind: 'slow', delayMs: 1 });
    await ancestorsOf(peer, idAt(1)).then(() => answered.push('second'));
    await first;
    expect(answered).toEqual(['first', 'second']);
  });

  it('is silent about what expired while another request was slow', async () => {
    const peer = await clientOfOne({ kind: 'slow', delayMs: 300 });
    const [first, second] = [ancestorsOf(peer, idAt(1)), rejection(ancestorsOf(peer, idAt(1), 100))];
    expect((await second).code).toBe('TIMED_OUT');
    expect(await first).toHaveLength(2);
    validator(0).setChainBehaviour('honest');
    const { containers } = validator(0).counters;
    expect(await ancestorsOf(peer, idAt(0))).toHaveLength(1);
    expect(validator(0).counters.containers).toBe(containers + 1);
  });

  it('answers one of several requests when it is throttled', async () => {
    validator(0).setChainBehaviour({ kind: 'throttled', everyMs: 600_000 });
    expect(await kindsAnswered(validator(0))).toEqual(['accepted']);
    validator(0).setChainBehaviour({ kind: 'throttled', everyMs: 0 });
    expect(await kindsAnswered(validator(0))).toHaveLength(4);
  });

  it('lacks the last blocks when it is stale', async () => {
    const peer = await clientOfOne({ kind: 'stale', lagBlocks: 3 });
    expect(await frontierOf(peer, BigInt(TIP))).toEqual({
      acceptedId: idAt(TIP - 3),
      acceptedHeight: BigInt(TIP - 3),
      idAtHeight: idAt(TIP - 3),
    });
    expect(await ancestorsOf(peer, idAt(TIP - 2))).toEqual([]);
    expect(await ancestorsOf(peer, innerIdAt(TIP - 2))).toEqual([]);
    expect(await acceptedOf(peer, [idAt(TIP - 2), idAt(TIP - 3)])).toEqual([idAt(TIP - 3)]);
    validator(0).setChainBehaviour({ kind: 'stale', lagBlocks: TIP + 1 });
    expect(await frontierOf(peer)).toMatchObject({ acceptedId: idAt(0), acceptedHeight: 0n });
  });

  it('has no containers when it is empty, and knows which are accepted', async () => {
    validator(0).setChainBehaviour('empty');
    expect(await kindsAnswered(validator(0))).toEqual(['accepted', 'ancestors', 'chits']);
    const peer = await clientOfOne('empty');
    expect(await ancestorsOf(peer, idAt(TIP))).toEqual([]);
    expect(await acceptedOf(peer, [idAt(TIP)])).toEqual([idAt(TIP)]);
    expect(await frontierOf(peer)).toMatchObject({ acceptedId: idAt(TIP) });
  });

  it('gives what is above and below a hole', async () => {
    const peer = await clientOfOne({ kind: 'hole', fromHeight: 10, toHeight: 20 });
    expect(heightsOf(await ancestorsOf(peer, idAt(25)))).toEqual(downFrom(25, 21));
    for (const height of [20, 10]) expect(await ancestorsOf(peer, idAt(height))).toEqual([]);
    expect(heightsOf(await ancestorsOf(peer, innerIdAt(9)))).toEqual(downFrom(9, 0));
    expect(await frontierOf(peer, 15n)).toMatchObject({ idAtHeight: idAt(TIP) });
    validator(0).setChainBehaviour({ kind: 'hole', fromHeight: 0, toHeight: TIP });
    expect(await frontierOf(peer)).toMatchObject({ acceptedId: idAt(TIP), acceptedHeight: BigInt(TIP) });
  });

  it('breaks the link in the middle of its answer', async () => {
    const peer = await clientOfOne('broken-link');
    for (const id of [idAt(TIP), innerIdAt(TIP)]) {
      const containers = await ancestorsOf(peer, id);
      expect(countLinked(containers, toHex(id), parseBlock)).toBe(25);
      const heights = heightsOf(containers);
      expect(heights.toSpliced(25, 1)).toEqual(downFrom(TIP, TIP - 49).toSpliced(25, 1));
    }
  });

  it('forges containers that can be read and have other ids', async () => {
    const peer = await clientOfOne('forged');
    for (const id of [idAt(TIP), innerIdAt(TIP)]) {
      const containers = await ancestorsOf(peer, id);
      expect(heightsOf(containers)).toEqual(downFrom(TIP, TIP - 49));
      const ids = containers.map((container) => containerId(container));
      for (let height = 0; height <= TIP; height++) {
        expect(ids).not.toContain(toHex(idAt(height)));
        expect(ids).not.toContain(toHex(innerIdAt(height)));
      }
    }
    const container = await peer.ask({ kind: 'get', containerId: idAt(7) }, request);
    expect(containerId(container)).not.toBe(toHex(idAt(7)));
  });

  it('changes signatures, with which containers keep their ids', async () => {
    const peer = await clientOfOne('changed-signature');
    const containers = await ancestorsOf(peer, idAt(TIP));
    expect(countLinked(containers, toHex(idAt(TIP)), parseBlock)).toBe(50);
    const changed = containers.filter((container, i) => toHex(container) !== toHex(containerAt(TIP - i)));
    const signed = containers.filter((container) => unwrapBlock(container).envelope?.type === 'block');
    expect(changed).toEqual(signed);
    expect(signed.length).toBeGreaterThan(10);
  });

  it('sends irrelevant containers behind the right ones', async () => {
    const peer = await clientOfOne({ kind: 'endless', containers: 100 });
    const containers = await ancestorsOf(peer, idAt(TIP));
    expect(containers).toHaveLength(150);
    expect(countLinked(containers, toHex(idAt(TIP)), parseBlock)).toBe(50);
  });

  it('sends more containers than nodes may, unless it is given a number of irrelevant ones', async () => {
    const peer = await clientOfOne('endless');
    const before = validator(0).counters.containers;
    // The client takes none of an answer that is too long.
    expect((await rejection(ancestorsOf(peer, idAt(5), 500))).code).toBe('TIMED_OUT');
    expect(validator(0).counters.containers - before).toBe(6 + MAX_ANCESTORS);
  });

  it('names the invented frontier that every liar names, and has accepted anything', async () => {
    const peer = await clientOfOne('lying-frontier');
    validator(1).setChainBehaviour('lying-frontier');
    onTestEnd(() => validator(1).setChainBehaviour('silent'));
    const lie = await frontierOf(peer, 5n);
    expect(lie.acceptedHeight).toBeGreaterThan(BigInt(TIP));
    expect(lie.idAtHeight).toEqual(idAt(5));
    expect(await ancestorsOf(peer, lie.acceptedId)).toEqual([]);
    expect(await frontierOf(await clientOf(validator(1)), lie.acceptedHeight)).toEqual({
      ...lie,
      idAtHeight: lie.acceptedId,
    });
    expect(await acceptedOf(peer, [lie.acceptedId, UNKNOWN])).toEqual([lie.acceptedId, UNKNOWN]);
  });
});
