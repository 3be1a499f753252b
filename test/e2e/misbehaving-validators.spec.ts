import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { TestService } from '../support/harness/service.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

/** Each kind by itself: test/integration/misbehaving-validators.spec.ts. */
const FAULTS = [
  { kind: 'slow', delayMs: 60_000 },
  { kind: 'silent' },
  { kind: 'wrong-signature' },
  { kind: 'infinity-signature' },
  { kind: 'garbage' },
  { kind: 'garbage-frames' },
  { kind: 'flood' },
  { kind: 'disconnect' },
  { kind: 'refuse', code: -2, message: 'no' },
  { kind: 'refuse-connections' },
] as const;

function newMessage(sandbox: Sandbox): string {
  return toHex(
    packUnsignedMessage({
      networkId: sandbox.networkId,
      sourceChainId: idFromString(sandbox.cChainId),
      payload: packHash({ hash: randomBytes(32) }),
    }),
  );
}

async function validatorSetOf(sandbox: Sandbox) {
  const platform = new PlatformClient(new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 }));
  return makeCanonicalValidatorSet(
    await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' }),
  );
}

describe('an aggregation with misbehaving validators', () => {
  it.each([
    { count: 100, timeoutMs: 36_000 },
    // 1000 TLS handshakes on both ends, on a machine that may do other things as well.
    { count: 1000, timeoutMs: 240_000 },
  ])(
    'loses nothing but their weight when three of ten misbehave among $count, in every way',
    async ({ count, timeoutMs }) => {
      const sandbox = await startSandbox({ validators: count, prepared: true });
      try {
        sandbox.validators.forEach((validator, i) => {
          const fault = FAULTS[Math.floor(i / 10) % FAULTS.length];
          if (i % 10 < 3 && fault !== undefined) validator.setBehaviour(fault);
        });
        const service = await TestService.start({
          nodeUrl: sandbox.url,
          env: { AGGREGATION_TIMEOUT_MS: String(timeoutMs) },
        });
        const validatorSet = await validatorSetOf(sandbox);
        for (const quorumPercentage of [67, 70]) {
          const answer = await service.aggregate({ message: newMessage(sandbox), quorumPercentage });
          expect(answer).toMatchObject({ status: 201 });
          verifySignedMessage(answer.body, { networkId: sandbox.networkId, validatorSet, quorumPercentage });
        }
        // Silence is waited for, so the smaller network shows it sooner.
        if (count > 100) return;
        const tooMuch = await service.aggregate({ message: newMessage(sandbox), quorumPercentage: 71 });
        expect(tooMuch).toMatchObject({
          status: 503,
          body: { message: expect.stringMatching(/signed weight \d+ of \d+ \(70 %\)/) },
        });
      } finally {
        await sandbox.stop();
      }
    },
  );

  it('decides quorum and buffer at the exact weights', async () => {
    const sandbox = await startSandbox({
      validators: [{ weight: 67n }, { weight: 10n }, { weight: 23n, behaviour: 'silent' }],
    });
    try {
      const service = await TestService.start({
        nodeUrl: sandbox.url,
        // A third of it for the buffer: a busy machine must not be too late for that.
        env: { AGGREGATION_TIMEOUT_MS: '24000' },
      });
      const validatorSet = await validatorSetOf(sandbox);
      const weightOf = async (quorumPercentage: number, quorumPercentageBuffer: number) => {
        const answer = await service.aggregate({
          message: newMessage(sandbox),
          quorumPercentage,
          quorumPercentageBuffer,
        });
        if (answer.status !== 201) return answer.status;
        return Number(
          verifySignedMessage(answer.body, { networkId: sandbox.networkId, validatorSet, quorumPercentage })
            .signedWeight,
        );
      };
      expect(await weightOf(67, 0)).toBe(67);
      expect(await weightOf(67, 10)).toBe(77);
      // The buffer is best effort: one more percent cannot be had, the quorum can.
      expect(await weightOf(67, 11)).toBe(77);
      expect(await weightOf(77, 0)).toBe(77);
      expect(await weightOf(78, 0)).toBe(503);
    } finally {
      await sandbox.stop();
    }
  });
});
