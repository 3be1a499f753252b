import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { ChainFollower, type FollowedChain } from './chain-follower.js';
import { type ChainNode, type NodeAtTip, NodePool } from './node-pool.js';

interface Position {
  readonly height: bigint;
}

/** An address: one node behind it reports its tip, another one gives blocks. */
class FakeNode implements ChainNode<Position> {
  readonly name = 'node 1';
  readonly host = 'api.example';
  tip = 10n;
  /** Highest block that it gives. */
  gives = 10n;

  getHeight(): Promise<bigint> {
    return Promise.resolve(this.tip);
  }

  findForeignBlock(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

class FakeChain implements FollowedChain<Position, FakeNode> {
  position = { height: 0n };

  open(): Promise<void> {
    return Promise.resolve();
  }

  forget(): void {
    // It is on no record.
  }

  /** The heights at which a stretch began, and at which the tables were put in order. */
  readonly hastened: bigint[] = [];
  readonly settled: bigint[] = [];
  /** On record, for all processes. */
  isUnsettled = false;

  hasten(): Promise<void> {
    this.hastened.push(this.position.height);
    this.isUnsettled = true;
    return Promise.resolve();
  }

  isSettled(): Promise<boolean> {
    return Promise.resolve(!this.isUnsettled);
  }

  settle(_: AbortSignal): Promise<void> {
    this.settled.push(this.position.height);
    this.isUnsettled = false;
    return Promise.resolve();
  }

  copy({ node, tip }: NodeAtTip<FakeNode>): Promise<void> {
    this.position = { height: node.gives < tip ? node.gives : tip };
    if (node.gives >= tip) return Promise.resolve();
    const rpcMessage = `couldn't get block at height ${node.gives + 1n}: not found`;
    const facts = { host: node.host, method: 'platform.getBlockByHeight', rpcCode: -32000, rpcMessage };
    return Promise.reject(new RpcError('NODE_REJECTED', rpcMessage, facts));
  }
}

describe(ChainFollower.name, () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** A second goes by whenever the node is asked for its tip. */
  const follow = () => {
    const node = new FakeNode();
    const chain = new FakeChain();
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const asked = jest.spyOn(node, 'getHeight').mockImplementation(() => {
      now += 1_000;
      return Promise.resolve(node.tip);
    });
    const warn = jest.fn();
    const follower = new ChainFollower(chain, new NodePool<Position, FakeNode>([node]), 1, warn);
    const advance = (durationMs: number) =>
      follower.advance({ durationMs, signal: new AbortController().signal, onProgress: () => undefined });
    return { node, chain, asked, warn, advance };
  };

  it('looks again for a block that was announced and is not there yet', async () => {
    const { node, asked, warn, advance } = follow();
    for (const tip of [11n, 12n, 13n]) {
      node.tip = tip;
      asked.mockClear();
      await expect(advance(20_000)).resolves.toMatchObject({ state: 'running', height: tip - 1n, tip });
      expect(asked.mock.calls.length).toBeGreaterThan(10);
      node.gives = tip;
    }
    await expect(advance(1_000)).resolves.toMatchObject({ height: 13n });
    expect(warn).not.toHaveBeenCalled();
  });

  it('puts the tables in order once when it has come to the tip by many blocks, and not for each new one', async () => {
    const { node, chain, advance } = follow();
    const tips = [60_000n, 60_001n, 60_002n, 120_000n, 120_001n];
    for (const tip of tips) {
      node.tip = node.gives = tip;
      await advance(3_000);
    }
    expect(chain.settled).toEqual([60_000n, 120_000n]);
  });

  it('lets the order of the tables wait once many blocks have come and more are to come', async () => {
    const { node, chain, advance } = follow();
    node.tip = 200_000n;
    for (const gives of [40_000n, 80_000n, 120_000n, 200_000n, 200_000n]) {
      node.gives = gives;
      await advance(3_000);
    }
    expect(chain.hastened).toEqual([80_000n]);
    expect(chain.settled).toEqual([200_000n]);
  });

  it('does no more for a chain whose node announces many blocks that it does not give', async () => {
    const { node, chain, advance } = follow();
    for (const tip of [1_000_000n, 10n, 1_000_000n, 10n]) {
      node.tip = tip;
      await advance(3_000);
    }
    expect(chain.position.height).toBe(10n);
    expect([...chain.hastened, ...chain.settled]).toEqual([]);
  });

  it('puts the tables in order that a process has left which ended before it was at the tip', async () => {
    const { node, chain, advance } = follow();
    chain.isUnsettled = true;
    for (const tip of [10n, 11n]) {
      node.tip = node.gives = tip;
      await advance(3_000);
    }
    expect(chain.hastened).toEqual([]);
    expect(chain.settled).toEqual([10n]);
    chain.isUnsettled = true; // by a process that had taken over meanwhile
    await advance(3_000);
    expect(chain.settled).toEqual([10n, 11n]);
  });

  it('goes on, and puts the tables in order at the tip, where they cannot be prepared for many blocks', async () => {
    const { node, chain, warn, advance } = follow();
    jest.spyOn(chain, 'hasten').mockRejectedValue(new Error('must be owner of table'));
    node.tip = 60_000n;
    for (const gives of [55_000n, 60_000n]) {
      node.gives = gives;
      await advance(3_000);
    }
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('must be owner of table'));
    expect(chain.settled).toEqual([60_000n]);
  });

  it('takes new blocks while the tables are put in order, and begins with that again where it was cut off', async () => {
    const { node, chain, warn, advance } = follow();
    const isCutOff: boolean[] = [];
    const settle = jest.spyOn(chain, 'settle').mockImplementation(async (signal) => {
      node.tip = node.gives = 60_001n;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      isCutOff.push(chain.position.height === 60_001n);
      throw new Error('canceled');
    });
    node.tip = node.gives = 60_000n;
    await advance(5_000);
    await advance(5_000);
    expect(isCutOff).toEqual([true, true]);
    expect(warn).not.toHaveBeenCalled();
    settle.mockRestore();
    await advance(3_000);
    await advance(3_000);
    expect(chain.settled).toEqual([60_001n]);
  });

  it('fails when no node ever gives the block', async () => {
    const { node, advance } = follow();
    node.tip = 11n;
    await expect(advance(20_000)).resolves.toMatchObject({ height: 10n });
    await expect(advance(20_000)).rejects.toMatchObject({
      code: 'NO_USABLE_NODE',
      message: expect.stringContaining('block at height 11: not found'),
    });
  });
});
