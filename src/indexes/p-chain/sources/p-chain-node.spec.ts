import { describe, expect, it, jest } from '@jest/globals';
import { JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { localGenesis, PChainGenerator } from '../../../../sandbox/generated/p-chain-generator.js';
import { onCleanup } from '../../../../test/support/harness/cleanup.js';
import { startPChain, WITHOUT_INDEX_API } from '../../../../test/support/p-chain/p-chain-index.js';
import { PChainNode } from './p-chain-node.js';

const BLOCKS = 90;
const MINUTE_MS = 60_000;

describe(PChainNode.name, () => {
  it('asks block by block where a node has no index, and for its index again minutes later', async () => {
    const blocks = new PChainGenerator(await localGenesis()).take(BLOCKS);
    const sandbox = await startPChain(blocks);
    const rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 });
    onCleanup(() => rpc.close());
    const asked: string[] = [];
    const call = rpc.call.bind(rpc);
    jest.spyOn(rpc, 'call').mockImplementation((request) => {
      asked.push(request.method);
      return call(request);
    });
    const logged: string[] = [];
    const node = new PChainNode(rpc, { concurrency: 4 }, (text) => logged.push(text));
    const { signal } = new AbortController();
    const genesis = await node.getBlock(0n, signal);
    const methodsOfReading = async (): Promise<string[]> => {
      asked.length = 0;
      const heights: bigint[] = [];
      const after = { height: 0n, blockId: genesis.id };
      for await (const { height } of node.readBlocks(after, BigInt(BLOCKS - 1), signal)) heights.push(height);
      expect(heights).toEqual(Array.from({ length: BLOCKS - 1 }, (_, index) => BigInt(index + 1)));
      return [...new Set(asked)];
    };
    const now = performance.now.bind(performance);
    let later = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
    onCleanup(() => clock.mockRestore());

    expect(await methodsOfReading()).toEqual(['index.getContainerRange', 'platform.getBlockByHeight']);
    expect(logged).toEqual([expect.stringContaining('has no index of P-chain blocks')]);

    sandbox.setNodeBehaviour({});
    later = 9 * MINUTE_MS;
    expect(await methodsOfReading()).toEqual(['platform.getBlockByHeight']);

    later = 11 * MINUTE_MS;
    expect(await methodsOfReading()).toEqual(['index.getContainerRange']);

    sandbox.setNodeBehaviour(WITHOUT_INDEX_API);
    expect(await methodsOfReading()).toEqual(['index.getContainerRange', 'platform.getBlockByHeight']);
  });
});
