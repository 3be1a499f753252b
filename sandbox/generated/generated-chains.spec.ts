import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseAvmBlock } from '../../src/avalanche/avm/codec/block.js';
import { unpackRpcHex } from '../../src/avalanche/ids/rpc-hex.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { unwrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { TOKEN_CONTRACTS } from './evm-chain-generator.js';
import { generatedChains } from './generated-chains.js';

const BLOCKS = 40;

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ validators: 1, ...(await generatedChains(BLOCKS)) });
});
afterAll(() => sandbox.stop());
beforeEach(() => sandbox.setNodeBehaviour({}));

const post = (path: string, method: string, params: unknown): Promise<Response> =>
  fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

const call = async (path: string, method: string, params: unknown): Promise<unknown> =>
  (await post(path, method, params)).json();

const resultOf = async (path: string, method: string, params: unknown): Promise<Record<string, unknown>> => {
  const { result } = Object.assign({ result: {} }, await call(path, method, params));
  return result;
};

describe(generatedChains.name, () => {
  it('makes a P-chain whose blocks have envelopes', async () => {
    const { block } = await resultOf('/ext/bc/P', 'platform.getBlockByHeight', { height: 7 });
    expect(parseBlock(unpackRpcHex(String(block))).height).toBe(7n);
    const { bytes } = await resultOf('/ext/index/P/block', 'index.getContainerByIndex', { index: 6 });
    expect(parseBlock(unwrapBlock(unpackRpcHex(String(bytes))).inner).height).toBe(7n);
    expect(await resultOf('/ext/bc/P', 'platform.getHeight', {})).toEqual({ height: `${BLOCKS - 1}` });
  });

  it('makes an X-chain', async () => {
    const { block } = await resultOf('/ext/bc/X', 'avm.getBlockByHeight', { height: 7 });
    const { height, transactions } = parseAvmBlock(unpackRpcHex(String(block)));
    expect([height, transactions.length]).toEqual([7n, 2]);
  });

  it('makes a C-chain with tokens', async () => {
    expect(await call('/ext/bc/C/rpc', 'eth_blockNumber', [])).toMatchObject({ result: '0x27' });
    const name = { to: TOKEN_CONTRACTS[1], data: '0x06fdde03' };
    expect(await call('/ext/bc/C/rpc', 'eth_call', [name, 'latest'])).toMatchObject({
      result: expect.stringContaining(Buffer.from('Token 1').toString('hex')),
    });
  });
});

describe('a node that serves them', () => {
  it.each([
    { failure: undefined, status: 503 },
    { failure: 'tooManyRequests', status: 429 },
  ] as const)('fails as configured: $status', async ({ failure, status }) => {
    sandbox.setNodeBehaviour({ failEvery: 2, failure });
    const responses = [
      await post('/ext/info', 'info.getNodeID', {}),
      await post('/ext/info', 'info.getNodeID', {}),
    ];
    expect(responses.map((response) => response.status)).toEqual([200, status]);
  });

  it('does not offer what it is to be without: methods, and services', async () => {
    sandbox.setNodeBehaviour({ without: ['info.peers', 'eth_getLogs', 'index'] });
    expect(await call('/ext/info', 'info.peers', {})).toMatchObject({
      error: { message: 'rpc: can\'t find method "info.Peers"' },
    });
    expect(await call('/ext/bc/C/rpc', 'eth_getLogs', [{}])).toMatchObject({ error: { code: -32601 } });
    expect((await post('/ext/index/P/block', 'index.getLastAccepted', {})).status).toBe(404);
    expect(await resultOf('/ext/info', 'info.getNetworkID', {})).toEqual({ networkID: '12345' });
  });

  it('gives the configured answers', async () => {
    const answers = { 'info.getNetworkID': { networkID: '1' }, eth_chainId: (params: unknown) => params };
    sandbox.setNodeBehaviour({ answers });
    expect(await resultOf('/ext/info', 'info.getNetworkID', {})).toEqual({ networkID: '1' });
    expect(await call('/ext/bc/C/rpc', 'eth_chainId', ['x'])).toMatchObject({ result: ['x'] });
  });
});
