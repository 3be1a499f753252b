import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { type ApiAnswer, TestService } from '../support/harness/service.js';
import { startPostgresForTest, startTemporalForTest } from '../support/harness/services.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

const env = {
  /** Long enough to crash things in between, and to start them again on a busy machine. Five seconds are for the first attempt. */
  AGGREGATION_TIMEOUT_MS: '100000',
  /** Short enough that a lost worker is noticed soon. */
  WORKER_SILENCE_MS: '2000',
};

describe('aggregations while something crashes', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await startSandbox({ validators: 5 });
    // Three of five stall: two signatures are gathered, then the collecting waits.
    for (const validator of sandbox.validators.slice(2)) validator.setBehaviour('silent');
  });

  afterEach(() => sandbox.stop());

  const newMessage = () =>
    toHex(
      packUnsignedMessage({
        networkId: sandbox.networkId,
        sourceChainId: idFromString(sandbox.cChainId),
        payload: packHash({ hash: randomBytes(32) }),
      }),
    );

  const recover = () => sandbox.validators.forEach((validator) => validator.setBehaviour('honest'));

  const expectSigned = async (answer: ApiAnswer) => {
    expect(answer.status).toBe(201);
    const platform = new PlatformClient(new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 }));
    const entries = await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' });
    verifySignedMessage(answer.body, {
      networkId: sandbox.networkId,
      validatorSet: makeCanonicalValidatorSet(entries),
      quorumPercentage: 67,
    });
  };

  /** Two signatures are in Postgres, and the regular activity is at work. */
  const gathering = async (service: TestService) => {
    const connection = await Connection.connect({ address: service.temporalAddress });
    const temporal = new Client({ connection });
    const query = 'WorkflowType = "aggregateSignaturesWorkflow"';
    const database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    try {
      await eventually('two signatures are stored', async () => {
        const { rows } = await database.query<{ count: string }>('SELECT count(*) FROM validator_signatures');
        return rows[0]?.count === '2';
      });
      await eventually('the regular activity runs', async () => {
        for await (const { workflowId } of temporal.workflow.list({ query })) {
          const { raw } = await temporal.workflow.getHandle(workflowId).describe();
          if ((raw.pendingActivities ?? []).some(({ lastStartedTime }) => lastStartedTime != null)) {
            return true;
          }
        }
        return false;
      });
    } finally {
      await database.end();
      await connection.close();
    }
  };

  it('survive kill -9 of the worker: another one finishes the same run with the signatures gathered before', async () => {
    const service = await TestService.start({ nodeUrl: sandbox.url, env });
    const answering = service.aggregate({ message: newMessage() });
    await gathering(service);
    await service.workers[0]?.kill('SIGKILL');
    const askedBefore = sandbox.validators.slice(0, 2).map(({ requests }) => requests);
    recover();
    await service.startWorker();
    await expectSigned(await answering);
    expect(sandbox.validators.slice(0, 2).map(({ requests }) => requests)).toEqual(askedBefore);
    const connection = await Connection.connect({ address: service.temporalAddress });
    const runs = await new Client({ connection }).workflow.count(
      'WorkflowType = "aggregateSignaturesWorkflow"',
    );
    await connection.close();
    expect(runs.count).toBe(1);
  });

  it('survive kill -9 of the worker during the first attempt: another one takes over', async () => {
    const service = await TestService.start({ nodeUrl: sandbox.url, env });
    const answering = service.aggregate({ message: newMessage() });
    await eventually('validators were asked', () => sandbox.validators.every(({ requests }) => requests > 0));
    await service.workers[0]?.kill('SIGKILL');
    recover();
    await service.startWorker();
    await expectSigned(await answering);
  });

  it('survive kill -9 and restart of the Temporal server: the same run finishes, the waiting caller gets its answer', async () => {
    const temporal = await startTemporalForTest();
    const service = await TestService.start({ nodeUrl: sandbox.url, env, temporalAddress: temporal.address });
    const answering = service.aggregate({ message: newMessage() });
    await gathering(service);
    await temporal.kill();
    recover();
    await temporal.start();
    await expectSigned(await answering);
  });

  it('get a 503 in the time of one call while Temporal is away, and succeed after its return', async () => {
    recover();
    const temporal = await startTemporalForTest();
    const service = await TestService.start({
      nodeUrl: sandbox.url,
      env,
      temporalAddress: temporal.address,
    });
    await temporal.kill();
    const message = newMessage();
    expect(await service.aggregate({ message })).toMatchObject({
      status: 503,
      body: {
        message: 'the workflow engine (Temporal) is not available, try again shortly',
        error: 'Service Unavailable',
      },
    });
    await temporal.start();
    await eventually(
      'the same request succeeds',
      async () => (await service.aggregate({ message })).status === 201,
    );
  });

  it('survive kill -9 and restart of Postgres without losing anything', async () => {
    const postgres = await startPostgresForTest();
    const service = await TestService.start({ nodeUrl: sandbox.url, env, databaseUrl: postgres.url });
    const answering = service.aggregate({ message: newMessage() });
    await gathering(service);
    await postgres.kill();
    expect(await service.aggregate({ message: newMessage() })).toMatchObject({
      status: 503,
      body: { message: 'the database is not available, try again shortly' },
    });
    recover();
    await postgres.start();
    await expectSigned(await answering);
    await eventually(
      'a new request succeeds',
      async () => (await service.aggregate({ message: newMessage() })).status === 201,
    );
  });

  it('are answered from Temporal while Postgres stores nothing, and are stored afterwards', async () => {
    recover();
    const service = await TestService.start({ nodeUrl: sandbox.url, env });
    const database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    try {
      await database.query('BEGIN');
      await database.query('LOCK TABLE aggregated_signatures IN EXCLUSIVE MODE');
      await expectSigned(await service.aggregate({ message: newMessage() }));
      await database.query('ROLLBACK');
      await eventually('the result is stored', async () => {
        const { rowCount } = await database.query('SELECT FROM aggregated_signatures');
        return rowCount === 1;
      });
    } finally {
      await database.end();
    }
  });
});
