import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { unpackAddress } from '../../src/avalanche/ids/address.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { writeNetworksFile } from '../support/networks-file.js';
import { peersSetting } from '../support/p2p/connect-to.js';

const VALIDATORS = 5;

const ListSchema = z.object({
  validators: z.array(
    z.object({ nodeId: z.string(), rewards: z.object({ rewardAddresses: z.array(z.string()) }) }),
  ),
});
const UtxosSchema = z.object({ utxos: z.array(z.object({ addresses: z.array(z.string()) })) });
const BlockchainsSchema = z.object({ blockchains: z.array(z.object({ blockchainId: z.string() })) });
const HealthSchema = z.object({
  details: z.record(
    z.string(),
    z.object({ status: z.string(), networkId: z.number().optional(), message: z.string().optional() }),
  ),
});
const DocumentSchema = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z
        .object({
          parameters: z.array(
            z.object({ name: z.string(), schema: z.object({ enum: z.array(z.string()).optional() }) }),
          ),
        })
        .optional(),
    }),
  ),
});

const messageOf = ({ networkId, cChainId }: Sandbox): string =>
  toHex(
    packUnsignedMessage({
      networkId,
      sourceChainId: idFromString(cChainId),
      payload: packHash({ hash: randomBytes(32) }),
    }),
  );

describe('a service with two more networks beside fuji, one of them without a node', () => {
  let fuji: Sandbox;
  let devnet14: Sandbox;
  let devnet114: Sandbox;
  let wrong: Sandbox;
  let service: TestService;

  beforeAll(async () => {
    const staked = { validators: VALIDATORS, staked: {} };
    [fuji, devnet14, devnet114, wrong] = await Promise.all([
      startSandbox(),
      startSandbox({ ...staked, networkId: 14, seed: 'devnet 14' }),
      startSandbox({ ...staked, networkId: 114, seed: 'devnet 114' }),
      startSandbox({ networkId: 99 }),
    ]);
    for (const sandbox of [fuji, devnet14, devnet114, wrong]) onCleanup(() => sandbox.stop());
    const file = await writeNetworksFile([
      { name: 'devnet14', networkId: 14, hrp: 'flower', nodeUrls: ['${DEVNET14_NODES}'] },
      { name: 'devnet114', networkId: 114, bootstrappers: peersSetting(devnet114.validators) },
      { name: 'mistaken', networkId: 77, nodeUrls: [wrong.url] },
    ]);
    service = await TestService.start({
      nodeUrl: fuji.url,
      isHosted: true,
      env: {
        NETWORKS_FILE: file,
        DEVNET14_NODES: devnet14.url,
        SANDBOX_NETWORKS: 'fuji,devnet14,devnet114',
        API_WORKER_QUEUES: 'signatures,indexing',
        LOG_LEVEL: 'error',
      },
    });
  });

  const get = (path: string) => service.request(`/v1/networks/${path}`);

  /** Once the index is past the validators of the genesis. */
  const listed = async (network: string, sandbox: Sandbox) => {
    const nodes = sandbox.validators.map(({ nodeId }) => nodeId);
    let validators: z.infer<typeof ListSchema>['validators'] = [];
    await eventually(`the validators of ${network} are listed`, async () => {
      const { status, body } = await get(`${network}/validators?validationStatus=active&pageSize=100`);
      if (status !== 200) return false;
      ({ validators } = ListSchema.parse(body));
      const isAll = nodes.every((node) => validators.some(({ nodeId }) => nodeId === node));
      return isAll && validators.length === nodes.length;
    });
    return validators;
  };

  it.each([
    { name: 'devnet14', sandbox: () => devnet14, hrp: 'flower' },
    { name: 'devnet114', sandbox: () => devnet114, hrp: 'custom' },
  ])(
    'indexes the P-chain of $name from its own genesis, and lists the validators with the prefix $hrp',
    async ({ name, sandbox, hrp }) => {
      const validators = await listed(name, sandbox());
      const nodeIds = validators.map(({ nodeId }) => nodeId).toSorted();
      expect(nodeIds).toEqual(
        sandbox()
          .validators.map(({ nodeId }) => nodeId)
          .toSorted(),
      );
      const addresses = validators.flatMap(({ rewards }) => rewards.rewardAddresses);
      expect(addresses.length).toBeGreaterThan(0);
      expect(new Set(addresses.map((address) => unpackAddress(address).hrp))).toEqual(new Set([hrp]));

      const { body: blockchains } = await get(`${name}/blockchains`);
      const { cChainId, xChainId } = sandbox();
      const ids = BlockchainsSchema.parse(blockchains).blockchains.map(({ blockchainId }) => blockchainId);
      expect(ids).toEqual(expect.arrayContaining([cChainId, xChainId]));

      const { status, body: utxos } = await get(
        `${name}/blockchains/p-chain/utxos?addresses=${addresses[0]}`,
      );
      expect(status).toBe(200);
      expect(UtxosSchema.parse(utxos).utxos.length).toBeGreaterThan(0);
    },
  );

  it.each([
    { name: 'fuji', sandbox: () => fuji },
    { name: 'devnet14', sandbox: () => devnet14 },
    { name: 'devnet114', sandbox: () => devnet114 },
  ])(
    'collects signatures of the validators of $name, of its own messages alone',
    async ({ name, sandbox }) => {
      await eventually(
        'it is signed',
        async () => (await service.aggregate({ message: messageOf(sandbox()) }, name)).status === 201,
      );
      const foreign = name === 'devnet14' ? fuji : devnet14;
      const { status, body } = await service.aggregate({ message: messageOf(foreign) }, name);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        message: expect.stringContaining(`message: is for network ${foreign.networkId}`),
      });
    },
  );

  it('reports a node of another network than that of the file, and refuses to ask its validators', async () => {
    const text = 'mistaken is network 77 in NETWORKS_FILE, but its node is of network 99';
    const { body } = await service.request('/v1/health-check');
    const { details } = HealthSchema.parse(body);
    expect(details).toMatchObject({
      devnet14: { networkId: 14 },
      devnet114: { networkId: 114 },
      mistaken: { status: 'down', message: expect.stringContaining(text) },
    });
    const refused = await service.aggregate({ message: messageOf(wrong) }, 'mistaken');
    expect(refused).toMatchObject({ status: 503, body: { message: text } });
  });

  it('names its networks to who asks for another, and in the OpenAPI document', async () => {
    const { status, body } = await get('devnet15/validators');
    expect(status).toBe(400);
    const names = ['mainnet', 'fuji', 'devnet14', 'devnet114', 'mistaken', 'testnet'];
    expect(body).toMatchObject({ message: `network: must be one of ${names.join(', ')}` });
    const { body: document } = await service.request('/openapi.json');
    const { paths } = DocumentSchema.parse(document);
    const parameters = paths['/v1/networks/{network}/validators']?.get?.parameters ?? [];
    const listed = parameters.find(({ name }) => name === 'network')?.schema.enum ?? [];
    expect(listed.toSorted()).toEqual(names.toSorted());
  });
});
