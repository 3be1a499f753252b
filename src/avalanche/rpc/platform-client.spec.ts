import { describe, expect, it, jest } from '@jest/globals';
import { loadVectors } from '../../../test/support/vectors.js';
import { InfoClient } from './info-client.js';
import { type JsonRpcCall, JsonRpcClient } from './json-rpc-client.js';
import { PlatformClient } from './platform-client.js';
import { isNotFound } from './platform-rejections.js';
import { RpcError } from './rpc.error.js';

const PRIMARY = '11111111111111111111111111111111LpoYY';
const NODE_ID = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
const PUBLIC_KEY =
  '0x900c9b119b5c82d781d4b49be78c3fc7ae65f2b435b7ed9e3a8b9a03e475edff86d8a64827fec8db23a6f236afbf127d';
const OWNER = {
  locktime: '0',
  threshold: '1',
  addresses: ['P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u'],
};

/** Answers one call with a recorded result, parsed by the schema under test. */
function answering(result: unknown) {
  const rpc = new JsonRpcClient({ urls: ['http://127.0.0.1:1'], timeoutMs: 1 });
  const call = jest.spyOn(rpc, 'call').mockImplementation(<T>(request: JsonRpcCall<T>): Promise<T> => {
    return Promise.resolve(request.schema.parse(result));
  });
  return { platform: new PlatformClient(rpc), info: new InfoClient(rpc), call };
}

describe(PlatformClient.name, () => {
  it('reads the validators at a height, keyless ones included, and sends the height as a string', async () => {
    const { platform, call } = answering({
      [NODE_ID]: { publicKey: PUBLIC_KEY, weight: '18446744073709551615' },
      'NodeID-111111111111111111116DBWJs': { publicKey: null, weight: '5' },
    });
    const validators = await platform.getValidatorsAt({ subnetId: PRIMARY, height: 2n ** 63n });
    expect(validators.map(({ nodeId, weight }) => [nodeId, weight])).toEqual([
      [NODE_ID, 2n ** 64n - 1n],
      ['NodeID-111111111111111111116DBWJs', 5n],
    ]);
    expect(validators[0]?.publicKey).toHaveLength(48);
    expect(validators[1]?.publicKey).toBeNull();
    expect(call.mock.calls[0]?.[0]).toMatchObject({
      path: '/ext/bc/P',
      method: 'platform.getValidatorsAt',
      params: { subnetID: PRIMARY, height: '9223372036854775808' },
    });
  });

  it.each([
    { id: 'a weight above 64 bits', entry: { publicKey: null, weight: '18446744073709551616' } },
    { id: 'a negative weight', entry: { publicKey: null, weight: '-1' } },
    { id: 'an inexact number', entry: { publicKey: null, weight: 2 ** 60 } },
    { id: 'an empty weight', entry: { publicKey: null, weight: '' } },
    { id: 'a short key', entry: { publicKey: '0x00', weight: '1' } },
    { id: 'a key that is not hex', entry: { publicKey: `0x${'zz'.repeat(48)}`, weight: '1' } },
    { id: 'a missing key', entry: { weight: '1' } },
  ])('refuses $id', async ({ entry }) => {
    const { platform } = answering({ [NODE_ID]: entry });
    await expect(async () =>
      platform.getValidatorsAt({ subnetId: PRIMARY, height: 'proposed' }),
    ).rejects.toThrow();
  });

  it('refuses a node id with a wrong checksum', async () => {
    const { platform } = answering({ [`${NODE_ID.slice(0, -1)}h`]: { publicKey: null, weight: '1' } });
    await expect(async () => platform.getValidatorsAt({ subnetId: PRIMARY, height: 1n })).rejects.toThrow();
  });

  it('reads canonical sets by subnet', async () => {
    const { platform } = answering({
      validatorSets: {
        [PRIMARY]: {
          validators: [{ publicKey: PUBLIC_KEY, weight: '3', nodeIDs: [NODE_ID] }],
          totalWeight: '4',
        },
      },
    });
    const sets = await platform.getAllValidatorsAt({ height: 'proposed' });
    expect(sets.get(PRIMARY)).toMatchObject({
      totalWeight: 4n,
      validators: [{ weight: 3n, nodeIds: [NODE_ID] }],
    });
  });

  it('distinguishes L1 validators from stakers', async () => {
    const staker = { txID: PRIMARY, startTime: '1', endTime: '2', weight: '3', nodeID: NODE_ID };
    const l1 = {
      validationID: PRIMARY,
      nodeID: NODE_ID,
      weight: '9',
      startTime: '1',
      publicKey: PUBLIC_KEY,
      remainingBalanceOwner: OWNER,
      deactivationOwner: OWNER,
      minNonce: '0',
      balance: '2047',
    };
    const { platform } = answering({
      validators: [staker, { ...staker, delegationFee: '6.2500', uptime: '99.9956', connected: true }, l1],
    });
    const validators = await platform.getCurrentValidators({ subnetId: PRIMARY });
    expect(validators).toMatchObject([
      { kind: 'staker', txId: PRIMARY, startTimestampSeconds: 1, endTimestampSeconds: 2, weight: 3n },
      { kind: 'staker', delegationFeePercentage: 6.25, uptimePercentage: 99.9956, connected: true },
      { kind: 'l1', validationId: PRIMARY, balance: 2047n, minNonce: 0n },
    ]);
  });

  it('reads an L1 validator with its subnet and the height of the answer', async () => {
    const { platform } = answering({
      validationID: PRIMARY,
      subnetID: PRIMARY,
      height: '12',
      nodeID: NODE_ID,
      weight: '9',
      startTime: '1',
      publicKey: PUBLIC_KEY,
      remainingBalanceOwner: OWNER,
      deactivationOwner: OWNER,
      minNonce: '1',
      balance: '0',
    });
    const validator = await platform.getL1Validator({ validationId: PRIMARY });
    expect(validator).toMatchObject({ subnetId: PRIMARY, height: 12n, nodeId: NODE_ID, balance: 0n });
  });

  it.each([
    { managerAddress: null, expected: null },
    { managerAddress: '0x0feedc0de0000000000000000000000000000000', expected: 20 },
  ])('reads a subnet with manager address $managerAddress', async ({ managerAddress, expected }) => {
    const { platform } = answering({
      isPermissioned: true,
      controlKeys: OWNER.addresses,
      threshold: '1',
      locktime: '0',
      subnetTransformationTxID: PRIMARY,
      conversionID: PRIMARY,
      managerChainID: PRIMARY,
      managerAddress,
    });
    const subnet = await platform.getSubnet({ subnetId: PRIMARY });
    expect(subnet.managerAddress?.length ?? null).toBe(expected);
    expect(subnet).toMatchObject({ threshold: 1, conversionId: PRIMARY });
  });

  it('removes and checks the checksum of transaction bytes', async () => {
    const { txs } = loadVectors<{ txs: { bytes: string; getTxHex: string }[] }>('p_chain_txs');
    const [tx] = txs;
    const { platform } = answering({ tx: tx?.getTxHex, encoding: 'hex' });
    const bytes = await platform.getTx({ txId: PRIMARY });
    expect(Buffer.from(bytes).toString('hex')).toBe(tx?.bytes);
    const broken = answering({ tx: tx?.getTxHex.replace(/..$/, '00'), encoding: 'hex' });
    await expect(async () => broken.platform.getTx({ txId: PRIMARY })).rejects.toThrow();
  });

  it('reads a page of UTXOs and where the next one starts', async () => {
    const next = { address: OWNER.addresses[0], utxo: PRIMARY };
    const { txs } = loadVectors<{ txs: { bytes: string; getTxHex: string }[] }>('p_chain_txs');
    const { platform, call } = answering({
      numFetched: '1',
      utxos: [txs[0]?.getTxHex],
      endIndex: next,
      encoding: 'hex',
    });
    const page = await platform.getUtxos({ addresses: OWNER.addresses, limit: 1 });
    expect(Buffer.from(page.utxos[0] ?? []).toString('hex')).toBe(txs[0]?.bytes);
    expect(page.next).toEqual(next);
    await platform.getUtxos({ addresses: OWNER.addresses, sourceChain: 'X', startIndex: page.next });
    expect(call.mock.calls.map(([{ params }]) => params)).toEqual([
      { addresses: OWNER.addresses, limit: 1, encoding: 'hex' },
      { addresses: OWNER.addresses, sourceChain: 'X', startIndex: next, encoding: 'hex' },
    ]);
  });

  it('recognises why the node refused', () => {
    const refusal = (rpcMessage: string) =>
      new RpcError('NODE_REJECTED', rpcMessage, { host: 'h', method: 'm', rpcCode: -32000, rpcMessage });
    const unknown = refusal(`problem retrieving blockchain "${PRIMARY}": not found`);
    const future = refusal(
      'failed to get validator set at 99: failed to fetch validator set at unfinalized height with SubnetID = x: …',
    );
    expect([isNotFound(unknown), isNotFound(future)]).toEqual([true, false]);
    expect(isNotFound(new Error('not found'))).toBe(false);
  });
});

describe(InfoClient.name, () => {
  it('reads peers, also those without a public address or subnets', async () => {
    const peer = {
      ip: '10.0.0.1:5',
      publicIP: '',
      nodeID: NODE_ID,
      version: 'avalanchego/1.14.2',
      observedUptime: '0',
    };
    const { info, call } = answering({
      numPeers: '2',
      peers: [
        peer,
        { ...peer, publicIP: '1.2.3.4:9651', upgradeTime: 1607144400, trackedSubnets: [PRIMARY] },
      ],
    });
    expect(await info.peers({ nodeIds: [NODE_ID] })).toMatchObject([
      { nodeId: NODE_ID, publicIp: '', trackedSubnets: [], observedUptime: 0 },
      { publicIp: '1.2.3.4:9651', trackedSubnets: [PRIMARY], upgradeTime: 1607144400n },
    ]);
    expect(call.mock.calls[0]?.[0]).toMatchObject({ path: '/ext/info', params: { nodeIDs: [NODE_ID] } });
  });

  it('reads upgrade times by name', async () => {
    const { info } = answering({
      durangoTime: '2020-12-05T05:00:00Z',
      heliconTime: '9999-12-01T00:00:00Z',
      apricotPhase4MinPChainHeight: 0,
      graniteEpochDuration: 30000000000,
    });
    const upgrades = await info.upgrades();
    expect([...upgrades.timesSeconds]).toEqual([
      ['durango', 1607144400],
      ['helicon', 253399622400],
    ]);
    expect(upgrades.graniteEpochDurationMs).toBe(30_000);
  });

  it('refuses a network id of more than 32 bits', async () => {
    const { info } = answering({ networkID: '4294967296' });
    await expect(async () => info.getNetworkId()).rejects.toThrow();
  });
});
