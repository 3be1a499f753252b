import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SandboxCaller, UNKNOWN_ID } from '../test/support/sandbox/sandbox-caller.js';
import { PRIMARY_NETWORK_ID } from '../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../src/avalanche/rpc/platform-client.js';
import { type Sandbox, startSandbox } from './sandbox.js';

let sandbox: Sandbox;
let caller: SandboxCaller;
let rpc: JsonRpcClient;
let platform: PlatformClient;

beforeAll(async () => {
  sandbox = await startSandbox({
    validators: [{}, { weight: 7n }, {}, {}, {}],
    blockIntervalMs: 0,
    recording: null,
  });
  caller = new SandboxCaller(sandbox);
  rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 5_000 });
  platform = new PlatformClient(rpc);
});

afterAll(async () => {
  rpc.close();
  await sandbox.stop();
});

describe('the controls of a sandbox', () => {
  it('describe the world with examples', async () => {
    const world = (await (await fetch(`${sandbox.url}/sandbox`)).json()) as ReturnType<Sandbox['describe']>;
    expect(world).toEqual(JSON.parse(JSON.stringify(sandbox.describe())));
    expect(world.sandbox).toContain('simulated');
    expect(world.examples.cChainCall.message).toMatch(/^000000003039[0-9a-f]+$/);
  });

  it('change the behaviour of a validator by index, by node id, and of all', async () => {
    const [first, second] = sandbox.validators;
    expect(await caller.post('/sandbox/validators/0', '{"kind":"slow","delayMs":5}')).toMatchObject({
      status: 200,
    });
    expect(await caller.post(`/sandbox/validators/${second?.nodeId}`, '"silent"')).toMatchObject({
      status: 200,
    });
    expect([first?.behaviour, second?.behaviour]).toEqual([{ kind: 'slow', delayMs: 5 }, { kind: 'silent' }]);
    expect(await caller.post('/sandbox/validators', '"honest"')).toMatchObject({ status: 200 });
    expect(sandbox.validators.every(({ behaviour }) => behaviour.kind === 'honest')).toBe(true);
  });

  it('change how a validator, or all of them, serve their chains', async () => {
    const [first, second] = sandbox.validators;
    const stale = { kind: 'stale', lagBlocks: 5 };
    expect(await caller.post(`/sandbox/chains/${first?.nodeId}`, JSON.stringify(stale))).toMatchObject({
      status: 200,
    });
    expect([first?.chainBehaviour, second?.chainBehaviour]).toEqual([stale, { kind: 'honest' }]);
    expect(first?.behaviour).toEqual({ kind: 'honest' });
    expect(await caller.post('/sandbox/chains', '"empty"')).toMatchObject({ status: 200 });
    expect(sandbox.validators.every(({ chainBehaviour }) => chainBehaviour.kind === 'empty')).toBe(true);
  });

  it.each([
    { id: 'no JSON', path: '/sandbox/validators/0', body: 'silent', status: 400 },
    { id: 'an unknown kind', path: '/sandbox/validators/0', body: '"evil"', status: 400 },
    { id: 'a kind that needs more', path: '/sandbox/validators/0', body: '"slow"', status: 400 },
    { id: 'an unknown key', path: '/sandbox/validators/0', body: '{"kind":"silent","x":1}', status: 400 },
    {
      id: 'a way to serve chains of messages',
      path: '/sandbox/validators/0',
      body: '"broken-link"',
      status: 400,
    },
    { id: 'a way to sign of chains', path: '/sandbox/chains/0', body: '"garbage"', status: 400 },
    { id: 'an unknown validator', path: '/sandbox/validators/99', body: '"silent"', status: 404 },
    { id: 'no blocks', path: '/sandbox/advance', body: '{"blocks":0}', status: 400 },
    {
      id: 'an unknown subnet',
      path: '/sandbox/validator-sets',
      body: `{"subnetId":"${UNKNOWN_ID}","validators":[]}`,
      status: 400,
    },
    { id: 'settings of an epoch', path: '/sandbox/epoch', body: '{"height":5}', status: 400 },
    { id: 'an unknown topic', path: '/sandbox/nope', body: '{}', status: 404 },
  ])('refuse $id', async ({ path, body, status }) => {
    expect((await caller.post(path, body)).status).toBe(status);
  });

  it('refuse what a page of a browser could send unasked', async () => {
    expect((await caller.post('/sandbox/validators/0', '"silent"', 'text/plain')).status).toBe(415);
    expect((await fetch(`${sandbox.url}/sandbox/advance`)).status).toBe(405);
  });

  it('begin an epoch with the height that is then proposed', async () => {
    sandbox.advance(4);
    expect(sandbox.epochHeight).toBeLessThan(sandbox.proposedHeight);
    const { text } = await caller.post('/sandbox/epoch', '{}');
    const [height, proposedHeight] = [String(sandbox.height), String(sandbox.proposedHeight)];
    expect(JSON.parse(text)).toEqual({ height, proposedHeight, epochHeight: proposedHeight });
    sandbox.advance(4);
    expect(await caller.call('/ext/bc/C/proposervm', 'proposervm.getCurrentEpoch')).toMatchObject({
      result: { pChainHeight: proposedHeight },
    });
  });

  it('make blocks and change validator sets', async () => {
    const { height } = sandbox;
    expect(JSON.parse((await caller.post('/sandbox/advance', '{"blocks":7}')).text)).toMatchObject({
      height: String(height + 7n),
    });
    const validators = sandbox.validators.map(({ nodeId }) => ({ nodeId, weight: '18' }));
    await caller.post(
      '/sandbox/validator-sets',
      JSON.stringify({ subnetId: PRIMARY_NETWORK_ID, validators }),
    );
    const now = await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' });
    expect(now.map(({ weight }) => weight)).toEqual([18n, 18n, 18n, 18n, 18n]);
    const before = await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height });
    expect(before.map(({ weight }) => weight)).toContain(7n);
    sandbox.setWeight(0, 20n);
    expect(sandbox.validators[0]?.weight).toBe(20n);
    expect(() => sandbox.setWeight(99, 1n)).toThrow(RangeError);
  });
});

describe(startSandbox.name, () => {
  it.each([
    { id: 'no validators', options: { validators: 0 } },
    { id: 'no validator of the L1', options: { validators: [{ l1Weight: 0n }] } },
    { id: 'a key of a later validator', options: { validators: [{ sharesKeyWith: 1 }, {}] } },
    { id: 'a name as public address', options: { publicIp: 'localhost' } },
    { id: 'a height before its past', options: { baseHeight: 3n } },
  ])('refuses $id', async ({ options }) => {
    await expect(async () => startSandbox(options)).rejects.toThrow(RangeError);
  });

  it('leaves no port open when the HTTP port is taken', async () => {
    const httpPort = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ validators: 1, httpPort })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
