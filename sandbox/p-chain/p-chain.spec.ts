import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplay } from '../../test/support/p-chain/p-chain-ledger.js';
import { fault, SandboxCaller, UNKNOWN_ID } from '../../test/support/sandbox/sandbox-caller.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { unpackRpcHex } from '../../src/avalanche/ids/rpc-hex.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { containerId, unwrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { parseTransaction } from '../../src/avalanche/platformvm/codec/transaction.js';
import { parseUtxo } from '../../src/avalanche/platformvm/codec/utxo.js';
import { utxoId } from '../../src/avalanche/platformvm/utxo-id.js';
import { InfoClient } from '../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { PlatformAnswers } from '../../test/support/sandbox/platform-answers.js';
import { cutRecording } from '../../test/support/sandbox/cut-recording.js';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { defaultRecording } from './default-recording.js';

const recording = defaultRecording();
const tipHeight = recording.blocks.length - 1;
const lastAnswers = recording.answers.at(-1)!;
const EMPTY_BLOCKS = 30;
const HEIGHT = tipHeight + EMPTY_BLOCKS;

let sandbox: Sandbox;
let caller: SandboxCaller;
let rpc: JsonRpcClient;
let platform: PlatformClient;
let answers: PlatformAnswers;

beforeAll(async () => {
  sandbox = await startSandbox({ validators: 3, blockIntervalMs: 0 });
  sandbox.advance(EMPTY_BLOCKS);
  caller = new SandboxCaller(sandbox);
  rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 5_000 });
  platform = new PlatformClient(rpc);
  answers = new PlatformAnswers(rpc);
});

afterAll(async () => {
  rpc.close();
  await sandbox.stop();
});

async function blockAt(height: number): Promise<Uint8Array> {
  return platform.getBlockByHeight({ height: BigInt(height) });
}

const cb58 = (id: string): string => idToString(fromHex(id));

describe('the blocks of the sandbox', () => {
  it('are those of the recording', async () => {
    expect(await platform.getHeight()).toBe(BigInt(HEIGHT));
    for (const { height, bytes } of recording.blocks) {
      expect(toHex(await blockAt(Number(height)))).toBe(bytes);
    }
  });

  it('go on without changing anything, to whoever replays them', async () => {
    const replay = await startReplay(recording);
    for (let height = 0; height <= HEIGHT; height++) replay.apply(await blockAt(height));
    const last = parseBlock(await blockAt(HEIGHT));
    expect(last).toMatchObject({ type: 'BanffStandard', height: BigInt(HEIGHT), transactions: [] });
    expect('time' in last && Number(last.time)).toBe(lastAnswers.timestamp);
    expect(await answers.timestamp()).toBe(lastAnswers.timestamp);
  });

  it('are the same in every sandbox', async () => {
    const other = await startSandbox({ validators: 1, seed: 'another', blockIntervalMs: 0 });
    other.advance(EMPTY_BLOCKS);
    try {
      expect((await new SandboxCaller(other).allContainers()).map(({ bytes }) => bytes)).toEqual(
        (await caller.allContainers()).map(({ bytes }) => bytes),
      );
    } finally {
      await other.stop();
    }
  });

  it('are served by id, in the encodings of bytes', async () => {
    for (const height of [0, 5, tipHeight, HEIGHT]) {
      const bytes = await blockAt(height);
      const blockID = cb58(parseBlock(bytes).id);
      const { result } = await caller.askPlatform('getBlock', { blockID });
      expect(result).toMatchObject({ encoding: 'hex' });
      expect(toHex(unpackRpcHex(String(result?.block)))).toBe(toHex(bytes));
      expect(await caller.askPlatform('getBlock', { blockID, encoding: 'hexc' })).toMatchObject({
        result: { block: result?.block, encoding: 'hexc' },
      });
      expect(await caller.askPlatform('getBlockByHeight', { height, encoding: 'hexnc' })).toMatchObject({
        result: { block: `0x${toHex(bytes)}`, encoding: 'hexnc' },
      });
    }
  });

  it('are reported as missing in the words of a node', async () => {
    expect(await caller.askPlatform('getBlockByHeight', { height: HEIGHT + 1 })).toMatchObject(
      fault(`couldn't get block at height ${HEIGHT + 1}: not found`),
    );
    expect(await caller.askPlatform('getBlock', { blockID: UNKNOWN_ID })).toMatchObject(
      fault(`couldn't get block with id ${UNKNOWN_ID}: not found`),
    );
    expect(await caller.askPlatform('getBlockByHeight', { height: 1, encoding: 'json' })).toMatchObject(
      fault('the sandbox does not simulate the encoding "json"'),
    );
  });
});

describe('the index API of the sandbox', () => {
  it('keeps the recorded containers one place below their heights, and goes on', async () => {
    const containers = await caller.allContainers();
    expect(containers).toHaveLength(HEIGHT);
    for (const [index, container] of containers.entries()) {
      const bytes = unpackRpcHex(container.bytes);
      const recorded = recording.blocks[index + 1];
      if (recorded) expect(toHex(bytes)).toBe(recorded.container);
      expect(toHex(unwrapBlock(bytes).inner)).toBe(toHex(await blockAt(index + 1)));
      expect(container).toMatchObject({ index: String(index), id: cb58(containerId(bytes)) });
    }
  });

  it('chains the envelopes', async () => {
    const containers = (await caller.allContainers()).map(({ bytes }) => unpackRpcHex(bytes));
    for (const [index, bytes] of containers.entries()) {
      const parent = containers[index - 1] ?? (await blockAt(0));
      const { envelope } = unwrapBlock(bytes);
      expect(envelope?.parentId).toBe(containerId(parent));
      if (index >= tipHeight) expect(envelope).toMatchObject({ type: 'block', epoch: expect.any(Object) });
    }
  });

  it('answers a single container by index, by id and as the last one', async () => {
    const containers = await caller.allContainers();
    const last = containers.at(-1)!;
    expect(await caller.askIndex('getLastAccepted')).toMatchObject({ result: last });
    expect(await caller.askIndex('getContainerByIndex', { index: 3 })).toMatchObject({
      result: containers[3],
    });
    expect(await caller.askIndex('getContainerByID', { id: last.id })).toMatchObject({ result: last });
    expect(await caller.askIndex('getIndex', { id: last.id })).toMatchObject({
      result: { index: last.index },
    });
    expect(await caller.askIndex('isAccepted', { id: last.id })).toMatchObject({
      result: { isAccepted: true },
    });
    expect(await caller.askIndex('isAccepted', { id: UNKNOWN_ID })).toMatchObject({
      result: { isAccepted: false },
    });
  });

  it.each([
    {
      method: 'getContainerRange',
      params: { startIndex: 0 },
      message: 'numToFetch must be in [1,1024] but is 0',
    },
    {
      method: 'getContainerRange',
      params: { startIndex: 0, numToFetch: 1025 },
      message: 'numToFetch must be in [1,1024] but is 1025',
    },
    {
      method: 'getContainerRange',
      params: { startIndex: HEIGHT, numToFetch: 1 },
      message: `start index (${HEIGHT}) > last accepted index (${HEIGHT - 1})`,
    },
    { method: 'getContainerByIndex', params: { index: HEIGHT }, message: `no container at index ${HEIGHT}` },
    { method: 'getIndex', params: { id: UNKNOWN_ID }, message: 'not found' },
    { method: 'getContainerByID', params: { id: UNKNOWN_ID }, message: 'not found' },
  ])('refuses $method $params in the words of a node', async ({ method, params, message }) => {
    expect(await caller.askIndex(method, params)).toMatchObject(fault(message));
  });
});

describe('the sandbox with a recorded P-chain', () => {
  it('has the transactions of all blocks, and those of the genesis', async () => {
    for (const [txId, { status }] of Object.entries(recording.final.txStatus)) {
      expect(await platform.getTxStatus({ txId })).toMatchObject({ status });
      expect(cb58(parseTransaction(await platform.getTx({ txId })).id)).toBe(txId);
    }
    const { X } = recording.blockchainIds;
    expect(parseTransaction(await platform.getTx({ txId: X }))).toMatchObject({
      id: toHex(idFromString(X)),
      unsigned: { type: 'CreateChain', chainName: 'X-Chain' },
    });
    expect(await platform.getTxStatus({ txId: X })).toMatchObject({ status: 'Committed' });
  });

  it('pages through the UTXOs of several addresses, each one once', async () => {
    const expected = new Set(Object.values(lastAnswers.utxos).flat());
    const found: string[] = [];
    let startIndex: { address: string; utxo: string } | undefined;
    for (;;) {
      const page = await platform.getUtxos({ addresses: recording.addresses, limit: 3, startIndex });
      found.push(...page.utxos.map(toHex));
      startIndex = page.next;
      if (page.utxos.length < 3) break;
    }
    expect(new Set(found)).toEqual(expected);
    const { utxos } = await platform.getUtxos({ addresses: recording.addresses });
    expect(utxos).toHaveLength(expected.size);
  });

  it('lists the UTXOs of one address in the order of their ids', async () => {
    const [address = ''] = recording.addresses;
    const { utxos } = await platform.getUtxos({ addresses: [address] });
    const ids = utxos.map((bytes) => {
      const { txId, outputIndex } = parseUtxo(bytes);
      return utxoId(txId, outputIndex);
    });
    expect(ids).toEqual([...ids].sort());
    expect(new Set(utxos.map(toHex))).toEqual(new Set(lastAnswers.utxos[address]));
  });

  it.each(['X', 'C'] as const)('lists what waits to be imported from %s', async (sourceChain) => {
    for (const address of recording.addresses) {
      const expected = lastAnswers.atomicUtxos[`${sourceChain} ${address}`] ?? [];
      for (const name of [sourceChain, recording.blockchainIds[sourceChain]]) {
        const { utxos } = await platform.getUtxos({ addresses: [address], sourceChain: name });
        expect(new Set(utxos.map(toHex))).toEqual(new Set(expected));
      }
    }
  });

  it.each([
    { params: {}, message: 'no addresses provided' },
    {
      params: { addresses: Array(1025).fill('x') },
      message: 'number of addresses given, 1025, exceeds maximum, 1024',
    },
    {
      params: { addresses: ['P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t'] },
      message: expect.stringContaining('expected hrp "local" but got "fuji"'),
    },
    { params: { addresses: ['P-x'] }, message: expect.stringContaining('couldn\'t parse address "P-x"') },
  ])('refuses UTXOs of $params', async ({ params, message }) => {
    expect(await caller.askPlatform('getUTXOs', params)).toMatchObject({ error: { code: -32000, message } });
  });

  it('gives the rewards of each staker', async () => {
    for (const [txId, expected] of Object.entries(lastAnswers.rewardUtxos)) {
      expect((await answers.rewardUtxos(txId)).map(toHex)).toEqual(expected);
    }
    expect(await answers.rewardUtxos(UNKNOWN_ID)).toEqual([]);
  });

  it('answers amounts as recorded, at the height of today', async () => {
    const supply = lastAnswers.supply[PRIMARY_NETWORK_ID];
    expect(await platform.getCurrentSupply()).toEqual({
      supply: BigInt(String(supply?.supply)),
      height: BigInt(HEIGHT),
    });
    for (const [subnetId, answer] of Object.entries(lastAnswers.totalStake)) {
      expect(await platform.getTotalStake({ subnetId })).toBe(BigInt(String(answer.weight)));
    }
  });

  it('lists recorded validators, with their delegators only for one node', async () => {
    for (const [subnetID, expected] of Object.entries(lastAnswers.validators)) {
      const { result } = await caller.askPlatform('getCurrentValidators', { subnetID });
      expect(result?.validators).toEqual(expected.map(({ delegators: _, ...rest }) => rest));
      for (const validator of expected) {
        const nodeIDs = [String(validator.nodeID)];
        const one = await caller.askPlatform('getCurrentValidators', { subnetID, nodeIDs });
        expect(one.result?.validators).toContainEqual(validator);
      }
    }
  });

  it('gives recorded subnets, blockchains and L1 validators beside its own', async () => {
    const ids = await answers.subnetIds();
    expect(new Set(ids)).toEqual(
      new Set([sandbox.l1SubnetId, ...recording.final.subnets.map(({ id }) => String(id))]),
    );
    expect(ids).toHaveLength(recording.final.subnets.length + 1);
    for (const [subnetID, expected] of Object.entries(lastAnswers.subnets)) {
      expect((await caller.askPlatform('getSubnet', { subnetID })).result).toEqual(expected);
    }
    const chains = await answers.blockchains();
    expect(chains.map(({ name }) => name)).toEqual([
      'sandbox',
      ...recording.final.blockchains.map(({ name }) => name),
    ]);
    for (const { id, subnetID } of chains) {
      expect(await platform.validatedBy({ blockchainId: id })).toBe(subnetID);
      expect(await answers.validates(subnetID)).toContain(id);
    }
    for (const [validationID, expected] of Object.entries(lastAnswers.l1Validators)) {
      expect(await caller.askPlatform('getL1Validator', { validationID })).toMatchObject(
        expected === null
          ? fault(`fetching L1 validator "${validationID}" failed: not found`)
          : { result: { ...expected, height: String(HEIGHT) } },
      );
    }
    const own = await platform.getCurrentValidators({ subnetId: sandbox.l1SubnetId });
    expect(own.map(({ nodeId }) => nodeId).sort()).toEqual(
      sandbox.validators.map(({ nodeId }) => nodeId).sort(),
    );
    expect((await platform.getSubnet({ subnetId: sandbox.l1SubnetId })).managerChainId).toBe(
      sandbox.l1ChainId,
    );
  });

  it('names simulated validators as current when they are asked for by node id', async () => {
    const nodeIds = sandbox.validators.map(({ nodeId }) => nodeId);
    const recorded = lastAnswers.validators[PRIMARY_NETWORK_ID]?.map(({ nodeID }) => String(nodeID)) ?? [];
    const asked = await platform.getCurrentValidators({ nodeIds: [...nodeIds, ...recorded] });
    expect(asked.map(({ nodeId }) => nodeId).sort()).toEqual([...nodeIds, ...recorded].sort());
  });

  it('leaves the validators that sign to the simulation', async () => {
    const validators = await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' });
    expect(new Set(validators.map(({ nodeId }) => nodeId))).toEqual(
      new Set(sandbox.validators.map(({ nodeId }) => nodeId)),
    );
  });

  it('gives the ids and upgrades of the recorded network', async () => {
    const info = new InfoClient(rpc);
    expect(await info.getBlockchainId({ alias: 'X' })).toBe(recording.blockchainIds.X);
    expect(await info.getBlockchainId({ alias: 'C' })).toBe(recording.blockchainIds.C);
    expect((await caller.ask('/ext/info', 'info.upgrades')).result).toEqual(recording.upgrades);
    expect(await caller.askPlatform('getStakingAssetID')).toMatchObject({
      result: { assetID: recording.avaxAssetId },
    });
  });
});

describe('another recording', () => {
  const cutAt = recording.answers.map(({ height }) => Number(height)).find((height) => height > 30) ?? 0;

  it('may end earlier, and goes on with empty blocks', async () => {
    const cut = cutRecording(recording, cutAt);
    const shorter = await startSandbox({ validators: 1, recording: cut, blockIntervalMs: 0 });
    const itsCaller = new SandboxCaller(shorter);
    try {
      shorter.advance(2);
      expect(shorter.height).toBe(BigInt(cutAt + 2));
      const { result } = await itsCaller.askPlatform('getBlockByHeight', { height: cutAt + 1 });
      expect(parseBlock(unpackRpcHex(String(result?.block)))).toMatchObject({ transactions: [] });
      const created = recording.blocks.slice(cutAt + 1).flatMap(({ bytes }) => {
        const block = parseBlock(fromHex(bytes));
        return 'transactions' in block ? block.transactions.map(({ id }) => cb58(id)) : [];
      });
      for (const txID of created) {
        expect(await itsCaller.askPlatform('getTxStatus', { txID })).toMatchObject({
          result: { status: 'Unknown' },
        });
      }
      const { result: subnets } = await itsCaller.askPlatform('getSubnets');
      expect(JSON.stringify(subnets)).not.toMatch(new RegExp(created.join('|')));
      const supply = cut.answers.at(-1)?.supply[PRIMARY_NETWORK_ID]?.supply;
      expect((await itsCaller.askPlatform('getCurrentSupply')).result?.supply).toBe(supply);
    } finally {
      await shorter.stop();
    }
  });

  it('has to reach height 20, below which the past of the simulated L1 lies', async () => {
    const first = Number(recording.answers[0]!.height);
    expect(first).toBeLessThan(20);
    const young = await startSandbox({
      validators: 1,
      recording: cutRecording(recording, first),
      blockIntervalMs: 0,
    });
    try {
      expect(young.height).toBe(20n);
      const containers = await new SandboxCaller(young).allContainers();
      expect(containers).toHaveLength(20);
      const last = parseBlock(unwrapBlock(unpackRpcHex(String(containers.at(-1)?.bytes))).inner);
      expect(last).toMatchObject({ height: 20n, transactions: [] });
    } finally {
      await young.stop();
    }
  });

  it('is never cut between a proposal and its decision', () => {
    const proposal = recording.blocks.findIndex(({ bytes }) =>
      parseBlock(fromHex(bytes)).type.endsWith('Proposal'),
    );
    expect(() => cutRecording(recording, proposal)).toThrow(RangeError);
    expect(() => cutRecording(recording, recording.blocks.length)).toThrow(RangeError);
  });

  it('is refused when it is of another network or lacks its last block', async () => {
    await expect(async () => startSandbox({ networkId: 5, recording })).rejects.toThrow(RangeError);
    await expect(async () => startSandbox({ baseHeight: BigInt(tipHeight - 1) })).rejects.toThrow(RangeError);
  });
});

describe('a sandbox without a recording', () => {
  it.each([{ recording: null }, { networkId: 99 }])('has heights and no blocks (%j)', async (options) => {
    const bare = await startSandbox({ validators: 1, blockIntervalMs: 0, ...options });
    const itsCaller = new SandboxCaller(bare);
    try {
      expect(bare.height).toBe(1_000n);
      expect(await itsCaller.askPlatform('getBlockByHeight', { height: 1 })).toMatchObject(
        fault('the sandbox does not simulate "platform.getBlockByHeight"'),
      );
      expect((await itsCaller.post('/ext/index/P/block', '{}')).status).toBe(404);
      expect((await itsCaller.post('/sandbox/p-chain', '{"kind":"honest"}')).status).toBe(400);
      expect(bare.describe().pChain).toBeNull();
    } finally {
      await bare.stop();
    }
  });
});
