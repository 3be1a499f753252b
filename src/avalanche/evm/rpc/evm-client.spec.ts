import { afterEach, describe, expect, it } from '@jest/globals';
import { numberToHex } from 'viem/utils';
import { assertChain } from '../blocks/block.js';
import type { BatchRpcClientOptions } from './batch-rpc-client.js';
import { EvmClient } from './evm-client.js';
import type { Hex } from './hex-values.js';
import { type RawBlock, addressFor, hashFor, rawBlock } from '../../../../sandbox/generated/evm-block.js';
import {
  type FakeEvmNode,
  type FakeMethod,
  FakeRpcError,
  startFakeEvmNode,
} from '../../../../test/support/evm/fake-evm-node.js';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const TIP = 300;

/** Blocks with none to two transactions. */
const CHAIN: readonly RawBlock[] = Array.from({ length: TIP + 1 }, (_, height) =>
  rawBlock(
    height,
    Array.from({ length: height % 3 }, () => ({ value: BigInt(height) })),
  ),
);

const RECEIPTS = new Map<unknown, object>(
  CHAIN.flatMap(({ receipts }) => receipts).map((receipt) => [receipt.transactionHash, receipt]),
);

const fail = (code: number, message: string) => () => {
  throw new FakeRpcError(code, message);
};

const METHODS: Readonly<Record<string, FakeMethod>> = {
  eth_chainId: () => '0xa86a',
  eth_blockNumber: () => numberToHex(TIP),
  eth_getBlockByNumber: ([height]) => {
    if (Number(height) > TIP) throw new FakeRpcError(-32000, 'cannot query unfinalized data');
    return CHAIN[Number(height)]?.block;
  },
  eth_getBlockReceipts: ([height]) => CHAIN[Number(height)]?.receipts ?? null,
  eth_getTransactionReceipt: ([hash]) => RECEIPTS.get(hash) ?? null,
};

async function start(
  methods: Readonly<Record<string, FakeMethod>> = {},
  options: Partial<BatchRpcClientOptions> = {},
): Promise<{ node: FakeEvmNode; client: EvmClient }> {
  const node = await startFakeEvmNode({ ...METHODS, ...methods });
  const client = EvmClient.connect({
    urls: [node.url],
    timeoutMs: 25_000,
    retryDelayMs: 1,
    maxRestMs: 100,
    ...options,
  });
  closers.push(
    () => client.close(),
    () => node.close(),
  );
  return { node, client };
}

const without = (method: string) => ({
  [method]: fail(-32601, `the method ${method} does not exist/is not available`),
});

describe(EvmClient.name, () => {
  it('reads the chain id and the tip', async () => {
    const { client } = await start();
    await expect(client.chainId()).resolves.toBe(43114n);
    await expect(client.blockNumber()).resolves.toBe(300n);
  });

  it.each<[string, FakeMethod]>([
    ['nothing', () => null],
    ['a number', () => 5],
    ['more than 64 bits', () => `0x1${'0'.repeat(16)}`],
    ['a megabyte of digits', () => `0x${'f'.repeat(1_000_000)}`],
  ])('refuses a tip that is %s', async (_, eth_blockNumber) => {
    const { client } = await start({ eth_blockNumber });
    await expect(client.blockNumber()).rejects.toMatchObject({
      code: 'NODE_BAD_RESPONSE',
      cause: { code: 'MALFORMED' },
    });
  });

  describe('getBlocks', () => {
    it('reads whole blocks in order, with two calls for each', async () => {
      const { node, client } = await start();
      const blocks = await client.getBlocks({ fromHeight: 0n, toHeight: 99n });
      expect(blocks.map(({ height }) => height)).toEqual(
        Array.from({ length: 100 }, (_, height) => BigInt(height)),
      );
      expect(blocks.map(({ transactions }) => transactions.length).slice(0, 4)).toEqual([0, 1, 2, 0]);
      expect(() => assertChain(blocks)).not.toThrow();
      expect(node.methods).toHaveLength(200);
    });

    it('reads every receipt by itself where the node has no others, and remembers that', async () => {
      const full = await (await start()).client.getBlocks({ fromHeight: 10n, toHeight: 40n });
      const { node, client } = await start(without('eth_getBlockReceipts'));
      await expect(client.getBlocks({ fromHeight: 10n, toHeight: 40n })).resolves.toEqual(full);
      node.methods.length = 0;
      await client.getBlocks({ fromHeight: 10n, toHeight: 12n });
      expect(new Set(node.methods)).toEqual(new Set(['eth_getBlockByNumber', 'eth_getTransactionReceipt']));
    });

    it.each([
      ['an error', METHODS],
      [
        'null',
        { eth_getBlockByNumber: ([height]: readonly unknown[]) => CHAIN[Number(height)]?.block ?? null },
      ],
    ])('ends at the tip, which the node signals by %s', async (_, methods) => {
      const { client } = await start(methods);
      const blocks = await client.getBlocks({ fromHeight: 290n, toHeight: 310n });
      expect(blocks.at(-1)?.height).toBe(300n);
      await expect(client.getBlocks({ fromHeight: 301n, toHeight: 310n })).resolves.toEqual([]);
    });

    it('ends before a block whose receipts are still to come', async () => {
      const { client } = await start({
        eth_getBlockReceipts: ([height]) => (Number(height) > 50 ? null : CHAIN[Number(height)]?.receipts),
      });
      const blocks = await client.getBlocks({ fromHeight: 45n, toHeight: 60n });
      expect(blocks.at(-1)?.height).toBe(50n);
    });

    it('reports that a block far below the tip is not there, instead of waiting for it', async () => {
      const { client } = await start({ eth_getBlockByNumber: () => null });
      await expect(client.getBlocks({ fromHeight: 7n, toHeight: 9n })).rejects.toMatchObject({
        code: 'BLOCK_UNAVAILABLE',
      });
      await expect(client.getBlockHeader({ height: 7n })).rejects.toMatchObject({
        code: 'BLOCK_UNAVAILABLE',
      });
      await expect(client.getBlockHeader({ height: 299n })).resolves.toBeUndefined();
    });

    it('refuses receipts of another block', async () => {
      const { client } = await start({
        eth_getBlockReceipts: ([height]) => CHAIN[Number(height) + 3]?.receipts,
      });
      await expect(client.getBlocks({ fromHeight: 1n, toHeight: 2n })).rejects.toMatchObject({
        code: 'RECEIPTS_MISMATCH',
      });
    });

    it('refuses a block of another height, and takes it from the next node', async () => {
      const liar = await startFakeEvmNode({ ...METHODS, eth_getBlockByNumber: () => CHAIN[9]?.block });
      const { node } = await start();
      closers.push(() => liar.close());
      const client = EvmClient.connect({ urls: [liar.url, node.url], timeoutMs: 25_000, retryDelayMs: 1 });
      closers.push(() => client.close());
      const [block] = await client.getBlocks({ fromHeight: 5n, toHeight: 5n });
      expect(block?.hash).toBe(hashFor(6));
    });

    it('refuses an impossible range', async () => {
      const { client } = await start();
      await expect(client.getBlocks({ fromHeight: -1n, toHeight: 1n })).rejects.toThrow(RangeError);
      await expect(client.getBlocks({ fromHeight: 0n, toHeight: 10n ** 9n })).rejects.toThrow(RangeError);
    });
  });

  it('reads headers of any heights, nothing for those to come', async () => {
    const { client } = await start();
    const headers = await client.getBlockHeaders({ heights: [7n, 301n, 2n] });
    expect(headers.map((header) => header?.timestampSeconds)).toEqual([
      1_700_000_014,
      undefined,
      1_700_000_004,
    ]);
  });

  describe('getLogs', () => {
    const LAG = 2;
    const topics = [hashFor(7)];
    const log = (data: Hex) => ({ address: addressFor(5), topics, data });
    const other = { address: addressFor(6), topics, data: '0x66' as const };
    const chain = Array.from({ length: TIP + 1 }, (_, height) =>
      rawBlock(height, [{}, { logs: [log('0x01'), other, log('0x02')] }]),
    );
    /** As nodes do: blocks that are not there are passed over. */
    const search = (tip: number) => {
      return ([filter]: readonly unknown[]) => {
        const { fromBlock, toBlock, address } = filter as Record<'fromBlock' | 'toBlock' | 'address', string>;
        return chain
          .slice(Number(fromBlock), Math.min(Number(toBlock), tip) + 1)
          .flatMap(({ block, receipts }) =>
            receipts.flatMap((receipt) =>
              (receipt['logs'] as ReturnType<typeof log>[])
                .filter((found) => found.address === address)
                .map((found) => ({ ...receipt, ...found, blockNumber: block['number'] })),
            ),
          );
      };
    };
    const methods = {
      eth_getBlockByNumber: ([height]: readonly unknown[]) => chain[Number(height)]?.block ?? null,
      eth_getBlockReceipts: ([height]: readonly unknown[]) => chain[Number(height)]?.receipts ?? null,
      eth_getLogs: search(TIP),
    };
    const filters = [{ address: addressFor(5), topics: [topics] }];

    const findAll = async (found: FakeMethod, { maxBatchSize = 200, from = 290n, to = 300n } = {}) => {
      const { node, client } = await start({ ...methods, eth_getLogs: found }, { maxBatchSize });
      const { first, last, logs } = await client.getLogs({ from, to, filters });
      expect([first.height, last.height]).toEqual([from, to]);
      return { node, found: logs.flat() };
    };

    it('takes the search for true that came in one answer with the blocks', async () => {
      const { node, found } = await findAll(search(TIP));
      expect(found).toHaveLength(22);
      expect(node.methods).toEqual([...Array<string>(3).fill('eth_getBlockByNumber'), 'eth_getLogs']);
    });

    it('has the logs of the newest blocks proved by their receipts where another node may have searched', async () => {
      const { found: expected } = await findAll(search(TIP));
      for (const from of [290n, 150n]) {
        const { found } = await findAll(search(TIP - LAG), { maxBatchSize: 1, from });
        expect(found.slice(-22)).toEqual(expected);
        expect(found).toHaveLength(2 * Number(301n - from));
      }
    });

    it('asks for no receipts of blocks that every node has', async () => {
      const { node, found } = await findAll(search(TIP), { maxBatchSize: 1, from: 100n, to: 171n });
      expect(found).toHaveLength(144);
      expect(node.methods).not.toContain('eth_getBlockReceipts');
    });

    it('waits for a node that is far behind the one that searched, instead of reading all blocks', async () => {
      const { node, client } = await start(
        { ...methods, eth_blockNumber: () => '0x20' },
        { maxBatchSize: 1 },
      );
      await expect(client.getLogs({ from: 100n, to: 300n, filters })).rejects.toMatchObject({
        code: 'BLOCK_UNAVAILABLE',
      });
      expect(node.methods).not.toContain('eth_getBlockReceipts');
    });

    it.each([
      ['the blocks', { eth_getBlockByNumber: () => null }],
      ['their logs', { eth_getLogs: fail(-32000, 'cannot query unfinalized data') }],
    ])('reports that a window is not there while the node does not report %s', async (_, late) => {
      const { client } = await start({ ...methods, ...late });
      await expect(client.getLogs({ from: 290n, to: 300n, filters })).rejects.toMatchObject({
        code: 'BLOCK_UNAVAILABLE',
      });
    });
  });

  describe('callContracts', () => {
    const to = addressFor(1);
    const data: Hex = '0x06fdde03';

    it('passes on what a contract returns, at the block that was asked for', async () => {
      const seen: unknown[] = [];
      const { client } = await start({ eth_call: (params) => (seen.push(params), '0x12') });
      await expect(client.call({ to, data, blockTag: 16n })).resolves.toEqual({
        status: 'returned',
        data: '0x12',
      });
      await client.call({ to, data });
      expect(seen).toEqual([
        [{ to, data }, '0x10'],
        [{ to, data }, 'latest'],
      ]);
    });

    it.each([
      [3, 'execution reverted: too many rate limits'],
      [-32000, 'execution reverted'],
      [-32000, 'out of gas'],
      [-32000, 'invalid opcode: INVALID'],
      [-32000, 'stack underflow (0 <=> 1)'],
      [-32015, 'VM execution error.'],
    ])('takes %s %s for the answer of the contract', async (code, message) => {
      const { client } = await start({ eth_call: fail(code, message) });
      await expect(client.call({ to, data })).resolves.toMatchObject({ status: 'failed' });
    });

    it.each([
      [-32000, 'missing trie node abc'],
      [-32000, 'header not found'],
      [-32601, 'the method eth_call does not exist/is not available'],
      [-32005, 'limit exceeded'],
      [-32603, 'internal error'],
    ])('rejects with %s %s, which is no finding about the contract', async (code, message) => {
      const { client } = await start({ eth_call: fail(code, message) });
      await expect(client.call({ to, data })).rejects.toMatchObject({ code: 'NODE_REJECTED', rpcCode: code });
    });

    it('treats an answer beyond our limit as a failure of that contract alone', async () => {
      const { client } = await start(
        {
          eth_call: ([call]) =>
            JSON.stringify(call).includes(addressFor(2)) ? `0x${'00'.repeat(50_000)}` : '0x12',
        },
        { maxResponseBytes: 20_000 },
      );
      const answers = await client.callContracts({
        calls: [1, 2, 3].map((seed) => ({ to: addressFor(seed), data })),
      });
      expect(answers.map(({ status }) => status)).toEqual(['returned', 'failed', 'returned']);
    });
  });

  describe('traceBlocks', () => {
    const TARGET = { height: 5n, transactions: [{ hash: hashFor(1) }] };
    const blocksOf = async (client: EvmClient) => client.getBlocks({ fromHeight: 5n, toHeight: 5n });
    const raw = rawBlock(5, [{}, {}]);
    const served = { eth_getBlockByNumber: () => raw.block, eth_getBlockReceipts: () => raw.receipts };
    const hashes = raw.block.transactions.map(({ hash }) => hash);

    it('passes on the frames of all transactions, in their order', async () => {
      const frames = [{ type: 'CALL' }, { type: 'CREATE' }];
      const seen: unknown[] = [];
      const { client } = await start({
        ...served,
        debug_traceBlockByNumber: (params) => {
          seen.push(params);
          return frames.map((result, index) => ({ txHash: hashes[index], result }));
        },
      });
      await expect(client.traceBlocks({ blocks: await blocksOf(client) })).resolves.toEqual([
        { status: 'traced', frames },
      ]);
      expect(seen).toEqual([['0x5', { tracer: 'callTracer' }]]);
    });

    it('reports that there is no trace when one of them cannot be traced, or the node has no tracer', async () => {
      const partly = [
        { txHash: hashes[0], result: {} },
        { txHash: hashes[1], error: 'execution timeout' },
      ];
      for (const method of [() => partly, fail(-32601, 'the method does not exist/is not available')]) {
        const { client } = await start({ ...served, debug_traceBlockByNumber: method });
        const [answer] = await client.traceBlocks({ blocks: await blocksOf(client) });
        expect(answer?.status).toBe('unavailable');
      }
    });

    it.each([
      ['traces of fewer transactions', () => [{ txHash: hashes[0], result: {} }]],
      ['traces in another order', () => [...hashes].reverse().map((txHash) => ({ txHash, result: {} }))],
      ['no frames', () => hashes.map((txHash) => ({ txHash }))],
      ['no block, though it told of it', fail(-32000, 'block #5 not found')],
    ])('rejects when the node has %s', async (_, method) => {
      const { client } = await start({ ...served, debug_traceBlockByNumber: method });
      const blocks = await blocksOf(client);
      await expect(client.traceBlocks({ blocks })).rejects.toMatchObject({
        code: expect.stringMatching(/^NODE_/),
      });
    });

    it('goes without a trace that takes the node too long, but not without the node', async () => {
      for (const isAway of [false, true]) {
        const { node, client } = await start({ ...served, eth_blockNumber: () => '0x5' }, { timeoutMs: 500 });
        const blocks = await blocksOf(client);
        node.misbehave = (requests) => isAway || requests.some(({ method }) => method.startsWith('debug'));
        const tracing = client.traceBlocks({ blocks });
        if (isAway) await expect(tracing).rejects.toMatchObject({ code: 'NODE_TIMED_OUT' });
        else await expect(tracing).resolves.toMatchObject([{ status: 'unavailable' }]);
      }
    });

    it.each([
      [-32601, 'the method debug_traceBlockByNumber does not exist/is not available'],
      [-32000, 'required historical state unavailable (reexec=128)'],
      [-32000, 'missing trie node abc'],
      [-32000, 'tracer not found'],
      [-32000, 'no persisted state found within 4096 blocks'],
      [-32603, 'method handler crashed'],
      [-32000, 'execution timeout'],
    ])('reports that there is no trace on %s %s', async (code, message) => {
      const { client } = await start({ debug_traceBlockByNumber: fail(code, message) });
      await expect(client.traceBlocks({ blocks: [TARGET] })).resolves.toEqual([
        { status: 'unavailable', reason: message },
      ]);
    });

    it('reports that there is no trace when the server forbids it', async () => {
      const { node, client } = await start();
      node.misbehave = (_, response) => (response.writeHead(403).end(), true);
      await expect(client.traceBlocks({ blocks: [TARGET] })).resolves.toEqual([
        { status: 'unavailable', reason: 'HTTP 403' },
      ]);
    });

    it('rejects when the node is only busy', async () => {
      const { client } = await start({ debug_traceBlockByNumber: fail(-32005, 'rate limit exceeded') });
      await expect(client.traceBlocks({ blocks: [TARGET] })).rejects.toMatchObject({ code: 'NODE_REJECTED' });
    });
  });

  describe('chainUpgrades', () => {
    it('reads the rules that the node reports', async () => {
      const { client } = await start({ eth_getChainConfig: () => ({ chainId: 1, durangoTimestamp: 7 }) });
      await expect(client.chainUpgrades()).resolves.toEqual({ minter: [], states: [], durangoSeconds: 7 });
    });

    it.each([
      ['has no such method', fail(-32601, 'the method eth_getChainConfig does not exist/is not available')],
      ['says something else', () => 'mainnet'],
    ])('finds nothing when the node %s', async (_, method) => {
      const { client } = await start({ eth_getChainConfig: method });
      await expect(client.chainUpgrades()).resolves.toBeUndefined();
    });

    it('rejects when the node is only busy', async () => {
      const { client } = await start({ eth_getChainConfig: fail(-32005, 'rate limit exceeded') });
      await expect(client.chainUpgrades()).rejects.toMatchObject({ code: 'NODE_REJECTED' });
    });
  });
});
