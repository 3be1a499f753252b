import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { EMPTY_ID, idFromString } from '../../src/avalanche/ids/id.js';
import { encodeMessage, type P2pMessageInit } from '../../src/avalanche/p2p/messages/p2p-message.js';
import type { Peer } from '../../src/avalanche/p2p/peer/peer.js';
import { blockId, parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { containerId, unwrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { EngineType } from '../../src/avalanche/proto/generated/p2p_pb.js';
import { endStarted, onTestEnd } from '../../test/support/p2p/started.js';
import { clientOf, countLinked } from '../../test/support/sandbox/chain-walk.js';
import { RawPeer } from '../../test/support/sandbox/raw-peer.js';
import { generatedChains } from '../generated/generated-chains.js';
import { xChainOf, xGenesis } from '../generated/x-chain-generator.js';
import type { SandboxOptions } from '../options.js';
import { defaultRecording } from '../p-chain/default-recording.js';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { ChainResponder } from './chain-responder.js';

const BLOCKS = 40;
const UNKNOWN = new Uint8Array(32).fill(3);
const P_CHAIN = EMPTY_ID;

const generated = await generatedChains(BLOCKS);
const blocksOfP = generated.recording?.blocks.map(({ bytes }) => bytes) ?? [];
const X_CHAIN = idFromString(generated.xChainRecording?.blockchainIds.X ?? '');
const chains = [
  { name: 'P-chain', chainId: P_CHAIN, blocks: blocksOfP, parse: parseBlock },
  {
    name: 'X-chain',
    chainId: X_CHAIN,
    blocks: generated.xChainRecording?.blocks ?? [],
    parse: parseAvmBlock,
  },
];

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ validators: 1, ...generated });
});
afterAll(() => sandbox.stop());
afterEach(endStarted);

const validatorOf = ({ validators: [validator] }: Sandbox) => {
  if (validator === undefined) throw new RangeError('no validator');
  return validator;
};

async function anotherSandbox(options: SandboxOptions): Promise<Sandbox> {
  const other = await startSandbox({ validators: 1, blockIntervalMs: 0, ...options });
  onTestEnd(() => other.stop());
  return other;
}

const connect = (to = sandbox): Promise<Peer> => clientOf(validatorOf(to));

const tipOf = (peer: Peer, chainId: Uint8Array, requestedHeight = 0n) =>
  peer.ask({ kind: 'pullQuery', containerId: UNKNOWN, requestedHeight }, { chainId, timeoutMs: 10_000 });

const ancestorsOf = (peer: Peer, chainId: Uint8Array, id: Uint8Array) =>
  peer.ask({ kind: 'getAncestors', containerId: id, engine: 'chain' }, { chainId, timeoutMs: 10_000 });

const xBlock = (size: number) => new Uint8Array(size).fill(size % 251);
const idOfXBlock = (size: number) => fromHex(blockId(xBlock(size)));

/** With blocks of these many bytes, which are nothing else. */
async function sandboxOfXBlocks(sizes: readonly number[]): Promise<Sandbox> {
  const blocks = sizes.map((size) => ({ bytes: xBlock(size) }));
  return anotherSandbox({ recording: null, xChainRecording: xChainOf(await xGenesis(), blocks) });
}

describe(ChainResponder.name, () => {
  describe.each(chains)('asked about the $name', ({ chainId, blocks, parse }) => {
    const innerIds = blocks.map((bytes) => fromHex(blockId(fromHex(bytes))));

    it('gives the containers of the served blocks down to block 0, each the parent of the one before', async () => {
      const peer = await connect();
      const { acceptedId, acceptedHeight } = await tipOf(peer, chainId);
      expect(acceptedHeight).toBe(BigInt(BLOCKS - 1));
      const containers = await ancestorsOf(peer, chainId, acceptedId);
      expect(countLinked(containers, toHex(acceptedId), parse)).toBe(BLOCKS);
      expect(containers.map((each) => toHex(unwrapBlock(each).inner))).toEqual(blocks.toReversed());
      expect(containers.map((each) => unwrapBlock(each).envelope === null)).toEqual([
        ...new Array<boolean>(BLOCKS - 1).fill(false),
        true,
      ]);
    });

    it('gives the same blocks bare when it is asked by the id of a bare one', async () => {
      const peer = await connect();
      const answer = await ancestorsOf(peer, chainId, innerIds[7] ?? UNKNOWN);
      expect(answer.map(toHex)).toEqual(blocks.slice(0, 8).toReversed());
    });

    it('has no ancestors of an unknown container', async () => {
      expect(await ancestorsOf(await connect(), chainId, UNKNOWN)).toEqual([]);
    });

    it('gives one container, or block', async () => {
      const peer = await connect();
      const { idAtHeight } = await tipOf(peer, chainId, 9n);
      const get = (id: Uint8Array) =>
        peer.ask({ kind: 'get', containerId: id }, { chainId, timeoutMs: 10_000 });
      const container = await get(idAtHeight);
      expect(containerId(container)).toBe(toHex(idAtHeight));
      expect(toHex(unwrapBlock(container).inner)).toBe(blocks[9]);
      expect(toHex(await get(innerIds[9] ?? UNKNOWN))).toBe(blocks[9]);
    });

    it('has accepted containers and block 0, not the blocks within', async () => {
      const peer = await connect();
      const { acceptedId, idAtHeight: block0 } = await tipOf(peer, chainId, 0n);
      expect(block0).toEqual(innerIds[0]);
      const { idAtHeight } = await tipOf(peer, chainId, 5n);
      const containerIds = [acceptedId, UNKNOWN, ...innerIds, idAtHeight];
      const accepted = await peer.ask({ kind: 'getAccepted', containerIds }, { chainId, timeoutMs: 10_000 });
      expect(accepted).toEqual([acceptedId, block0, idAtHeight]);
    });

    it('names its last container for a height that it does not have', async () => {
      const peer = await connect();
      for (const height of [BigInt(BLOCKS - 1), BigInt(BLOCKS), 2n ** 63n]) {
        const { acceptedId, idAtHeight } = await tipOf(peer, chainId, height);
        expect(idAtHeight).toEqual(acceptedId);
      }
    });
  });

  it('gives recorded containers, and the empty ones after them, as the chain grows', async () => {
    const other = await anotherSandbox({});
    const peer = await connect(other);
    const before = await tipOf(peer, P_CHAIN);
    other.advance(3);
    const { acceptedId, acceptedHeight } = await tipOf(peer, P_CHAIN);
    expect(acceptedHeight).toBe(before.acceptedHeight + 3n);
    const containers = await ancestorsOf(peer, P_CHAIN, acceptedId);
    expect(countLinked(containers, toHex(acceptedId), parseBlock)).toBe(Number(acceptedHeight) + 1);
    expect(containers.toReversed().slice(1, defaultRecording().blocks.length).map(toHex)).toEqual(
      defaultRecording().blocks.flatMap(({ container }) => container ?? []),
    );
  });

  it('ends where the chain ends for now', async () => {
    const other = await anotherSandbox(generated);
    const peer = await connect(other);
    const { idAtHeight } = await tipOf(peer, X_CHAIN, 31n);
    other.setXChainBehaviour({ kind: 'tip', height: 30 });
    other.setPChainBehaviour({ kind: 'tip', height: 29 });
    expect((await tipOf(peer, X_CHAIN)).acceptedHeight).toBe(30n);
    expect((await tipOf(peer, P_CHAIN)).acceptedHeight).toBe(29n);
    expect(await ancestorsOf(peer, X_CHAIN, idAtHeight)).toEqual([]);
  });

  it('serves its chains whatever the JSON-RPC node makes of them', async () => {
    const other = await anotherSandbox(generated);
    other.setPChainBehaviour({ kind: 'timeout' });
    other.setXChainBehaviour({ kind: 'empty' });
    const peer = await connect(other);
    for (const { chainId } of chains) {
      const { acceptedId } = await tipOf(peer, chainId);
      expect(await ancestorsOf(peer, chainId, acceptedId)).toHaveLength(BLOCKS);
    }
  });

  it('gives no more containers than it reads in its time', async () => {
    const other = await anotherSandbox({ ...generated, ancestorsPerAnswer: 3 });
    const peer = await connect(other);
    const { acceptedId } = await tipOf(peer, P_CHAIN);
    const some = await ancestorsOf(peer, P_CHAIN, acceptedId);
    expect(some.map((each) => parseBlock(unwrapBlock(each).inner).height)).toEqual([39n, 38n, 37n]);
  });

  it('gives 2000 containers at most, and the rest to whoever goes on', async () => {
    const other = await anotherSandbox({ recording: generated.recording, baseHeight: 2_100n });
    const peer = await connect(other);
    const { acceptedId } = await tipOf(peer, P_CHAIN);
    const first = await ancestorsOf(peer, P_CHAIN, acceptedId);
    expect(countLinked(first, toHex(acceptedId), parseBlock)).toBe(2_000);
    const { idAtHeight } = await tipOf(peer, P_CHAIN, 100n);
    const rest = await ancestorsOf(peer, P_CHAIN, idAtHeight);
    expect(countLinked(rest, toHex(idAtHeight), parseBlock)).toBe(101);
  });

  it.each([
    { bytes: 'as many bytes as an answer may have', lowest: 677_719, given: 3 },
    { bytes: 'no container with which there would be one byte more', lowest: 677_720, given: 2 },
  ])('gives $bytes', async ({ lowest, given }) => {
    // With four bytes for each length: 1677721.
    const sizes = [200, lowest, 500_000, 499_990];
    const other = await sandboxOfXBlocks(sizes);
    const containers = await ancestorsOf(await connect(other), X_CHAIN, idOfXBlock(499_990));
    expect(containers.map(({ length }) => length)).toEqual(sizes.toReversed().slice(0, given));
  });

  it('gives the first container however large it is', async () => {
    const other = await sandboxOfXBlocks([200, 1_700_000]);
    const containers = await ancestorsOf(await connect(other), X_CHAIN, idOfXBlock(1_700_000));
    expect(containers.map(({ length }) => length)).toEqual([1_700_000]);
  });

  describe('is silent about', () => {
    const envelope = { chainId: P_CHAIN, requestId: 1, deadline: 5_000_000_000n };
    const known = fromHex(blockId(fromHex(blocksOfP[3] ?? '')));
    const shortId = { ...envelope, containerId: known.subarray(1) };
    const cases: { id: string; message: P2pMessageInit }[] = [
      { id: 'an unknown container', message: { case: 'get', value: { ...envelope, containerId: UNKNOWN } } },
      {
        id: 'vertices',
        message: {
          case: 'getAncestors',
          value: { ...envelope, containerId: known, engineType: EngineType.DAG },
        },
      },
      {
        id: 'a chain that it does not run',
        message: { case: 'getAncestors', value: { ...envelope, chainId: UNKNOWN, containerId: known } },
      },
      {
        id: 'what has expired',
        message: { case: 'getAncestors', value: { ...envelope, deadline: 0n, containerId: known } },
      },
      { id: 'ancestors of 31 bytes', message: { case: 'getAncestors', value: shortId } },
      { id: 'a container of 31 bytes', message: { case: 'get', value: shortId } },
      { id: 'a query of 31 bytes', message: { case: 'pullQuery', value: shortId } },
      {
        id: 'an id of 31 bytes among others',
        message: { case: 'getAccepted', value: { ...envelope, containerIds: [known, known.subarray(1)] } },
      },
    ];

    it.each(cases)('$id', async ({ message }) => {
      const peer = await RawPeer.greeted(validatorOf(sandbox).address);
      onTestEnd(() => peer.close());
      peer.send(message);
      await peer.roundTrip();
      expect(peer.received).toEqual([]);
      // The answer would have been the same but for that.
      peer.send({ case: 'getAncestors', value: { ...envelope, containerId: known } });
      expect((await peer.next('ancestors')).containers).toHaveLength(4);
    });
  });

  it('is silent before the client has greeted it', async () => {
    const peer = await RawPeer.connect(validatorOf(sandbox).address);
    onTestEnd(() => peer.close());
    peer.send(peer.handshake());
    await peer.next('handshake');
    await peer.next('peerList');
    const question = { chainId: P_CHAIN, deadline: 5_000_000_000n, containerId: UNKNOWN };
    peer.send({ case: 'getAncestors', value: { ...question, requestId: 1 } });
    peer.send({ case: 'peerList', value: {} });
    peer.send({ case: 'getAncestors', value: { ...question, requestId: 2 } });
    expect((await peer.next('ancestors')).requestId).toBe(2);
  });

  it('compresses containers and nothing else', async () => {
    const peer = await RawPeer.greeted(validatorOf(sandbox).address);
    onTestEnd(() => peer.close());
    const question = { chainId: P_CHAIN, requestId: 1, deadline: 5_000_000_000n };
    const block0 = fromHex(blockId(fromHex(blocksOfP[0] ?? '')));
    peer.send({ case: 'getAccepted', value: { ...question, containerIds: [block0] } });
    peer.send({ case: 'pullQuery', value: { ...question, containerId: UNKNOWN } });
    peer.send({ case: 'get', value: { ...question, containerId: block0 } });
    peer.send({ case: 'getAncestors', value: { ...question, containerId: block0 } });
    await peer.next('ancestors');
    const answers = peer.frames.slice(-4);
    const plain = [
      { case: 'accepted', value: await peer.next('accepted') } as const,
      { case: 'chits', value: await peer.next('chits') } as const,
    ];
    expect(answers.slice(0, 2).map(toHex)).toEqual(plain.map((each) => toHex(encodeMessage(each))));
    const COMPRESSED_ZSTD_TAG = 0x12;
    expect(answers.map((frame) => frame[0] === COMPRESSED_ZSTD_TAG)).toEqual([false, false, true, true]);
  });

  it('counts what it was asked and the containers that it gave', async () => {
    const other = await anotherSandbox(generated);
    const peer = await connect(other);
    const { acceptedId } = await tipOf(peer, P_CHAIN);
    await ancestorsOf(peer, P_CHAIN, acceptedId);
    await peer.ask({ kind: 'get', containerId: acceptedId }, { chainId: P_CHAIN, timeoutMs: 10_000 });
    await ancestorsOf(peer, P_CHAIN, UNKNOWN);
    expect(validatorOf(other).counters).toMatchObject({
      chainRequests: 4,
      containers: BLOCKS + 1,
      appRequests: 0,
    });
  });
});
