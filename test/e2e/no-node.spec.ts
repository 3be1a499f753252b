import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, SANDBOX_NETWORK_ID, startSandbox } from '../../sandbox/sandbox.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { type ApiAnswer, TestService } from '../support/harness/service.js';
import { peersSetting } from '../support/p2p/connect-to.js';

const VALIDATORS = 60;
const LISTED = 12;

const ListSchema = z.object({ validators: z.array(z.object({ nodeId: z.string() })) });

const HealthSchema = z.object({
  details: z.object({
    mainnet: z.object({
      status: z.string(),
      networkId: z.number(),
      index: z.object({ 'p-chain': z.object({ source: z.string() }) }),
    }),
  }),
});

describe('a service that has no node of a simulated mainnet', () => {
  let sandbox: Sandbox;
  let service: TestService;

  beforeAll(async () => {
    sandbox = await startSandbox({ internet: true, validators: VALIDATORS, staked: {} });
    onCleanup(() => sandbox.stop());
    const reachable = sandbox.validators.filter(
      ({ isListed, behaviour }) => isListed && behaviour.kind === 'honest',
    );
    service = await TestService.start({
      nodeUrl: '',
      isHosted: true,
      env: {
        FUJI_NODE_URL: undefined,
        NETWORKS: `mainnet:${SANDBOX_NETWORK_ID}`,
        SANDBOX_NETWORKS: 'mainnet',
        MAINNET_PEERS: peersSetting(reachable.slice(0, LISTED)).join(','),
        API_WORKER_QUEUES: 'signatures,indexing',
        LOG_LEVEL: 'error',
      },
    });
  });

  it('lists the validators, which it has read from themselves', async () => {
    let nodeIds: string[] = [];
    await eventually('all of them are listed', async () => {
      const path = '/v1/networks/mainnet/validators?validationStatus=active&pageSize=100';
      const { status, body } = await service.request(path);
      if (status !== 200) return false;
      nodeIds = ListSchema.parse(body).validators.map(({ nodeId }) => nodeId);
      return nodeIds.length >= VALIDATORS;
    });
    expect(nodeIds.toSorted()).toEqual(sandbox.validators.map(({ nodeId }) => nodeId).toSorted());
  });

  it('signs a message', async () => {
    const message = toHex(
      packUnsignedMessage({
        networkId: SANDBOX_NETWORK_ID,
        sourceChainId: idFromString(sandbox.cChainId),
        payload: packHash({ hash: randomBytes(32) }),
      }),
    );
    let answer: ApiAnswer | undefined;
    await eventually(
      'it is signed',
      async () => (answer = await service.aggregate({ message }, 'mainnet')).status === 201,
    ).catch((error: unknown) => {
      throw new Error(JSON.stringify(answer), { cause: error });
    });
  });

  it('is healthy, and has not made a single call to a node', async () => {
    await eventually('it is up', async () => {
      const { body } = await service.request('/v1/health-check');
      const health = HealthSchema.safeParse(body);
      if (!health.success) return false; // while the database does not answer
      const { mainnet } = health.data.details;
      expect(mainnet.index['p-chain'].source).toMatch(/^the validators \(\d+ serve, \d{2,} blocks read\)$/);
      return mainnet.status === 'up' && mainnet.networkId === SANDBOX_NETWORK_ID;
    });
    expect(sandbox.calls).toEqual({});
  });
});
