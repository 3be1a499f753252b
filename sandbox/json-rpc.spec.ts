import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '@noble/hashes/sha2.js';
import { SandboxCaller, UNKNOWN_ID } from '../test/support/sandbox/sandbox-caller.js';
import { fromHex, toHex } from '../src/avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../src/avalanche/ids/id.js';
import { unpackRpcHex } from '../src/avalanche/ids/rpc-hex.js';
import { blst } from '../src/avalanche/bls/blst.js';
import { verifyProofOfPossession } from '../test/support/signatures/verify-proof-of-possession.js';
import { AvmClient } from '../src/avalanche/rpc/avm-client.js';
import { InfoClient } from '../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../src/avalanche/rpc/json-rpc-client.js';
import { isNotFound } from '../src/avalanche/rpc/platform-rejections.js';
import { PlatformClient } from '../src/avalanche/rpc/platform-client.js';
import { PlatformAnswers } from '../test/support/sandbox/platform-answers.js';
import { makeCanonicalValidatorSet } from '../src/avalanche/warp/canonical-validator-set.js';
import { type Sandbox, startSandbox } from './sandbox.js';

let sandbox: Sandbox;
let caller: SandboxCaller;
let rpc: JsonRpcClient;
let platform: PlatformClient;
let answers: PlatformAnswers;
let info: InfoClient;

beforeAll(async () => {
  sandbox = await startSandbox({
    validators: [{}, { weight: 7n }, { keyless: true }, { l1Weight: 5n, l1Balance: 0n }, {}],
    blockIntervalMs: 0,
    recording: null,
  });
  caller = new SandboxCaller(sandbox);
  rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 5_000 });
  platform = new PlatformClient(rpc);
  answers = new PlatformAnswers(rpc);
  info = new InfoClient(rpc);
});

afterAll(async () => {
  rpc.close();
  await sandbox.stop();
});

const INVALID_ARGUMENT =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

const resultOf = (result: unknown) => ({ jsonrpc: '2.0', result, id: 1 });
const faultOf = (message: string) => ({
  jsonrpc: '2.0',
  error: { code: -32000, message, data: null },
  id: 1,
});

/** Answers recorded from avalanchego v1.15.0 that do not depend on its state. */
describe('the simulated node', () => {
  it.each<{ path: string; method: string; params?: unknown; answer: object }>([
    { path: '/ext/info', method: 'info.getNetworkID', answer: resultOf({ networkID: '12345' }) },
    { path: '/ext/info', method: 'info.getNetworkName', answer: resultOf({ networkName: 'local' }) },
    {
      path: '/ext/info',
      method: 'info.getNodeVersion',
      answer: resultOf({
        version: 'avalanchego/1.15.0',
        databaseVersion: 'v1.4.5',
        rpcProtocolVersion: '46',
        gitCommit: '',
        vmVersions: { avm: 'avalanchego/1.15.0', evm: 'v1.15.0', platform: 'avalanchego/1.15.0' },
      }),
    },
    {
      path: '/ext/info',
      method: 'info.getBlockchainID',
      params: { alias: 'P' },
      answer: resultOf({ blockchainID: PRIMARY_NETWORK_ID }),
    },
    {
      path: '/ext/info',
      method: 'info.getBlockchainID',
      params: {},
      answer: faultOf('there is no ID with alias: '),
    },
    {
      path: '/ext/info',
      method: 'info.isBootstrapped',
      params: { chain: 'foo' },
      answer: faultOf("there is no chain with alias/ID 'foo'"),
    },
    { path: '/ext/info', method: 'info.isBootstrapped', answer: faultOf("argument 'chain' not given") },
    {
      path: '/ext/info',
      method: 'info.peers',
      params: { nodeIDs: ['garbage'] },
      answer: faultOf(INVALID_ARGUMENT),
    },
    { path: '/ext/info', method: 'info.peers', params: 5, answer: faultOf(INVALID_ARGUMENT) },
    { path: '/ext/info', method: 'info.nope', answer: faultOf('rpc: can\'t find method "info.Nope"') },
    {
      path: '/ext/info',
      method: 'info.NodeID',
      answer: faultOf('method must start with a non-uppercase letter'),
    },
    { path: '/ext/info', method: 'foo.bar', answer: faultOf('rpc: can\'t find service "foo.Bar"') },
    {
      path: '/ext/info',
      method: 'nodot',
      answer: faultOf('rpc: service/method request ill-formed: "nodot"'),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getBlock',
      answer: faultOf('the sandbox does not simulate "platform.getBlock"'),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getMinStake',
      answer: resultOf({ minValidatorStake: '2000000000000', minDelegatorStake: '25000000000' }),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.validatedBy',
      params: { blockchainID: PRIMARY_NETWORK_ID },
      answer: resultOf({ subnetID: PRIMARY_NETWORK_ID }),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.validatedBy',
      params: { blockchainID: UNKNOWN_ID },
      answer: faultOf(`problem retrieving blockchain "${UNKNOWN_ID}": not found`),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.validates',
      params: { subnetID: UNKNOWN_ID },
      answer: faultOf(`problem retrieving subnet "${UNKNOWN_ID}": not found`),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getSubnet',
      answer: faultOf("the primary network isn't a subnet"),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getSubnet',
      params: { subnetID: UNKNOWN_ID },
      answer: faultOf('not found'),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getTx',
      params: { txID: UNKNOWN_ID },
      answer: faultOf("couldn't get tx: not found"),
    },
    { path: '/ext/bc/P', method: 'platform.getTx', params: { txID: '5' }, answer: faultOf(INVALID_ARGUMENT) },
    {
      path: '/ext/bc/P',
      method: 'platform.getTxStatus',
      params: { txID: UNKNOWN_ID },
      answer: resultOf({ status: 'Unknown' }),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getL1Validator',
      params: { validationID: UNKNOWN_ID },
      answer: faultOf(`fetching L1 validator "${UNKNOWN_ID}" failed: not found`),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getTotalStake',
      params: { subnetID: UNKNOWN_ID },
      answer: resultOf({ stake: '0', weight: '0' }),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getBlockchainStatus',
      params: { blockchainID: 'C' },
      answer: resultOf({ status: 'Syncing' }),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getValidatorsAt',
      params: { height: 0, subnetID: UNKNOWN_ID },
      answer: resultOf({}),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getValidatorsAt',
      params: { subnetID: 'x' },
      answer: faultOf(INVALID_ARGUMENT),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getValidatorsAt',
      params: { height: 9999 },
      answer: faultOf(
        `failed to get validator set at 9999: failed to fetch validator set at unfinalized height with SubnetID = ${PRIMARY_NETWORK_ID}: current P-chain height (1000) < requested P-Chain height (9999)`,
      ),
    },
    {
      path: '/ext/bc/P',
      method: 'platform.getAllValidatorsAt',
      params: { height: '9999' },
      answer: faultOf(
        'failed to get validator sets at 9999: failed to fetch validator set at unfinalized height: current P-chain height (1000) < requested P-Chain height (9999)',
      ),
    },
  ])('answers $method $params as a node does', async ({ path, method, params, answer }) => {
    expect(await caller.call(path, method, params)).toEqual(answer);
  });

  it.each([
    '-1',
    '1.5',
    '"x"',
    'true',
    '18446744073709551615',
    '"18446744073709551615"',
    '18446744073709551616',
  ])('refuses the height %s', async (height) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"platform.getValidatorsAt","params":{"height":${height}}}`;
    expect(JSON.parse((await caller.post('/ext/bc/P', body)).text)).toEqual(faultOf(INVALID_ARGUMENT));
  });

  it.each(['/ext/bc/P', '/ext/P', `/ext/bc/${PRIMARY_NETWORK_ID}`])(
    'serves the P-chain at %s',
    async (path) => {
      expect(await caller.call(path, 'platform.getHeight', null)).toEqual(resultOf({ height: '1000' }));
      expect(await caller.call(path, 'platform.getHeight', [])).toEqual(resultOf({ height: '1000' }));
      expect(await caller.call(path, 'platform.getHeight', [{}])).toEqual(resultOf({ height: '1000' }));
    },
  );

  it.each([
    { id: 'not JSON', body: 'not json', code: -32700 },
    { id: 'nothing', body: '', code: -32700 },
    { id: 'a batch', body: '[]', code: -32700 },
    { id: 'another version', body: '{"jsonrpc":"1.0","id":1,"method":"info.peers"}', code: -32600 },
    { id: 'no version', body: '{"id":1,"method":"info.peers"}', code: -32600 },
  ])('answers $id with an error', async ({ body, code }) => {
    const { status, text } = await caller.post('/ext/info', body);
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { jsonrpc: '2.0', error: { code, message: expect.any(String) } },
    ]);
  });

  it('answers a notification with nothing, and keeps ids of either kind', async () => {
    expect((await caller.post('/ext/info', '{"jsonrpc":"2.0","method":"info.getNetworkID"}')).text).toBe('');
    const { text } = await caller.post(
      '/ext/info',
      '{"jsonrpc":"2.0","id":"abc","method":"info.getNetworkID"}',
    );
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', result: { networkID: '12345' }, id: 'abc' });
  });

  it('refuses a wrong method, content type, path or size', async () => {
    const get = await fetch(`${sandbox.url}/ext/info`);
    expect([get.status, await get.text()]).toEqual([405, 'rpc: POST method required, received GET']);
    expect(get.headers.get('node-id')).toBe(sandbox.nodeId);
    expect((await caller.post('/ext/info', '{}', 'text/plain')).status).toBe(415);
    expect(
      (await caller.post('/ext/info', '{"jsonrpc":"2.0"}', 'application/json; charset=utf-8')).status,
    ).toBe(200);
    expect(await caller.post('/ext/bc/foo', '{}')).toMatchObject({
      status: 404,
      text: '404 page not found\n',
    });
    expect(
      (await caller.post('/ext/info', ' '.repeat(5_000_000)).catch(() => ({ status: 413 }))).status,
    ).toBe(413);
  });
});

describe('the simulated node for the clients of the service', () => {
  it('describes itself', async () => {
    const { nodeId, publicKey, proofOfPossession } = await info.getNodeId();
    expect(nodeId).toBe(sandbox.nodeId);
    const key = blst.publicKeyFromBytes(publicKey ?? new Uint8Array());
    const proof = blst.signatureFromBytes(proofOfPossession ?? new Uint8Array());
    expect(verifyProofOfPossession(key, proof)).toBe(true);
    expect(await info.getNodeIp()).toMatch(/^127\.0\.0\.1:\d+$/);
    expect((await info.upgrades()).timesSeconds.get('granite')).toBe(1_607_144_400);
    expect(await info.isBootstrapped({ chain: 'C' })).toBe(true);
    expect(await info.getBlockchainId({ alias: 'C' })).toBe(sandbox.cChainId);
    await expect(info.getBlockchainId({ alias: sandbox.l1ChainId })).rejects.toThrow(
      'there is no ID with alias',
    );
  });

  it('names the addresses of its validators, and is connected to them', async () => {
    const peers = await info.peers();
    expect(peers.map(({ nodeId, publicIp }) => [nodeId, publicIp])).toEqual(
      sandbox.validators.map(({ nodeId, address }) => [nodeId, address]),
    );
    expect(peers[0]?.trackedSubnets).toEqual([PRIMARY_NETWORK_ID, sandbox.l1SubnetId]);
    const nodeIds = [sandbox.validators[3]?.nodeId ?? ''];
    expect((await info.peers({ nodeIds })).map(({ nodeId }) => nodeId)).toEqual(nodeIds);
  });

  it('lists validators at heights, the same in both ways', async () => {
    const validators = await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' });
    expect(new Map(validators.map(({ nodeId, weight }) => [nodeId, weight]))).toEqual(
      new Map(sandbox.validators.map(({ nodeId, weight }) => [nodeId, weight])),
    );
    expect(validators.filter(({ publicKey }) => publicKey === null)).toHaveLength(1);
    const sets = await platform.getAllValidatorsAt({ height: 1_000n });
    for (const subnetId of [PRIMARY_NETWORK_ID, sandbox.l1SubnetId]) {
      const canonical = makeCanonicalValidatorSet(
        await platform.getValidatorsAt({ subnetId, height: 1_000n }),
      );
      expect(sets.get(subnetId)).toEqual({
        validators: canonical.validators.map(({ publicKeyBytes, weight, nodeIds }) => ({
          publicKey: publicKeyBytes,
          weight,
          nodeIds,
        })),
        totalWeight: canonical.totalWeight,
      });
    }
    expect((await platform.getAllValidatorsAt({ height: 0n })).size).toBe(1);
    const above = platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 1_001n });
    await expect(above).rejects.toMatchObject({ rpcMessage: expect.stringContaining('unfinalized height') });
  });

  it('lists current validators of the primary network', async () => {
    const all = await platform.getCurrentValidators();
    expect(all).toHaveLength(5);
    expect(all.map((entry) => entry.kind)).toEqual(Array.from({ length: 5 }, () => 'staker'));
    const [first] = sandbox.validators;
    const [one] = await platform.getCurrentValidators({ nodeIds: [first?.nodeId ?? ''] });
    expect(one).toMatchObject({
      kind: 'staker',
      nodeId: first?.nodeId,
      delegators: [],
      connected: true,
      uptimePercentage: 100,
    });
    expect(all.filter((entry) => entry.kind === 'staker' && entry.signer === undefined)).toHaveLength(1);
  });

  it('knows an L1 whose ids agree with each other', async () => {
    const subnet = await platform.getSubnet({ subnetId: sandbox.l1SubnetId });
    expect(await platform.validatedBy({ blockchainId: sandbox.l1ChainId })).toBe(sandbox.l1SubnetId);
    expect(await answers.validates(sandbox.l1SubnetId)).toEqual([sandbox.l1ChainId]);
    expect(subnet).toMatchObject({ isPermissioned: false, managerChainId: sandbox.l1ChainId });
    expect(subnet.managerAddress).toHaveLength(20);
    const validators = await platform.getCurrentValidators({ subnetId: sandbox.l1SubnetId });
    expect(validators.map((entry) => entry.kind)).toEqual(Array.from({ length: 5 }, () => 'l1'));
    const inactive = validators.find((entry) => entry.kind === 'l1' && entry.balance === 0n);
    expect(inactive).toMatchObject({ nodeId: sandbox.validators[3]?.nodeId, weight: 5n });
    const validationId = inactive?.kind === 'l1' ? inactive.validationId : '';
    expect(await platform.getL1Validator({ validationId })).toMatchObject({
      subnetId: sandbox.l1SubnetId,
      weight: 5n,
    });
    const unknown = platform.getL1Validator({ validationId: UNKNOWN_ID });
    expect(isNotFound(await unknown.catch((error: unknown) => error))).toBe(true);
    expect(await answers.subnetIds()).toEqual([sandbox.l1SubnetId, PRIMARY_NETWORK_ID]);
    expect((await answers.blockchains()).map(({ name }) => name)).toEqual(['sandbox', 'C-Chain', 'X-Chain']);
  });

  it('serves the transactions of that L1', async () => {
    const { transactions } = sandbox.describe();
    expect(Object.keys(transactions)).toHaveLength(6);
    for (const txId of Object.values(transactions)) {
      expect((await platform.getTx({ txId })).length).toBeGreaterThan(300);
      expect(await platform.getTxStatus({ txId })).toEqual({ status: 'Committed' });
    }
    const [txID] = Object.values(transactions);
    const inHex = (await caller.call('/ext/bc/P', 'platform.getTx', { txID, encoding: 'hex' })) as {
      result: { tx: string };
    };
    const bare = (await caller.call('/ext/bc/P', 'platform.getTx', { txID, encoding: 'hexnc' })) as {
      result: { tx: string };
    };
    expect(toHex(unpackRpcHex(inHex.result.tx))).toBe(toHex(fromHex(bare.result.tx)));
  });

  it('has the epochs of its blockchains except the X-chain, and of no other', async () => {
    const { cChainId, l1ChainId } = sandbox;
    for (const chain of ['P', 'C', PRIMARY_NETWORK_ID, cChainId, l1ChainId]) {
      expect(await caller.call(`/ext/bc/${chain}/proposervm`, 'proposervm.getCurrentEpoch')).toEqual(
        resultOf({
          number: '1',
          startTime: expect.stringMatching(/^\d{10}$/),
          pChainHeight: String(sandbox.epochHeight),
        }),
      );
    }
    for (const chain of ['X', sandbox.xChainId, UNKNOWN_ID]) {
      expect((await caller.post(`/ext/bc/${chain}/proposervm`, '{}')).status).toBe(404);
    }
  });

  it('knows one transaction of the X-chain', async () => {
    const avm = new AvmClient(rpc);
    const { xChainTransaction, transactions } = sandbox.describe();
    expect(await avm.hasTransaction({ txId: xChainTransaction })).toBe(true);
    expect(await platform.getTxStatus({ txId: xChainTransaction })).toEqual({ status: 'Unknown' });
    expect(await avm.hasTransaction({ txId: transactions.convertSubnetToL1 ?? '' })).toBe(false);
    const { result } = (await caller.call('/ext/bc/X', 'avm.getTx', { txID: xChainTransaction })) as {
      result: { tx: string };
    };
    expect(idToString(sha256(unpackRpcHex(result.tx)))).toBe(xChainTransaction);
    expect(await caller.call('/ext/bc/X', 'avm.getTx', { txID: UNKNOWN_ID })).toMatchObject({
      error: { message: 'not found' },
    });
    expect(await caller.call('/ext/bc/X', 'avm.getTxStatus')).toMatchObject({
      error: { message: 'nil transaction ID' },
    });
  });

  it('answers the other methods', async () => {
    expect(await platform.getCurrentSupply()).toMatchObject({ height: 1_000n });
    expect(await platform.getTotalStake()).toBe(4n * 2_000_000_000_000_000n + 7n);
    const before = Math.floor(Date.now() / 1000);
    const timestamp = await answers.timestamp();
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(Date.now() / 1000);
    for (const method of [
      'getFeeState',
      'getFeeConfig',
      'getValidatorFeeState',
      'getValidatorFeeConfig',
      'getStakingAssetID',
    ]) {
      expect(await caller.call('/ext/bc/P', `platform.${method}`)).toMatchObject({
        result: expect.any(Object),
      });
    }
    expect(await caller.call('/ext/info', 'info.getVMs')).toMatchObject({
      result: { vms: expect.any(Object) },
    });
    const health = (await (await fetch(`${sandbox.url}/ext/health`)).json()) as object;
    expect(health).toMatchObject({
      healthy: true,
      checks: { sandbox: { message: 'this is a simulated node' } },
    });
  });
});
