import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import type { BehaviourInput } from '../../sandbox/behaviour.js';
import {
  type Sandbox,
  type SandboxOptions,
  type SandboxValidator,
  startSandbox,
} from '../../sandbox/sandbox.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { createTestFolder } from '../support/harness/services.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

/**
 * Real processes of the service in a sandbox that has the internet's distances, gaps and manners. Each fault by itself, with as
 * many validators as show it.
 */

const QUORUM = 67;
const VALIDATORS = 40;
const MINUTE_MS = 60_000;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startInternet(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({
    internet: true,
    validators: VALIDATORS,
    blockIntervalMs: 0,
    ...options,
  });
  closers.push(() => sandbox.stop());
  return sandbox;
}

/** The API with the connections to the validators in its own process. */
function startService(sandbox: Sandbox): Promise<TestService> {
  return TestService.start({ nodeUrl: sandbox.url, isHosted: true });
}

/** A caller that rests after each request. */
async function atPace(times: number, restMs: number, request: () => Promise<void>): Promise<void> {
  for (let i = 0; i < times; i++) {
    await request();
    await delay(restMs);
  }
}

function newMessage(sandbox: Sandbox, sourceChainId = sandbox.cChainId): string {
  return toHex(
    packUnsignedMessage({
      networkId: sandbox.networkId,
      sourceChainId: idFromString(sourceChainId),
      payload: packHash({ hash: randomBytes(32) }),
    }),
  );
}

async function setOf(sandbox: Sandbox, subnetId = PRIMARY_NETWORK_ID) {
  const rpc = new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 5_000, attempts: 20 });
  closers.push(() => rpc.close());
  return makeCanonicalValidatorSet(
    await new PlatformClient(rpc).getValidatorsAt({ subnetId, height: 'proposed' }),
  );
}

/** A message that nobody has signed yet; what is answered holds at the quorum, as the reference implementation finds. */
async function sign(
  service: TestService,
  sandbox: Sandbox,
  validatorSet?: Awaited<ReturnType<typeof setOf>>,
) {
  const answer = await service.aggregate({ message: newMessage(sandbox), quorumPercentage: QUORUM });
  expect(answer).toMatchObject({ status: 201 });
  return verifySignedMessage(answer.body, {
    networkId: sandbox.networkId,
    validatorSet: validatorSet ?? (await setOf(sandbox)),
    quorumPercentage: QUORUM,
  });
}

const isConnected = ({ clients }: SandboxValidator): boolean => clients.length > 0;

/** Validators of the least weight, with no more than a tenth of all. */
function lightest(sandbox: Sandbox): SandboxValidator[] {
  const byWeight = sandbox.validators.toSorted((a, b) => (a.weight < b.weight ? -1 : 1));
  const total = byWeight.reduce((sum, { weight }) => sum + weight, 0n);
  let weight = 0n;
  return byWeight.filter((validator) => (weight += validator.weight) * 10n <= total);
}

describe('a service on the internet', () => {
  it(
    'signs messages although a tenth of the validators is not there, by the heaviest ones that are',
    async () => {
      const sandbox = await startInternet();
      const service = await startService(sandbox);
      const { signers } = await sign(service, sandbox);
      expect(signers.length).toBeLessThan(VALIDATORS);
      const present = sandbox.validators.filter(
        ({ isListed, behaviour }) => isListed && behaviour.kind === 'honest',
      );
      await eventually('all that are there are connected', () => present.every(isConnected));
      const gone = sandbox.validators.filter((validator) => !present.includes(validator));
      expect(gone.length).toBeGreaterThan(0);
      expect(gone.some(isConnected)).toBe(false);
    },
    2 * MINUTE_MS,
  );

  it.each<{ name: string; node: NonNullable<SandboxOptions['node']> }>([
    {
      name: 'is slow and answers 429 above three requests a second',
      node: { delayMs: 100, requestsPerSecond: 3 },
    },
    { name: 'answers every other call only', node: { failEvery: 2 } },
    {
      name: 'is three behind one address, one blocks behind and one just restarted',
      node: { backends: [{ lagBlocks: 0 }, { lagBlocks: 3 }, { proposesTip: true }] },
    },
  ])(
    'does not refuse a request because a node $name',
    async ({ node }) => {
      const sandbox = await startInternet({ node: {}, validators: 10 });
      sandbox.setNodeBehaviour(node);
      const service = await startService(sandbox);
      await eventually('a beginning', () => sandbox.connectedStakeShare > 0.67);
      // The set stays the same, so that what is signed for any of the heights holds.
      const validatorSet = await setOf(sandbox);
      await atPace(12, 250, async () => {
        sandbox.advance(1);
        await sign(service, sandbox, validatorSet);
      });
    },
    2 * MINUTE_MS,
  );

  it(
    'does without a node that is gone for a moment, and asks it little while all is well',
    async () => {
      const sandbox = await startInternet({ node: {} });
      const service = await startService(sandbox);
      const validatorSet = await setOf(sandbox);
      await sign(service, sandbox, validatorSet);
      sandbox.setNodeBehaviour({ failEvery: 1 });
      await sign(service, sandbox, validatorSet);
      const callsOf = (): number => Object.values(sandbox.calls).reduce((sum, calls) => sum + calls, 0);
      const askedBefore = callsOf();
      await eventually('it was asked in vain', () => callsOf() > askedBefore);
      await sign(service, sandbox, validatorSet);
      sandbox.setNodeBehaviour({});

      await sign(service, sandbox, validatorSet);
      const before = callsOf();
      const startedAtMs = performance.now();
      await atPace(12, 1_000, async () => {
        sandbox.advance(1);
        await sign(service, sandbox, validatorSet);
      });
      const perMinute = ((callsOf() - before) * MINUTE_MS) / (performance.now() - startedAtMs);
      expect(perMinute).toBeLessThanOrEqual(60);
    },
    2 * MINUTE_MS,
  );

  it.each<{ name: string; behaviour: BehaviourInput }>([
    { name: 'flood', behaviour: { kind: 'flood', messages: 20_000 } },
    { name: 'take connections and say nothing', behaviour: 'black-hole' },
    { name: 'sign with another key than is registered', behaviour: 'wrong-signature' },
  ])(
    'loses only the weight of validators that $name, on the first request and on those after it',
    async ({ behaviour }) => {
      const sandbox = await startInternet();
      const bad = lightest(sandbox);
      expect(bad.length).toBeGreaterThan(3);
      bad.forEach((validator) => validator.setBehaviour(behaviour));
      const service = await startService(sandbox);
      const validatorSet = await setOf(sandbox);
      for (let i = 0; i < 5; i++) await sign(service, sandbox, validatorSet);
    },
    2 * MINUTE_MS,
  );

  it(
    'stays connected to who signs with another key, which may be the right one on another L1',
    async () => {
      const sandbox = await startInternet({ validators: 6, node: {} });
      const [liar] = lightest(sandbox).filter(({ isListed }) => isListed);
      liar?.setBehaviour('wrong-signature');
      const service = await startService(sandbox);
      await eventually('the connections', () => liar !== undefined && isConnected(liar));
      const everybody = await service.aggregate({ message: newMessage(sandbox), quorumPercentage: 100 });
      expect(everybody).toMatchObject({
        status: 503,
        body: { message: expect.stringContaining('wrong signature') },
      });
      expect(liar?.counters.handshakes).toBe(1);
      expect(liar?.clients).toHaveLength(1);
    },
    2 * MINUTE_MS,
  );

  it(
    'has its connections back soon after the node is upgraded when the lowest accepted version is raised',
    async () => {
      const sandbox = await startInternet({ validators: 10, node: {} });
      const service = await startService(sandbox);
      await sign(service, sandbox);
      const next = { major: 1, minor: 16, patch: 0 };
      sandbox.setVersions({ node: next, floor: next });
      await eventually('nobody left', () => !sandbox.validators.some(isConnected));
      await eventually('connected again', () => sandbox.connectedStakeShare > 0.67);
      await sign(service, sandbox);
    },
    2 * MINUTE_MS,
  );

  describe('with an L1', () => {
    /** Six validators of the primary network, and four of the L1 alone, whose addresses only those of the L1 announce. */
    const validators = [
      ...Array.from({ length: 6 }, () => ({ l1Weight: 0n, roundTripMs: 60 })),
      { weight: 0n, roundTripMs: 60 },
      ...Array.from({ length: 3 }, () => ({
        weight: 0n,
        roundTripMs: 60,
        address: 'gossiped-on-l1' as const,
      })),
    ];

    async function signForL1(service: TestService, sandbox: Sandbox): Promise<void> {
      const message = newMessage(sandbox, sandbox.l1ChainId);
      const answer = await service.aggregate({ message, quorumPercentage: 100 });
      expect(answer).toMatchObject({ status: 201 });
      verifySignedMessage(answer.body, {
        networkId: sandbox.networkId,
        validatorSet: await setOf(sandbox, sandbox.l1SubnetId),
        quorumPercentage: 100,
      });
    }

    it(
      'signs for an L1 whose validators only that L1 knows, and connects them again after a restart',
      async () => {
        const sandbox = await startSandbox({ recording: null, blockIntervalMs: 0, validators });
        closers.push(() => sandbox.stop());
        const service = await startService(sandbox);
        const l1 = sandbox.validators.filter(({ l1Weight }) => l1Weight > 0n);
        expect(l1).toHaveLength(4);
        expect(l1.some(isConnected)).toBe(false);
        await signForL1(service, sandbox);

        await service.killApi();
        await eventually('nobody left', () => !sandbox.validators.some(isConnected));
        await service.restartApi();
        await eventually('the L1 is connected', () => l1.every(isConnected));
        await signForL1(service, sandbox);
      },
      2 * MINUTE_MS,
    );
  });

  it(
    'gets all connections for each of several services behind one address, started together',
    async () => {
      const sandbox = await startInternet({ validators: 8, node: {} });
      const present = sandbox.validators.filter(
        ({ isListed, behaviour }) => isListed && behaviour.kind === 'honest',
      );
      present.forEach((validator) => validator.setBehaviour({ kind: 'throttle', everyMs: 1_000 }));
      const first = await startService(sandbox);
      const shared = { databaseUrl: first.databaseUrl, temporalAddress: first.temporalAddress };
      const others = await Promise.all(
        [0, 1].map(() =>
          TestService.start({
            nodeUrl: sandbox.url,
            isHosted: true,
            ...shared,
            env: { DATA_DIR: createTestFolder('data') },
          }),
        ),
      );
      await eventually(
        'three connections to each',
        () => present.every(({ clients }) => clients.length === 3),
        MINUTE_MS,
      );
      expect(present.map(({ counters }) => counters.handshakes)).toEqual(present.map(() => 3));
      for (const service of [first, ...others]) await sign(service, sandbox);
      expect(present.every(({ clients }) => new Set(clients).size === 3)).toBe(true);
    },
    3 * MINUTE_MS,
  );
});
