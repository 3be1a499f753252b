import { describe, expect, it } from '@jest/globals';
import type { BehaviourInput } from '../../sandbox/behaviour.js';
import { type Sandbox, type SandboxValidator, startSandbox } from '../../sandbox/sandbox.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';
import { createTestFolder } from '../support/harness/services.js';
import {
  isConnected,
  newMessage,
  setOf,
  sign,
  startHosted,
  startInternet,
  VALIDATORS,
} from '../support/sandbox/internet.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

/** Validators of the least weight, with no more than a tenth of all. */
function lightest(sandbox: Sandbox): SandboxValidator[] {
  const byWeight = sandbox.validators.toSorted((a, b) => (a.weight < b.weight ? -1 : 1));
  const total = byWeight.reduce((sum, { weight }) => sum + weight, 0n);
  let weight = 0n;
  return byWeight.filter((validator) => (weight += validator.weight) * 10n <= total);
}

describe('a service on the internet', () => {
  it('signs messages although a tenth of the validators is not there, by the heaviest ones that are', async () => {
    const sandbox = await startInternet();
    const service = await startHosted(sandbox);
    const { signers } = await sign(service, sandbox);
    expect(signers.length).toBeLessThan(VALIDATORS);
    const present = sandbox.validators.filter(
      ({ isListed, behaviour }) => isListed && behaviour.kind === 'honest',
    );
    await eventually('all that are there are connected', () => present.every(isConnected));
    const gone = sandbox.validators.filter((validator) => !present.includes(validator));
    expect(gone.length).toBeGreaterThan(0);
    expect(gone.some(isConnected)).toBe(false);
  });

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
      const service = await startHosted(sandbox);
      const validatorSet = await setOf(sandbox);
      for (let i = 0; i < 5; i++) await sign(service, sandbox, validatorSet);
    },
  );

  it('stays connected to who signs with another key, which may be the right one on another L1', async () => {
    const sandbox = await startInternet({ validators: 6, node: {} });
    const [liar] = lightest(sandbox).filter(({ isListed }) => isListed);
    liar?.setBehaviour('wrong-signature');
    const service = await startHosted(sandbox);
    if (liar === undefined) throw new Error('nobody is listed');
    await eventually('the connections', () => isConnected(liar));
    const everybody = service.aggregate({ message: newMessage(sandbox), quorumPercentage: 100 });
    await eventually('the question', () => liar.counters.appRequests > 0);
    // Over the connection that counts: on a busy machine the service may have given one up before.
    const { handshakes } = liar.counters;
    expect(await everybody).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('wrong signature') },
    });
    expect(liar.counters.handshakes).toBe(handshakes);
    expect(liar.clients).toHaveLength(1);
  });

  it('has its connections back soon after the node is upgraded when the lowest accepted version is raised', async () => {
    const sandbox = await startInternet({ validators: 10, node: {} });
    const service = await startHosted(sandbox);
    await sign(service, sandbox);
    const next = { major: 1, minor: 16, patch: 0 };
    sandbox.setVersions({ node: next, floor: next });
    await eventually('nobody left', () => !sandbox.validators.some(isConnected));
    await eventually('connected again', () => sandbox.connectedStakeShare > 0.67);
    await sign(service, sandbox);
  });

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

    it('signs for an L1 whose validators only that L1 knows, and connects them again after a restart', async () => {
      const sandbox = await startSandbox({ recording: null, blockIntervalMs: 0, validators });
      onCleanup(() => sandbox.stop());
      const service = await startHosted(sandbox);
      const l1 = sandbox.validators.filter(({ l1Weight }) => l1Weight > 0n);
      expect(l1).toHaveLength(4);
      expect(l1.some(isConnected)).toBe(false);
      await signForL1(service, sandbox);

      await service.killApi();
      await eventually('nobody left', () => !sandbox.validators.some(isConnected));
      await service.restartApi();
      await eventually('the L1 is connected', () => l1.every(isConnected));
      await signForL1(service, sandbox);
    });
  });

  it('gets all connections for each of several services behind one address, started together', async () => {
    const sandbox = await startInternet({ validators: 8, node: {} });
    const present = sandbox.validators.filter(
      ({ isListed, behaviour }) => isListed && behaviour.kind === 'honest',
    );
    present.forEach((validator) => validator.setBehaviour({ kind: 'throttle', everyMs: 1_000 }));
    const first = await startHosted(sandbox);
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
    await eventually('three connections to each', () => present.every(({ clients }) => clients.length === 3));
    const handshakes = present.map(({ counters }) => counters.handshakes);
    for (const service of [first, ...others]) await sign(service, sandbox);
    // None had to be made again.
    expect(present.map(({ counters }) => counters.handshakes)).toEqual(handshakes);
    expect(present.every(({ clients }) => new Set(clients).size === 3)).toBe(true);
  });
});
