import { describe, expect, it } from '@jest/globals';
import type { KnownStake } from '../../../avalanche/chain-sync/acceptance.js';
import { parseBlockLink } from '../../../avalanche/platformvm/codec/block.js';
import {
  InMemoryChain,
  InMemoryNodes,
  type Misconduct,
} from '../../../../test/support/chain-sync/in-memory-chain.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import type { Id } from '../../../avalanche/platformvm/ids.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { AcceptedChain } from './accepted-chain.js';

const LENGTH = 45_000;
const chain = new InMemoryChain(LENGTH);
const other = new InMemoryChain(LENGTH, 1n);
const signal = new AbortController().signal;

/** A chain read from these nodes; by default all of them are bootstrappers, and nothing is known of the stake. */
function read(nodes: InMemoryNodes, stake?: KnownStake, checkpoints: readonly Id[] = []) {
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const accepted = new AcceptedChain(
    nodes,
    { chainId: new Uint8Array(32), linkOf: parseBlockLink, checkpoints },
    {
      bootstrappers: nodes.nodeIds,
      stake: async () => stake,
      logger: { debug: ignore, log: ignore, warn: (text) => warnings.push(text) },
    },
  );
  const fetch = async (from: number, to: number): Promise<Uint8Array[]> => {
    const blocks: Uint8Array[] = [];
    for await (const block of accepted.fetch(BigInt(from), BigInt(to), signal)) blocks.push(block);
    return blocks;
  };
  return { accepted, fetch, warnings };
}

const isSame = (a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean =>
  a.length === b.length && a.every((bytes, i) => Buffer.compare(bytes, b[i]!) === 0);

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Does so to answers of containers only. */
const onContainers =
  (change: (containers: readonly Uint8Array[]) => readonly Uint8Array[]): Misconduct =>
  (question, honest) =>
    question.kind === 'getAncestors' ? change(honest as readonly Uint8Array[]) : honest;

const flipped = (bytes: Uint8Array): Uint8Array => {
  const copy = bytes.slice();
  copy[copy.length - 1]! ^= 1;
  return copy;
};

describe(AcceptedChain.name, () => {
  it('reads every block in order, asking no node twice at a time', async () => {
    const nodes = new InMemoryNodes(chain, 24);
    const { accepted, fetch, warnings } = read(nodes);
    expect(await accepted.getHeight(signal)).toBe(BigInt(LENGTH - 1));
    expect(isSame(await fetch(0, LENGTH - 1), chain.blocks)).toBe(true);
    expect(nodes.mostAtOnce).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('fetches little more than the blocks themselves', async () => {
    const nodes = new InMemoryNodes(chain, 24);
    await read(nodes).fetch(0, LENGTH - 1);
    const sent = nodes.asked.filter(({ question }) => question.kind === 'getAncestors').length * 2_000;
    expect(sent).toBeLessThan(1.1 * LENGTH);
  });

  it('asks for the last few blocks one by one', async () => {
    const nodes = new InMemoryNodes(chain, 24);
    const { accepted, fetch } = read(nodes);
    await accepted.getHeight(signal);
    expect(isSame(await fetch(LENGTH - 4, LENGTH - 1), chain.blocks.slice(-4))).toBe(true);
    expect(nodes.asked.some(({ question }) => question.kind === 'getAncestors')).toBe(false);
  });

  it('asks nobody again for a segment in the middle of which its reader has ended', async () => {
    const nodes = new InMemoryNodes(chain, 24);
    const { accepted, fetch } = read(nodes);
    for await (const block of accepted.fetch(100n, 9_999n, signal)) {
      if (block === chain.blocks[150]) break;
    }
    const asked = nodes.asked.length;
    expect(isSame(await fetch(151, 9_999), chain.blocks.slice(151, 10_000))).toBe(true);
    expect(nodes.asked.length).toBe(asked);
  });

  it.each([
    { where: 'before it', from: 50, to: 700 },
    { where: 'behind it', from: 10_000, to: 10_100 },
    { where: 'in the middle of it and ends beyond', from: 300, to: 20_500 },
    { where: 'in the middle of it and ends there, too', from: 300, to: 400 },
  ])('reads what is wanted when the next reader begins $where', async ({ from, to }) => {
    const { accepted, fetch } = read(new InMemoryNodes(chain, 24));
    for await (const block of accepted.fetch(100n, 9_999n, signal)) {
      if (block === chain.blocks[150]) break;
    }
    expect(isSame(await fetch(from, to), chain.blocks.slice(from, to + 1))).toBe(true);
  });

  it('reads from nodes that send a few at a time', async () => {
    const nodes = new InMemoryNodes(chain, 5, 3);
    expect(isSame(await read(nodes).fetch(100, 700), chain.blocks.slice(100, 701))).toBe(true);
  });

  it.each<{ id: string; misconduct: Misconduct; isNamed: boolean }>([
    { id: 'say nothing', misconduct: () => undefined, isNamed: false },
    { id: 'have no blocks', misconduct: onContainers(() => []), isNamed: false },
    { id: 'forge blocks', misconduct: onContainers((blocks) => blocks.map(flipped)), isNamed: true },
    {
      id: 'break the line in the middle',
      misconduct: onContainers((blocks) => [...blocks.slice(0, 2), flipped(blocks[0]!), ...blocks.slice(2)]),
      isNamed: false,
    },
    {
      id: 'send what is no block',
      misconduct: onContainers(() => [Uint8Array.of(1, 2, 3)]),
      isNamed: true,
    },
    {
      id: 'name blocks of another chain',
      misconduct: (question, honest) =>
        question.kind === 'pullQuery' ? other.answer(question, 2_000) : honest,
      isNamed: true,
    },
    {
      id: 'name another height',
      misconduct: (question, honest) =>
        question.kind === 'pullQuery'
          ? { acceptedId: chain.outerId(7), acceptedHeight: 1_000_000n, idAtHeight: chain.outerId(8) }
          : honest,
      isNamed: true,
    },
    {
      id: 'send ids that are none',
      misconduct: (question, honest) =>
        question.kind === 'pullQuery'
          ? { acceptedId: new Uint8Array(3), acceptedHeight: 1_000_000n, idAtHeight: new Uint8Array(3) }
          : honest,
      isNamed: true,
    },
  ])('goes on, and writes nothing wrong, when some nodes $id', async ({ misconduct, isNamed }) => {
    const nodes = new InMemoryNodes(chain, 24);
    nodes.misbehave(7, misconduct);
    const { accepted, fetch, warnings } = read(nodes);
    expect(isSame(await fetch(0, LENGTH - 1), chain.blocks)).toBe(true);
    // So many that the liars are asked, too.
    const heights = Array.from({ length: 60 }, (_, i) => 700 * i);
    const found = await Promise.all(heights.map((height) => accepted.getBlock(BigInt(height), signal)));
    expect(
      isSame(
        found,
        heights.map((height) => chain.blocks[height]!),
      ),
    ).toBe(true);
    const liars = nodes.nodeIds.slice(0, 7);
    expect(warnings.every((text) => liars.some((nodeId) => text.startsWith(nodeId)))).toBe(true);
    expect(warnings.length > 0).toBe(isNamed);
  });

  it('believes no tip that a third of the bootstrappers has not accepted', async () => {
    const nodes = new InMemoryNodes(chain, 24);
    nodes.misbehave(24, (question) => other.answer(question, 2_000));
    for (const nodeId of nodes.nodeIds.slice(15)) nodes.misconducts.delete(nodeId);
    const { accepted } = read(nodes);
    // Fifteen of twenty-four invent a chain: one less than is required.
    for (let i = 0; i < 20; i++) {
      await expect(accepted.getHeight(signal)).rejects.toMatchObject({
        code: expect.stringMatching(/^(NOT_ACCEPTED|NOT_SERVED)$/),
      });
    }
  });

  it('counts bootstrappers that are away as if they denied it', async () => {
    const nodes = new InMemoryNodes(chain, 24);
    for (const nodeId of nodes.nodeIds.slice(0, 9)) nodes.away.add(nodeId);
    await expect(read(nodes).accepted.getHeight(signal)).rejects.toMatchObject({ code: 'TOO_FEW_VOTES' });
    nodes.away.delete(nodes.nodeIds[0]!);
    expect(await read(nodes).accepted.getHeight(signal)).toBe(BigInt(LENGTH - 1));
  });

  it('believes nothing while nobody is known who could decide', async () => {
    const nodes = new InMemoryNodes(chain, 24);
    const { accepted } = read(nodes, { time: nowSeconds(), electors: [] });
    await expect(accepted.getHeight(signal)).rejects.toMatchObject({ code: 'TOO_FEW_VOTES' });
  });

  it('asks the stake instead of the bootstrappers when it is known well enough', async () => {
    const nodes = new InMemoryNodes(chain, 24);
    const [heavy = '', ...light] = nodes.nodeIds;
    const electors = [{ nodeId: heavy, weight: 70n }, ...light.map((nodeId) => ({ nodeId, weight: 1n }))];
    for (const nodeId of light) {
      nodes.misconducts.set(nodeId, (question, honest) => (question.kind === 'getAccepted' ? [] : honest));
    }
    const recent = read(nodes, { time: nowSeconds() - 3_600, electors });
    expect(await recent.accepted.getHeight(signal)).toBe(BigInt(LENGTH - 1));
    const old = read(nodes, { time: nowSeconds() - 49 * 3_600, electors });
    await expect(old.accepted.getHeight(signal)).rejects.toMatchObject({ code: 'NOT_ACCEPTED' });
  });

  describe('with checkpoints', () => {
    const checkpointsOf = (of: InMemoryChain): Id[] =>
      [31_000, 7, 44_000].map((height) => toHex(of.outerId(height)));

    it('asks for each of them once', async () => {
      const nodes = new InMemoryNodes(chain, 24);
      const { fetch } = read(nodes, undefined, checkpointsOf(chain));
      expect(isSame(await fetch(0, LENGTH - 1), chain.blocks)).toBe(true);
      await fetch(LENGTH - 5, LENGTH - 1);
      const asked = nodes.asked.flatMap(({ question }) =>
        question.kind === 'get' ? [toHex(question.containerId)] : [],
      );
      for (const id of checkpointsOf(chain)) expect(asked.filter((each) => each === id)).toHaveLength(1);
    });

    it('refuses a chain that does not have them, whoever confirms it', async () => {
      const nodes = new InMemoryNodes(chain, 24);
      nodes.misbehave(20, (question) => other.answer(question, 2_000));
      const { fetch } = read(nodes, undefined, checkpointsOf(chain));
      await expect(fetch(0, LENGTH - 1)).rejects.toThrow('block 7 is another than');
    });

    it('refuses a chain that ends before the last of them', async () => {
      const longer = new InMemoryChain(LENGTH + 10);
      const nodes = new InMemoryNodes(longer, 24);
      nodes.misbehave(20, (question) => chain.answer(question, 2_000));
      const { accepted, fetch } = read(nodes, undefined, [toHex(longer.outerId(LENGTH + 5))]);
      const height = (): Promise<bigint | undefined> => accepted.getHeight(signal).catch(() => undefined);
      await eventually('the shorter chain', async () => (await height()) === BigInt(LENGTH - 1));
      await expect(fetch(0, LENGTH - 1)).rejects.toThrow(`ends before checkpoint ${LENGTH + 5}`);
    });
  });

  it('reads a segment in halves that is too large for memory', async () => {
    const large = new Uint8Array(1_000_000);
    const nodes = new InMemoryNodes(chain, 24);
    const accepted = new AcceptedChain(
      nodes,
      {
        chainId: new Uint8Array(32),
        // As if each block had a megabyte behind what is hashed.
        checkpoints: [],
        linkOf: (block) => parseBlockLink(block.length > large.length ? block.subarray(large.length) : block),
      },
      {
        bootstrappers: nodes.nodeIds,
        stake: async () => undefined,
        logger: { debug: () => undefined, log: () => undefined, warn: () => undefined },
      },
    );
    nodes.misbehave(24, (question, honest) =>
      question.kind === 'getAncestors'
        ? (honest as Uint8Array[]).slice(0, 2).map((block) => Buffer.concat([large, block]))
        : honest,
    );
    const heights: bigint[] = [];
    for await (const block of accepted.fetch(1n, 99n, signal)) {
      heights.push(parseBlockLink(block.length > large.length ? block.subarray(large.length) : block).height);
    }
    expect(heights).toEqual(Array.from({ length: 99 }, (_, i) => BigInt(i + 1)));
  });

  it('knows a block of any height by its place', async () => {
    const { accepted } = read(new InMemoryNodes(chain, 24));
    const block = await accepted.getBlock(12_345n, signal);
    expect(parseBlockLink(block)).toEqual({
      id: chain.innerId(12_345),
      parentId: chain.innerId(12_344),
      height: 12_345n,
    });
  });
});
