import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { unpackL1Message } from '../../sandbox/peer/l1-message.js';
import { packAddressedCall, unpackAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { packSendWarpMessageData } from '../support/signatures/send-warp-log.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { signedMessageOf } from '../support/harness/observed-service.js';
import { TestService } from '../support/harness/service.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

describe('POST aggregateSignatures', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let platform: PlatformClient;
  let connection: Connection;
  let temporal: Client;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5 });
    service = await TestService.start({
      nodeUrl: sandbox.url,
      // So that the first attempt is enough on a busy machine: it may take five seconds.
      env: { AGGREGATION_TIMEOUT_MS: '100000' },
    });
    platform = new PlatformClient(new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 }));
    connection = await Connection.connect({ address: service.temporalAddress });
    temporal = new Client({ connection });
  });

  afterAll(async () => {
    await connection.close();
    await sandbox.stop();
  });

  beforeEach(() => {
    for (const validator of sandbox.validators) validator.setBehaviour('honest');
  });

  const newMessage = (sourceChainId = sandbox.cChainId) =>
    packUnsignedMessage({
      networkId: sandbox.networkId,
      sourceChainId: idFromString(sourceChainId),
      payload: packAddressedCall({ sourceAddress: randomBytes(20), payload: randomBytes(100) }),
    });

  const validatorSet = async (subnetId = PRIMARY_NETWORK_ID) =>
    makeCanonicalValidatorSet(await platform.getValidatorsAt({ subnetId, height: 'proposed' }));

  const countRuns = async () =>
    (await temporal.workflow.count('WorkflowType = "aggregationRunWorkflow"')).count;

  /** Once the run with this result is listed. */
  const listedRunOf = async (signedMessage: string): Promise<WorkflowExecutionInfo | undefined> => {
    const query = 'WorkflowType = "aggregationRunWorkflow" AND NdsNetwork = "fuji"';
    const findRun = async () => {
      for await (const run of temporal.workflow.list({ query })) {
        const result: unknown = await temporal.workflow.getHandle(run.workflowId).result();
        if (JSON.stringify(result).includes(signedMessage)) return run;
      }
      return undefined;
    };
    let run: WorkflowExecutionInfo | undefined;
    await eventually('the run is listed', async () => (run = await findRun()) !== undefined);
    return run;
  };

  /** Visibility is eventually consistent: as many as it shows once it shows so many. */
  const runsReach = async (expected: number) => {
    await eventually(`${expected} runs`, async () => (await countRuns()) >= expected);
    return countRuns();
  };

  it('answers 201 with a message that verifies as the receiving chain would', async () => {
    const message = newMessage();
    const answer = await service.aggregate({ message: toHex(message) });
    expect(answer.status).toBe(201);
    expect(answer.contentType).toMatch(/^application\/json/);
    expect(Object.keys(answer.body ?? {})).toEqual(['signedMessage']);
    const verified = verifySignedMessage(answer.body, {
      networkId: sandbox.networkId,
      validatorSet: await validatorSet(),
      quorumPercentage: 67,
    });
    expect(toHex(packUnsignedMessage(verified.message.unsignedMessage))).toBe(toHex(message));
  });

  it('takes the data of a SendWarpMessage log, 0x and either case, and the second name of the test network', async () => {
    const message = newMessage();
    const bare = await service.aggregate({ message: toHex(message) });
    const log = await service.aggregate(
      { message: `0x${toHex(packSendWarpMessageData(message)).toUpperCase()}` },
      'testnet',
    );
    expect([bare.status, log.status]).toEqual([201, 201]);
    expect(log.body).toEqual(bare.body);
  });

  it('lets the subnet of the source chain sign by default', async () => {
    const message = toHex(newMessage(sandbox.l1ChainId));
    const own = await service.aggregate({ message });
    verifySignedMessage(own.body, {
      networkId: sandbox.networkId,
      validatorSet: await validatorSet(sandbox.l1SubnetId),
      quorumPercentage: 67,
    });
    const primary = await service.aggregate({
      message,
      signingSubnetId: `0x${'00'.repeat(32)}`,
      quorumPercentage: 80,
    });
    verifySignedMessage(primary.body, {
      networkId: sandbox.networkId,
      validatorSet: await validatorSet(),
      quorumPercentage: 80,
    });
  });

  it('reaches quorum plus buffer, no more', async () => {
    const answer = await service.aggregate({
      message: toHex(newMessage()),
      quorumPercentage: 40,
      quorumPercentageBuffer: 40,
    });
    const set = await validatorSet();
    const { signedWeight } = verifySignedMessage(answer.body, {
      networkId: sandbox.networkId,
      validatorSet: set,
      quorumPercentage: 80,
    });
    expect(signedWeight * 100n).toBeGreaterThanOrEqual(set.totalWeight * 80n);
    expect(signedWeight).toBeLessThan(set.totalWeight);
  });

  it('uses the validators of the given height', async () => {
    const height = await platform.getHeight();
    const answer = await service.aggregate({ message: toHex(newMessage()), pChainHeight: Number(height) });
    expect(answer.status).toBe(201);
  });

  it('derives the message of a conversion from its subnet id alone', async () => {
    const answer = await service.aggregate({ justification: toHex(idFromString(sandbox.l1SubnetId)) });
    expect(answer.status).toBe(201);
    const { message } = verifySignedMessage(answer.body, {
      networkId: sandbox.networkId,
      validatorSet: await validatorSet(),
      quorumPercentage: 67,
    });
    const { payload } = unpackAddressedCall(message.unsignedMessage.payload);
    const { conversionId } = await platform.getSubnet({ subnetId: sandbox.l1SubnetId });
    expect(unpackL1Message(payload)).toEqual({
      kind: 'subnetToL1Conversion',
      id: idFromString(conversionId),
    });
  });

  it('runs one workflow for 100 equal requests at once, and none for an equal one afterwards', async () => {
    // Behind all that came before it.
    await listedRunOf(signedMessageOf(await service.aggregate({ message: toHex(newMessage()) })));
    const before = await countRuns();
    const message = toHex(newMessage());
    const answers = await Promise.all(Array.from({ length: 100 }, () => service.aggregate({ message })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 201));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const asked = sandbox.validators.map(({ requests }) => requests);
    expect((await service.aggregate({ message: `0x${message}` })).body).toEqual(answers[0]?.body);
    expect(sandbox.validators.map(({ requests }) => requests)).toEqual(asked);
    // Shown behind all that came before it.
    await service.aggregate({ message: toHex(newMessage()) });
    expect(await runsReach(before + 2)).toBe(before + 2);
  });

  it('answers equal requests through two API processes, and afterwards with the one stored result', async () => {
    const second = await TestService.start({
      nodeUrl: sandbox.url,
      workers: 0,
      databaseUrl: service.databaseUrl,
      temporalAddress: service.temporalAddress,
    });
    const message = toHex(newMessage());
    const ask = async (times: number) => {
      const asking = Array.from({ length: times }, (_, i) => (i % 2 === 0 ? service : second));
      return Promise.all(asking.map((api) => api.aggregate({ message })));
    };
    expect((await ask(40)).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 201));
    // Each of the two has recorded it, and may have had it collected.
    await eventually('the runs have ended', async () => {
      const running = 'WorkflowType = "aggregationRunWorkflow" AND ExecutionStatus = "Running"';
      return (await temporal.workflow.count(running)).count === 0;
    });
    expect(new Set((await ask(4)).map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('makes a new result when the validator set has changed', async () => {
    const changing = await startSandbox({ validators: 5, seed: 'changing' });
    try {
      const own = await TestService.start({ nodeUrl: changing.url });
      const message = toHex(newMessage(changing.cChainId));
      const first = await own.aggregate({ message });
      expect(first.status).toBe(201);
      changing.setWeight(0, 10n ** 18n);
      const platformOfChanging = new PlatformClient(
        new JsonRpcClient({ urls: [changing.url], timeoutMs: 60_000 }),
      );
      const current = async () =>
        makeCanonicalValidatorSet(
          await platformOfChanging.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' }),
        );
      const digest = (await current()).digest;
      let second = first;
      // The API may know the old proposed height for a second.
      await eventually('another result', async () => {
        second = await own.aggregate({ message });
        return JSON.stringify(second.body) !== JSON.stringify(first.body);
      });
      expect((await current()).digest).toBe(digest);
      verifySignedMessage(second.body, {
        networkId: changing.networkId,
        validatorSet: await current(),
        quorumPercentage: 67,
      });
    } finally {
      await changing.stop();
    }
  });

  it('shows the run in the Web UI: id, search attributes, outcome', async () => {
    const message = newMessage();
    const run = await listedRunOf(signedMessageOf(await service.aggregate({ message: toHex(message) })));
    expect(run?.workflowId).toMatch(/^aggregation-run:fuji:[0-9a-f-]{36}$/);
    const pairs = run?.typedSearchAttributes.getAll() ?? [];
    expect(Object.fromEntries(pairs.map(({ key, value }) => [key.name, value]))).toMatchObject({
      NdsNetwork: 'fuji',
      NdsQuorumPercentage: 67,
      NdsSourceBlockchainId: sandbox.cChainId,
    });
  });

  it('reports in its health answer what is simulated and what is up', async () => {
    const sandboxed = await TestService.start({
      nodeUrl: sandbox.url,
      workers: 0,
      env: { SANDBOX_NETWORKS: 'fuji' },
    });
    expect(await sandboxed.request('/v1/health-check')).toMatchObject({
      status: 200,
      body: {
        status: 'degraded',
        details: {
          database: { status: 'up' },
          temporal: { status: 'up' },
          workers: { status: 'degraded', message: 'no worker serves signatures, indexing' },
          fuji: { status: 'up', sandbox: true, networkId: sandbox.networkId },
        },
      },
    });
    expect((await sandboxed.request('/v1/live-check')).body).toEqual({ status: 'ok' });
  });

  it('serves an OpenAPI document that names the endpoints, their errors and the request id', async () => {
    const { status, body } = await service.request('/openapi.json');
    expect(status).toBe(200);
    const { paths, components } = body as {
      paths: Record<string, Partial<Record<'get' | 'post', { responses: Record<string, object> }>>>;
      components: { responses: Record<string, object> };
    };
    const path = '/v1/signatureAggregator/{network}/aggregateSignatures';
    const errors = ['400', '401', '403', '404', '429', '500', '502', '503'];
    const responses = paths[path]?.post?.responses ?? {};
    const byTransaction = paths[`${path}/{txHash}`]?.get?.responses ?? {};
    expect(Object.keys(responses).sort()).toEqual(['201', ...errors]);
    expect(Object.keys(byTransaction).sort()).toEqual(['200', '304', ...errors]);
    expect(responses['400']).toEqual({ $ref: '#/components/responses/BadRequest' });
    const own = [responses['201'], byTransaction['200'], byTransaction['304']];
    for (const response of [...own, ...Object.values(components.responses)]) {
      expect(response).toHaveProperty(['headers', 'x-request-id']);
    }
  });
});
