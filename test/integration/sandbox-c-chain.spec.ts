import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { assertChain } from '../../src/avalanche/evm/blocks/block.js';
import { EvmClient } from '../../src/avalanche/evm/rpc/evm-client.js';
import { EvmError } from '../../src/avalanche/evm/evm.error.js';
import { readMovements } from '../../src/avalanche/evm/transfers/movement-reader.js';
import { RpcError } from '../../src/avalanche/rpc/rpc.error.js';
import { parseEvmChains } from '../../src/platform/evm-chains/evm-chain.js';
import { proveChain } from '../../src/platform/evm-chains/foreign-chain.js';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/sandbox.js';
import { askEvmChain, makeQuestions } from '../support/evm/evm-questions.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const recording = defaultCChainRecording();
const tip = BigInt(recording.blocks.length - 1);

const UNKNOWN_HASH = `0x${'0'.repeat(64)}`;
const NOBODY = '0x00000000000000000000000000000000000000fe';
const CALL_TRACER = { tracer: 'callTracer' };

const call = (method: string, params: unknown = []): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0, ...options });
  closers.push(() => sandbox.stop());
  return sandbox;
}

function connect({ url, cChainId }: Sandbox, timeoutMs = NODE_PATIENCE_MS): EvmClient {
  const client = EvmClient.connect({
    urls: [`${url}/ext/bc/${cChainId}/rpc`],
    timeoutMs,
    retryDelayMs: 1,
  });
  closers.push(() => client.close());
  return client;
}

const readAll = (client: EvmClient, toHeight = tip) =>
  readMovements({ client, traces: 'auto', fromHeight: 0n, toHeight });

/** Answer of `POST /sandbox/c-chain`. */
async function behave({ url }: Sandbox, behaviour: object): Promise<number> {
  const response = await fetch(`${url}/sandbox/c-chain`, {
    method: 'POST',
    body: JSON.stringify(behaviour),
    headers: { 'content-type': 'application/json' },
  });
  await response.arrayBuffer();
  return response.status;
}

const codeOf = (reading: Promise<unknown>): Promise<unknown> =>
  reading.then(
    () => 'no error',
    (error: unknown) => (error instanceof EvmError || error instanceof RpcError ? error.code : error),
  );

describe("the sandbox's C-chain", () => {
  it('is one chain, under its alias and its blockchain id', async () => {
    const sandbox = await start();
    const blocks = (await readAll(connect(sandbox))).map(({ block }) => block);
    expect(blocks).toHaveLength(recording.blocks.length);
    assertChain(blocks);
    expect(sandbox.cChainId).toBe(recording.blockchainId);
    const [question = ''] = makeQuestions(recording);
    expect(await askEvmChain(sandbox.url, question)).toMatchObject({ content: { result: '0xa868' } });
  });

  it('searches for logs as it shows them in receipts', async () => {
    const sandbox = await start();
    const client = connect(sandbox);
    const blocks = (await readAll(client)).map(({ block }) => block);
    const logs = blocks.flatMap(({ height, transactions }) =>
      transactions.flatMap((transaction) =>
        transaction.logs.filter(({ topics }) => topics.length > 0).map((log) => ({ height, ...log })),
      ),
    );
    const last = logs.at(-1);
    if (last === undefined) throw new Error('the recording has no logs');
    const [address, topics] = [last.address, last.topics.slice(0, 1)];
    const [from, to] = [0n, BigInt(blocks.length - 1)];
    const filters = [
      { address: undefined, topics: [[...new Set(logs.flatMap((log) => log.topics.slice(0, 1)))]] },
      { address, topics: [topics] },
      { address, topics: [[`0x${'ab'.repeat(32)}` as const]] },
    ];
    const window = await client.getLogs({ from, to, filters });
    const [all, some, none] = window.logs.map((found) =>
      found.map(({ height, address, topics, data, index }) => ({ height, address, topics, data, index })),
    );
    expect(all).toEqual(logs);
    expect(some).toEqual(logs.filter((log) => log.address === address && log.topics[0] === topics[0]));
    expect(none).toEqual([]);
  });

  it('describes itself so that an export can be asked for', async () => {
    const sandbox = await start();
    const description = z
      .object({
        cChain: z.object({
          chainId: z.string(),
          firstDate: z.iso.date(),
          lastDate: z.iso.date(),
          addresses: z.array(z.object({ address: z.string(), what: z.string() })),
        }),
      })
      .parse(await (await fetch(`${sandbox.url}/sandbox`)).json());
    const { chainId, firstDate, lastDate, addresses } = description.cChain;
    expect(chainId).toBe('43112');
    const blocks = (await readAll(connect(sandbox))).slice(1);
    const dates = blocks.map(({ block }) =>
      new Date(block.timestampSeconds * 1000).toISOString().slice(0, 10),
    );
    expect([firstDate, lastDate]).toEqual([dates[0], dates.at(-1)]);
    const movements = blocks.flatMap((block) => block.movements);
    const silent = addresses.filter(
      ({ address }) =>
        !movements.some(({ from, to, contract }) => [from, to, contract].includes(toHex(address))),
    );
    expect(silent).toEqual([]);
  });

  it('has an L1 beside it, and both report that they are the blockchains that are configured', async () => {
    const { url } = await start();
    const networks = [{ name: 'fuji', nodeUrls: [url], sandbox: true }] as const;
    const chains = parseEvmChains(readFileSync('config/evm-chains.json', 'utf8'), { networks, env: {} });
    expect(chains.map(({ chainId }) => chainId)).toEqual([43112n, 54321n]);
    for (const chain of chains) {
      const client = EvmClient.connect({ urls: chain.rpcUrls, timeoutMs: NODE_PATIENCE_MS });
      closers.push(() => client.close());
      expect(await proveChain(client, chain, {})).toEqual({ foreign: undefined, isVerified: true });
      expect(await client.chainUpgrades()).toBeDefined();
    }
  });

  it('is left out where the P-chain is another one', async () => {
    const sandbox = await start({ recording: null });
    const response = await fetch(`${sandbox.url}/ext/bc/C/rpc`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
    expect(() => sandbox.setCChainBehaviour({ kind: 'empty' })).toThrow(RangeError);
    expect(await behave(sandbox, { kind: 'empty' })).toBe(400);
  });

  it.each([
    ['garbage', { kind: 'garbage' }, 'NODE_BAD_RESPONSE'],
    ['receipts of other blocks', { kind: 'garbage', form: 'receipts' }, 'RECEIPTS_MISMATCH'],
    ['too many requests', { kind: 'tooManyRequests', retryAfterSeconds: 0 }, 'NODE_UNREACHABLE'],
    ['no answer', { kind: 'timeout' }, 'NODE_TIMED_OUT'],
  ])('fails on demand: %s', async (_name, behaviour, code) => {
    const sandbox = await start();
    const client = connect(sandbox, behaviour.kind === 'timeout' ? 50 : NODE_PATIENCE_MS);
    expect(await behave(sandbox, behaviour)).toBe(200);
    expect(await codeOf(client.getBlocks({ fromHeight: 2n, toHeight: 3n }))).toBe(code);
    expect(await behave(sandbox, { kind: 'honest' })).toBe(200);
    expect(await readAll(connect(sandbox))).toHaveLength(recording.blocks.length);
  });

  /** As a real node does, which test/localnet/c-chain.spec.ts asks the same and more. */
  it.each([
    ['{bad', { id: null, error: { code: -32700, message: 'parse error' } }],
    ['5', { id: null, error: { code: -32600, message: 'invalid request' } }],
    ['[]', { id: null, error: { code: -32600, message: 'empty batch' } }],
    [
      call('foo_bar'),
      { error: { code: -32601, message: 'the method foo_bar does not exist/is not available' } },
    ],
    [call('eth_chainId', {}), { error: { code: -32602, message: 'non-array args' } }],
    [call('eth_blockNumber', [1]), { error: { message: 'too many arguments, want at most 0' } }],
    [call('eth_getBlockByNumber', ['0x1']), { error: { message: 'missing value for required argument 1' } }],
    [call('eth_getBlockByNumber', ['0xff', true]), { result: null }],
    [
      call('debug_traceBlockByNumber', ['0xff', CALL_TRACER]),
      { error: { message: 'block not found: not accepted yet: block 255' } },
    ],
    [call('eth_getBlockReceipts', ['0xff']), { result: null }],
    [call('eth_getBlockReceipts', ['0x0']), { result: [] }],
    [call('eth_getTransactionReceipt', [UNKNOWN_HASH]), { result: null }],
    [
      call('debug_traceBlockByNumber', ['0x0', CALL_TRACER]),
      { error: { message: 'genesis is not traceable' } },
    ],
    [
      call('debug_traceTransaction', [UNKNOWN_HASH, CALL_TRACER]),
      { error: { message: 'transaction not found' } },
    ],
    [call('eth_call', [{ to: NOBODY, data: '0x06fdde03' }, 'latest']), { result: '0x' }],
    [call('eth_getBalance', [NOBODY, 'latest']), { result: '0x0' }],
    [
      `[${call('eth_chainId')},{"jsonrpc":"2.0","method":"eth_chainId"},5]`,
      [
        { id: 1, result: '0xa868' },
        { id: null, error: { code: -32600, message: 'invalid request' } },
      ],
    ],
  ])('answers %s', async (body, content) => {
    expect(await askEvmChain((await start()).url, body)).toMatchObject({ status: 200, content });
  });

  it('grows as far as requested', async () => {
    const sandbox = await start();
    const client = connect(sandbox);
    sandbox.setCChainBehaviour({ kind: 'empty' });
    expect(await client.blockNumber()).toBe(0n);
    for (const height of [3, 7]) {
      sandbox.setCChainBehaviour({ kind: 'tip', height });
      expect(await client.blockNumber()).toBe(BigInt(height));
      expect(await readAll(client)).toHaveLength(height + 1);
    }
    sandbox.setCChainBehaviour({ kind: 'tip', height: 1_000_000 });
    expect(await client.blockNumber()).toBe(tip);
  });

  it('answers without a tracer when it has none', async () => {
    const sandbox = await start();
    sandbox.setCChainBehaviour({ kind: 'noTracer' });
    const blocks = await readAll(connect(sandbox));
    const movements = blocks.flatMap((block) => block.movements);
    expect(blocks.some(({ isTraced }) => !isTraced)).toBe(true);
    expect(movements.some(({ kind }) => kind === 'INTERNAL')).toBe(false);
  });

  it('becomes another chain from a height on', async () => {
    const sandbox = await start();
    const client = connect(sandbox);
    const before = (await readAll(client)).map(({ block }) => block);
    sandbox.setCChainBehaviour({ kind: 'wrongParent', fromHeight: 5 });
    const after = (await readAll(client)).map(({ block }) => block);
    assertChain(after);
    const changed = after.filter(({ hash }, height) => hash !== before[height]?.hash);
    expect(changed.map(({ height }) => height)).toEqual(after.slice(5).map(({ height }) => height));
    expect(() => assertChain(after.slice(6), before[5])).toThrow(EvmError);
  });

  it('can have been made over many days', async () => {
    const sandbox = await start();
    sandbox.setCChainBehaviour({ kind: 'calendar', blocksPerDay: 4 });
    const blocks = (await readAll(connect(sandbox))).slice(1).map(({ block }) => block);
    const times = blocks.map(({ timestampSeconds }) => timestampSeconds);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    const days = new Set(times.map((time) => Math.floor((time - (times.at(-1) ?? 0)) / 86_400)));
    expect(days.size).toBeGreaterThanOrEqual(4);
  });

  it.each([{ kind: 'sulky' }, { kind: 'tip' }, { kind: 'wrongParent', fromHeight: 0 }, []])(
    'refuses %j',
    async (behaviour) => {
      expect(await behave(await start(), behaviour)).toBe(400);
    },
  );
});

function toHex(address: string): `0x${string}` {
  return `0x${address.slice(2)}`;
}
