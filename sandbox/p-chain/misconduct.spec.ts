import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fault, requestBody, SandboxCaller } from '../../test/support/sandbox/sandbox-caller.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idToString } from '../../src/avalanche/ids/id.js';
import { unpackRpcHex } from '../../src/avalanche/ids/rpc-hex.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { unwrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { defaultRecording } from './default-recording.js';

const recording = defaultRecording();
const tipHeight = recording.blocks.length - 1;
const HEIGHT = tipHeight + 5;

let sandbox: Sandbox;
let caller: SandboxCaller;
let rpc: JsonRpcClient;
let platform: PlatformClient;

beforeAll(async () => {
  sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
  sandbox.advance(HEIGHT - tipHeight);
  caller = new SandboxCaller(sandbox);
  rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 5_000 });
  platform = new PlatformClient(rpc);
});

afterAll(async () => {
  rpc.close();
  await sandbox.stop();
});

describe('a node that misbehaves', () => {
  const behave = async (behaviour: object): Promise<number> =>
    (await caller.post('/sandbox/p-chain', JSON.stringify(behaviour))).status;
  const blockOf = async (height: number): Promise<string> =>
    String((await caller.askPlatform('getBlockByHeight', { height })).result?.block);

  it('serves garbage: wrong checksums at even heights, unknown types at odd ones', async () => {
    expect(await behave({ kind: 'garbage' })).toBe(200);
    const even = await blockOf(2);
    expect(() => unpackRpcHex(even)).toThrow('wrong checksum');
    const odd = unpackRpcHex(await blockOf(3));
    expect(() => parseBlock(odd)).toThrow(expect.objectContaining({ code: 'UNKNOWN_TYPE_ID' }));
    const [first, second] = await caller.allContainers();
    const { inner } = unwrapBlock(unpackRpcHex(String(first?.bytes)));
    expect(() => parseBlock(inner)).toThrow(expect.objectContaining({ code: 'UNKNOWN_TYPE_ID' }));
    expect(() => unpackRpcHex(String(second?.bytes))).toThrow('wrong checksum');
  });

  it.each([
    { form: 'checksum', refuses: (text: string) => unpackRpcHex(text), error: /wrong checksum/ },
    { form: 'type-id', refuses: (text: string) => parseBlock(unpackRpcHex(text)), error: /type id/ },
  ])('serves garbage of one form: $form', async ({ form, refuses, error }) => {
    await behave({ kind: 'garbage', form });
    for (const height of [2, 3]) {
      const text = await blockOf(height);
      expect(() => refuses(text)).toThrow(error);
    }
  });

  it('refuses requests for blocks that come too fast, and no others', async () => {
    await behave({ kind: 'tooManyRequests', retryAfterSeconds: 7 });
    for (const [path, method] of [
      ['/ext/bc/P', 'platform.getBlockByHeight'],
      ['/ext/index/P/block', 'index.getContainerByIndex'],
    ] as const) {
      const response = await caller.post(path, requestBody(method, { height: 1 }));
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    }
    expect(await platform.getHeight()).toBe(BigInt(HEIGHT));
  });

  it('leaves requests for blocks without an answer, and answers all others', async () => {
    await behave({ kind: 'timeout' });
    const silent = fetch(`${sandbox.url}/ext/bc/P`, {
      method: 'POST',
      body: requestBody('platform.getBlockByHeight', { height: 1 }),
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(200),
    });
    await expect(silent).rejects.toThrow(/timeout/);
    expect(await platform.getHeight()).toBe(BigInt(HEIGHT));
  });

  it('loses its blocks on request', async () => {
    await behave({ kind: 'empty' });
    expect(await platform.getHeight()).toBe(0n);
    expect(toHex(await platform.getBlockByHeight({ height: 0n }))).toBe(recording.blocks[0]!.bytes);
    expect(await caller.askPlatform('getBlockByHeight', { height: 1 })).toMatchObject(
      fault("couldn't get block at height 1: not found"),
    );
    const blockID = idToString(fromHex(parseBlock(fromHex(recording.blocks[1]!.bytes)).id));
    expect(await caller.askPlatform('getBlock', { blockID })).toMatchObject(
      fault(`couldn't get block with id ${blockID}: not found`),
    );
    expect(await caller.askIndex('getContainerRange', { startIndex: 0, numToFetch: 5 })).toMatchObject(
      fault('no containers have been accepted'),
    );
    expect(await caller.askIndex('getContainerByIndex', { index: 0 })).toMatchObject(
      fault('no container at index 0'),
    );
  });

  it('becomes honest again', async () => {
    expect(await behave({ kind: 'honest' })).toBe(200);
    expect(await platform.getHeight()).toBe(BigInt(HEIGHT));
    expect(await caller.allContainers()).toHaveLength(HEIGHT);
    expect(sandbox.describe().pChain).toEqual({
      lastRecordedBlock: String(tipHeight),
      behaviour: { kind: 'honest' },
    });
  });

  it.each([{ kind: 'evil' }, {}, { kind: 'garbage', form: 'x' }, { kind: 'timeout', x: 1 }])(
    'refuses to misbehave like %j',
    async (behaviour) => {
      expect(await behave(behaviour)).toBe(400);
    },
  );
});
