import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { freePort, isAnswered } from '../../sandbox/local/processes/ports.js';
import { eventually } from '../support/harness/eventually.js';
import { Scrape } from '../support/harness/scrape.js';
import { TestService } from '../support/harness/service.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

const MAX_BODY_BYTES = 4_198_400;
const FAILED = 'failed to aggregate signatures. error: ';

/** Series of the Go aggregator, as Prometheus scrapes them. */
const METRICS = [
  'agg_sigs_latency_ms',
  'agg_sigs_req_count',
  'app_request_count',
  'connected_stake_weight_percentage',
  'failures_sending_to_node',
  'failures_to_connect_to_sufficient_stake',
  'failures_to_get_validator_set',
  'invalid_signature_responses',
  'signature_cache_hits',
  'signature_cache_misses',
  'validator_timeouts',
];

const SignedSchema = z.strictObject({ 'signed-message': z.string().regex(/^([0-9a-f]{2})+$/) });

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

describe("the Go aggregator's dialect", () => {
  let sandbox: Sandbox;
  let service: TestService;
  let url: string;
  let metrics: string;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5 });
    const [port, metricsPort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    metrics = `http://127.0.0.1:${metricsPort}`;
    service = await TestService.start({
      nodeUrl: sandbox.url,
      isHosted: true,
      env: {
        GO_AGGREGATOR_PORT: String(port),
        METRICS_ADDRESS: String(metricsPort),
      },
    });
    await eventually('connections', async () => (await fetch(`${url}/health`)).status === 200);
  });

  afterAll(() => sandbox.stop());

  const newMessage = (given: { networkId?: number; sourceChainId?: Uint8Array } = {}): string =>
    toHex(
      packUnsignedMessage({
        networkId: given.networkId ?? sandbox.networkId,
        sourceChainId: given.sourceChainId ?? idFromString(sandbox.cChainId),
        payload: packHash({ hash: randomBytes(32) }),
      }),
    );

  const post = async (body: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(`${url}/aggregate-signatures`, { method: 'POST', body, headers });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

  const ask = (body: object): Promise<Answer> => post(JSON.stringify(body));

  const setAt = async (height: bigint | 'proposed') => {
    const platform = new PlatformClient(new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 }));
    return makeCanonicalValidatorSet(
      await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height }),
    );
  };

  /** Of a 200: verified as the receiving chain would, by another implementation. */
  const verified = async ({ status, body }: Answer, quorumPercentage = 67) => {
    expect({ status, body }).toMatchObject({ status: 200 });
    const { 'signed-message': signedMessage } = SignedSchema.parse(body);
    return verifySignedMessage(
      { signedMessage },
      { networkId: sandbox.networkId, validatorSet: await setAt('proposed'), quorumPercentage },
    );
  };

  it.each([
    [
      'the whole request of its client',
      {
        justification: '',
        'signing-subnet-id': '',
        'quorum-percentage': 0,
        'pchain-height': 0,
      },
    ],
    ['that of a CLI, with a buffer', { 'quorum-percentage': 67, 'quorum-percentage-buffer': 3 }],
    ['a subnet in cb58', { 'signing-subnet-id': PRIMARY_NETWORK_ID }],
    ['a subnet in hex', { 'signing-subnet-id': `0x${'00'.repeat(32)}` }],
    ['names of another case, and fields that it does not know', { Justification: '', extra: 1.5 }],
    ['nulls', { justification: null, 'quorum-percentage': null, 'signing-subnet-id': null }],
  ])('signs %s', async (_, more) => {
    await verified(await ask({ message: newMessage(), ...more }));
    await verified(await ask({ message: `0x${newMessage()}`, ...more }));
  });

  it('signs whatever the content type, and what the API signs under its own names', async () => {
    const message = newMessage();
    const answer = await post(JSON.stringify({ message }), { 'content-type': 'text/plain' });
    await verified(answer);
    const { 'signed-message': signedMessage } = SignedSchema.parse(answer.body);
    expect(await service.aggregate({ message })).toMatchObject({ status: 201, body: { signedMessage } });
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  it('takes 100 % as 100 %', async () => {
    expect(
      (await verified(await ask({ message: newMessage(), 'quorum-percentage': 100 }), 100)).signers,
    ).toEqual([0, 1, 2, 3, 4]);
  });

  it.each(['pchain-height', 'p-chain-height'])('takes the height as %s', async (name) => {
    const tooHigh = await ask({ message: newMessage(), [name]: 1_000_000 });
    expect(tooHigh).toMatchObject({ status: 500, body: { error: expect.stringContaining(FAILED) } });
    expect(tooHigh.headers.get('x-error-detail')).toMatch(/^400: pChainHeight: .*1000000/);
    const platform = new PlatformClient(new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 }));
    const height = await platform.getProposedHeight();
    await verified(await ask({ message: newMessage(), [name]: Number(height) }));
  });

  it('takes the greatest height for the proposed one', async () => {
    await verified(await post(`{"message":"${newMessage()}","pchain-height":18446744073709551615}`));
  });

  const decode = 'Could not decode request body';
  it.each<[number, string, string, (message: string) => string]>([
    [400, decode, 'no JSON', () => '{'],
    [400, decode, 'an empty body', () => ''],
    [400, decode, 'a list', () => '[]'],
    [400, decode, 'a negative quorum', (m) => `{"message":"${m}","quorum-percentage":-1}`],
    [400, decode, 'a fraction', (m) => `{"message":"${m}","quorum-percentage":67.0}`],
    [400, decode, 'an exponent', (m) => `{"message":"${m}","pchain-height":1e2}`],
    [400, decode, 'a number in quotes', (m) => `{"message":"${m}","quorum-percentage":"67"}`],
    [400, decode, 'a number above 64 bits', (m) => `{"message":"${m}","pchain-height":18446744073709551616}`],
    [400, decode, 'a message that is no text', () => '{"message":1}'],
    [400, 'Could not decode message', 'no hex', () => '{"message":"xyz"}'],
    [400, 'Error unpacking warp message', 'no message', () => '{}'],
    [400, 'Error unpacking warp message', 'null', () => 'null'],
    [400, 'Error unpacking warp message', 'another message', () => '{"message":"0x0011"}'],
    [400, 'Error unpacking warp message', 'a justification alone', () => '{"justification":"0x00"}'],
    [
      400,
      'Could not decode justification',
      'another justification',
      (m) => `{"message":"${m}","justification":"x"}`,
    ],
    [400, 'Invalid quorum number', 'a quorum of 101', (m) => `{"message":"${m}","quorum-percentage":101}`],
    [
      400,
      'Invalid quorum buffer number',
      'a buffer beyond 100',
      (m) => `{"message":"${m}","quorum-percentage-buffer":34}`,
    ],
    [
      400,
      'Error parsing signing subnet ID',
      'another subnet id',
      (m) => `{"message":"${m}","signing-subnet-id":"me"}`,
    ],
    [413, 'Request body too large', 'a long body', () => `{"message":"${'0'.repeat(MAX_BODY_BYTES)}"}`],
    [
      413,
      'signature request exceeds the maximum p2p message size',
      'a long justification',
      (m) => `{"message":"${m}","justification":"${'00'.repeat(MAX_BODY_BYTES / 4)}"}`,
    ],
  ])('answers %i "%s" to %s', async (status, error, _, bodyOf) => {
    const answer = await post(bodyOf(newMessage()));
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: { error } });
  });

  it.each([
    ['a network that is not served', () => newMessage({ networkId: 77 }), /is for network 77/],
    ['an unknown chain', () => newMessage({ sourceChainId: randomBytes(32) }), /unknown source blockchain/],
  ])('answers 500 to %s, and gives its own answer in a header', async (_, messageOf, cause) => {
    const answer = await ask({ message: messageOf() });
    expect(answer).toMatchObject({ status: 500, body: { error: expect.stringMatching(cause) } });
    expect(answer.headers.get('x-error-detail')).toMatch(/^400: /);
  });

  it('answers the sentences that clients look for, with causes and weights in a header', async () => {
    try {
      sandbox.validators[0]?.setBehaviour({ kind: 'refuse', code: -2, message: 'no' });
      sandbox.validators[1]?.setBehaviour({ kind: 'wrong-signature' });
      const refused = await ask({ message: newMessage() });
      expect(refused.status).toBe(500);
      expect(refused.body).toEqual({ error: `${FAILED}failed to collect a threshold of signatures` });
      // Signatures that are late do not count.
      expect(refused.headers.get('x-error-detail')).toMatch(
        /^503: .* 67 % needed, .*signed weight \d+ of \d+ \([0246]?0 %\).*1x refused with code -2 \(no\)/,
      );
    } finally {
      for (const validator of sandbox.validators) validator.setBehaviour('honest');
    }
  });

  it("serves the Go aggregator's metrics under their names", async () => {
    const stake = 'signature_aggregator_connected_stake_weight_percentage';
    await eventually('all are connected', async () => (await Scrape.of(metrics)).value(stake) === 100);
    const { names, value } = await Scrape.of(metrics).then((scrape) => ({
      names: scrape.names,
      value: (name: string) => scrape.value(`signature_aggregator_${name}`),
    }));
    const prefix = 'signature_aggregator_';
    const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    expect(own.sort()).toEqual(METRICS);
    for (const name of METRICS.slice(0, 3)) expect([name, value(name)]).toEqual([name, expect.any(Number)]);
    expect(value('agg_sigs_req_count')).toBeGreaterThan(30);
    expect(value('app_request_count')).toBeGreaterThan(30);
    expect(value('invalid_signature_responses')).toBeGreaterThan(0);
    expect(value('failures_to_get_validator_set')).toBeGreaterThan(0);
  });

  it('answers other paths as Go does', async () => {
    const response = await fetch(`${url}/v1/chains`);
    expect([response.status, await response.text()]).toEqual([404, '404 page not found\n']);
  });

  it('reports its health, which follows the stake that is connected', async () => {
    const health = async () => {
      const response = await fetch(`${url}/health`);
      return { status: response.status, body: await response.json() };
    };
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await health()).toEqual({
      status: 200,
      body: { status: 'up', details: { 'signature-aggregator-health': { status: 'up', timestamp } } },
    });
    try {
      for (const validator of sandbox.validators.slice(0, 2)) validator.setBehaviour('refuse-connections');
      await eventually('too little stake', async () => (await health()).status === 503);
      const error = expect.stringContaining('failed to connect to a threshold of stake');
      expect((await health()).body).toEqual({
        status: 'down',
        details: { 'signature-aggregator-health': { status: 'down', timestamp, error } },
      });
    } finally {
      for (const validator of sandbox.validators) validator.setBehaviour('honest');
    }
  });
});

describe("the port of the Go aggregator's dialect", () => {
  it('is held to the limits of each address, and closed with the process after what is under way', async () => {
    const sandbox = await startSandbox({ validators: 3 });
    try {
      const port = await freePort();
      const service = await TestService.start({
        nodeUrl: sandbox.url,
        isHosted: true,
        env: { GO_AGGREGATOR_PORT: String(port), RATE_LIMITS: 'true' },
      });
      const url = `http://127.0.0.1:${port}`;
      await eventually('connections', async () => (await fetch(`${url}/health`)).status === 200);
      const first = await fetch(`${url}/aggregate-signatures`, { method: 'POST', body: '{}' });
      expect(first.headers.get('ratelimit-limit')).not.toBeNull();
      const unknown = await fetch(`${url}/aggregate-signatures`, {
        method: 'POST',
        body: '{}',
        headers: { 'x-data-api-key': 'nds_unknown' },
      });
      expect([unknown.status, await unknown.json()]).toEqual([
        401,
        { error: expect.stringContaining('x-data-api-key') },
      ]);
      sandbox.validators[0]?.setBehaviour({ kind: 'slow', delayMs: 1_500 });
      const message = toHex(
        packUnsignedMessage({
          networkId: sandbox.networkId,
          sourceChainId: idFromString(sandbox.cChainId),
          payload: packHash({ hash: randomBytes(32) }),
        }),
      );
      const asked = sandbox.validators[0]?.requests ?? 0;
      const underWay = fetch(`${url}/aggregate-signatures`, {
        method: 'POST',
        body: JSON.stringify({ message, 'quorum-percentage': 100 }),
      });
      await eventually('the validator asked', () => (sandbox.validators[0]?.requests ?? 0) > asked);
      const stopped = service.api.stop();
      const answer = await underWay;
      expect(answer.status).toBe(200);
      expect(fromHex(SignedSchema.parse(await answer.json())['signed-message']).length).toBeGreaterThan(100);
      await stopped;
      expect(await isAnswered(port)).toBe(false);
    } finally {
      await sandbox.stop();
    }
  });

  it('is not there unless it is configured', async () => {
    const sandbox = await startSandbox({ validators: 1 });
    try {
      const port = await freePort();
      const service = await TestService.start({ nodeUrl: sandbox.url, workers: 0 });
      expect(await isAnswered(port)).toBe(false);
      expect(service.api.output).not.toContain('dialect');
      const onOwnPort = await fetch(`${service.url}/aggregate-signatures`, { method: 'POST', body: '{}' });
      expect(onOwnPort.status).toBe(404);
    } finally {
      await sandbox.stop();
    }
  });
});
