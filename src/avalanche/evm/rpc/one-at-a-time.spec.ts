import { afterEach, describe, expect, it } from '@jest/globals';
import { type FakeEvmNode, startFakeEvmNode } from '../../../../test/support/evm/fake-evm-node.js';
import { BatchRpcClient } from './batch-rpc-client.js';
import { OneAtATime } from './one-at-a-time.js';

const READING_MS = 2;

describe(OneAtATime.name, () => {
  let node: FakeEvmNode | undefined;

  afterEach(() => node?.close());

  it('lets each begin when all before it have ended', async () => {
    const seen: string[] = [];
    const order = new OneAtATime();
    const run = async (name: string): Promise<void> => {
      const end = await order.begin();
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      end();
    };
    await Promise.all([run('first'), run('second'), run('third')]);
    expect(seen).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it("has a client's answers read one after the other, while others get their turn", async () => {
    node = await startFakeEvmNode({ echo: ([value]) => value });
    const client = new BatchRpcClient({ urls: [node.url], timeoutMs: 25_000, concurrency: 2 });
    const read: number[] = [];
    let turns = 0;
    const parse = (result: unknown): void => {
      setImmediate(() => (turns += 1));
      for (const until = performance.now() + READING_MS; performance.now() < until;);
      read.push(Number(result));
    };
    const values = Array.from({ length: 40 }, (_, value) => value);
    const turnsAtEnd = await client
      .callMany(values.map((value) => ({ method: 'echo', params: [value], parse })))
      .then(() => turns);
    client.close();
    expect(node.batchSizes).toEqual([20, 20]);
    const [first, second] = [values.slice(0, 20), values.slice(20)];
    expect([[...first, ...second].join(), [...second, ...first].join()]).toContain(read.join());
    expect(turnsAtEnd).toBeGreaterThanOrEqual(36);
  });
});
