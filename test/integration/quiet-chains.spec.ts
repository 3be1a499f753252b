import { beforeAll, describe, expect, it } from '@jest/globals';
import { QuietChains } from '../../src/exports/turns/quiet-chains.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { NodeBehaviourInput } from '../../sandbox/node-behaviour.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { setTip, startEvmChain, TEST_CHAIN } from '../support/evm/evm-index.js';
import { createEvmChains } from '../support/exports/export-run.js';
import { pChainAt } from '../support/sandbox/p-chain-time.js';

const TIP = 9n;
const HOUR = 3_600;

describe(QuietChains.name, () => {
  let node: Sandbox;
  let stuck: Sandbox;

  beforeAll(async () => {
    const blocks = generateEvmChain({ blocks: Number(TIP) + 1, seed: 1, transactions: 1 });
    node = await startEvmChain(blocks);
    stuck = await startEvmChain(blocks);
    stuck.setNodeBehaviour(pChainAt(100));
  });

  /** How many seconds before now; of a P-chain's own time that time. */
  const quietFor = async (
    behaviour: NodeBehaviourInput,
    { urls = [node.cChainUrl], height = TIP } = {},
  ): Promise<number> => {
    const [chain] = createEvmChains([{ ...TEST_CHAIN, rpcUrls: urls }]).all();
    if (chain === undefined) throw new Error('no chain');
    node.setNodeBehaviour(behaviour);
    try {
      const until = await new QuietChains(createEvmChains([chain])).until(chain, height);
      return until;
    } finally {
      node.setNodeBehaviour({});
    }
  };

  const secondsAgo = (until: number): number => Math.round((Date.now() / 1000 - until) / 60) * 60;

  it('knows it until ten minutes ago from a node whose P-chain is at work', async () => {
    expect(secondsAgo(await quietFor({}))).toBe(HOUR / 6);
    // A time to come proves nothing.
    expect(secondsAgo(await quietFor(pChainAt(Date.now() / 1000 + 9 * HOUR)))).toBe(HOUR / 6);
  });

  it('knows it until an hour ago where no P-chain is served', async () => {
    expect(secondsAgo(await quietFor({ without: ['platform'] }))).toBe(HOUR);
    expect(secondsAgo(await quietFor({ without: ['platform.getTimestamp'] }))).toBe(HOUR);
  });

  it('knows it until the P-chain of a node stood still', async () => {
    expect(await quietFor(pChainAt(1_000))).toBe(1_000);
  });

  it.each<[string, NodeBehaviourInput]>([
    ['is away', { failEvery: 1 }],
    ['is of another chain', { answers: { eth_chainId: '0x1' } }],
    ['has a P-chain without a time', { answers: { 'platform.getTimestamp': { timestamp: 'now' } } }],
    ['answers nonsense for its tip', { answers: { eth_blockNumber: 'x' } }],
  ])('learns nothing from a node that %s', async (_, behaviour) => {
    expect(await quietFor(behaviour)).toBe(0);
  });

  it('learns nothing from a node with another newest block', async () => {
    expect(await quietFor({}, { height: TIP + 1n })).toBe(0);
    setTip(node, Number(TIP) - 1);
    expect(await quietFor({})).toBe(0);
    node.setCChainBehaviour({ kind: 'honest' });
  });

  it('believes no node while another one has a newer block', async () => {
    const urls = [stuck.cChainUrl, node.cChainUrl];
    setTip(stuck, Number(TIP) - 1);
    expect(await quietFor({}, { urls, height: TIP - 1n })).toBe(0);
    expect(await quietFor({}, { urls: urls.slice(0, 1), height: TIP - 1n })).toBe(100);
    stuck.setCChainBehaviour({ kind: 'honest' });
  });

  it('believes whichever node proves most', async () => {
    const urls = [stuck.cChainUrl, node.cChainUrl];
    expect(secondsAgo(await quietFor({}, { urls }))).toBe(HOUR / 6);
    expect(await quietFor({ failEvery: 1 }, { urls })).toBe(100);
  });
});
