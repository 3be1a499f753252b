import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import type { BehaviourInput } from '../../sandbox/behaviour.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { SignerResponse, SignersResponse } from '../../src/resources/signers/dto/signers.response.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';

const FAULTS: Readonly<Record<number, BehaviourInput>> = {
  0: 'wrong-signature',
  1: 'silent',
  2: { kind: 'slow', delayMs: 60_000 },
  3: { kind: 'refuse', code: -2, message: 'no' },
  4: { kind: 'garbage', length: 1 },
  5: 'refuse-connections',
};

/** As each of these is shown. */
const STATES = [
  { state: 'wrong_key', cause: 'its signature does not verify against the registered key' },
  { state: 'failing', cause: 'no answer in time' },
  { state: 'failing', cause: 'no answer in time' },
  { state: 'failing', cause: 'refused with code -2 (no)' },
  { state: 'failing', cause: 'malformed signature' },
  { state: 'unreachable', cause: expect.stringMatching(/^not connected \(.+\)$/) },
  ...Array.from({ length: 4 }, () => ({ state: 'signing' })),
];

describe('who of a subnet would sign', () => {
  let sandbox: Sandbox;
  let service: TestService;
  /** Without connections. */
  let other: TestService;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 10 });
    for (const [index, behaviour] of Object.entries(FAULTS)) {
      sandbox.validators[Number(index)]?.setBehaviour(behaviour);
    }
    service = await TestService.start({
      nodeUrl: sandbox.url,
      isHosted: true,
      // Time in which a busy machine has all answers that come, and which is waited for once.
      env: { AGGREGATION_TIMEOUT_MS: '15000' },
    });
    other = await TestService.start({
      nodeUrl: sandbox.url,
      workers: 0,
      databaseUrl: service.databaseUrl,
      temporalAddress: service.temporalAddress,
    });
  });

  afterAll(() => sandbox.stop());

  const aggregate = (more: object = {}) =>
    service.aggregate({
      message: toHex(
        packUnsignedMessage({
          networkId: sandbox.networkId,
          sourceChainId: idFromString(sandbox.cChainId),
          payload: packHash({ hash: randomBytes(32) }),
        }),
      ),
      ...more,
    });

  const pathOf = (subnetId: string): string => `/v1/signatureAggregator/fuji/subnets/${subnetId}/signers`;

  const read = async (from = service, subnetId = PRIMARY_NETWORK_ID): Promise<SignersResponse> => {
    const { status, body } = await from.request(pathOf(subnetId));
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as SignersResponse;
  };

  const statesOf = ({ validators }: SignersResponse): (SignerResponse | undefined)[] =>
    sandbox.validators.map(({ nodeId }) => validators.find((validator) => validator.nodeId === nodeId));

  const eventuallyStates = async (isWanted: (states: (string | undefined)[]) => boolean) => {
    let answer = await read();
    await eventually('the states wanted', async () => {
      answer = await read();
      return isWanted(statesOf(answer).map((validator) => validator?.state));
    });
    return answer;
  };

  it('shows each way of not signing with its cause', async () => {
    expect(await aggregate()).toMatchObject({ status: 503 });
    const answer = await eventuallyStates(
      (states) => states.join() === STATES.map(({ state }) => state).join(),
    );
    const shown = statesOf(answer);
    expect(shown).toMatchObject(STATES);
    expect(shown[6]?.cause).toBeUndefined();
    for (const [index, signer] of shown.entries()) {
      const validator = sandbox.validators[index];
      expect(signer).toMatchObject({
        weight: String(validator?.weight),
        percentage: 10,
        publicKey: toHex(validator?.publicKey ?? new Uint8Array()),
        // Nobody reports the address of one that nobody is connected to.
        addresses: signer?.state === 'unreachable' ? [] : ['127.0.0.1'],
        connectionSince: expect.any(Number),
      });
      expect(signer?.version === undefined).toBe(signer?.state === 'unreachable');
    }
    expect(shown[3]?.lastRefusal).toMatchObject({ timestamp: expect.any(Number), message: shown[3]?.cause });
    expect(shown[0]?.wrongKeyAt).toBeGreaterThan(1_700_000_000);
    expect(shown[6]?.lastAnswer).toMatchObject({ latencyMs: expect.any(Number) });
    expect(answer).toMatchObject({
      quorumPercentage: 67,
      signingPercentage: 40,
      provenPercentage: 40,
      isQuorumMet: false,
      losses: { count: 0, nodeIds: [] },
    });
  });

  it('is known to a process without connections just as well', async () => {
    // They read at different times.
    await eventually('the same', async () => isDeepStrictEqual(await read(other), await read()));
  });

  it('counts the losses that the quorum survives, once most sign again', async () => {
    for (const validator of sandbox.validators) validator.setBehaviour('honest');
    // Who sent no signature, or a wrong one, is not asked for a minute, which may be over on a busy machine.
    const left = new Set([0, 4]);
    await eventually('eight signers', async () => (await aggregate({ quorumPercentage: 80 })).status === 201);
    const answer = await eventuallyStates((states) =>
      states.every((state, index) => state === 'signing' || left.has(index)),
    );
    const able = answer.validators.filter(({ state }) => state === 'signing');
    const lost = able.length - 6;
    expect(answer).toMatchObject({
      signingPercentage: able.length * 10,
      provenPercentage: able.length * 10,
      isQuorumMet: true,
      losses: { count: lost },
    });
    expect(answer.losses.nodeIds).toEqual(able.slice(0, lost).map(({ nodeId }) => nodeId));
  });

  it('reports within seconds when a validator is lost, and since when', async () => {
    const before = await read();
    sandbox.validators[9]?.setBehaviour('not-listening');
    const [shown] = statesOf(await eventuallyStates((states) => states[9] === 'unreachable')).slice(9);
    const [connected] = statesOf(before).slice(9);
    expect(shown?.connectionSince).toBeGreaterThan(connected?.connectionSince ?? Infinity);
    expect(shown?.version).toBe(connected?.version);
    sandbox.validators[9]?.setBehaviour('honest');
  });

  it("shows an L1's validations with their balances, and nobody before somebody asked for its signatures", async () => {
    const subnetId = sandbox.l1SubnetId;
    const unknown = await read(service, subnetId);
    expect(unknown).toMatchObject({ signingPercentage: 0, isQuorumMet: false });
    expect(new Set(unknown.validators.map(({ state }) => state))).toEqual(new Set(['not_observed']));
    await eventually('its signers', async () => {
      await aggregate({ signingSubnetId: subnetId });
      return (await read(other, subnetId)).isQuorumMet;
    });
    const { validators } = await read(other, subnetId);
    for (const validator of validators) {
      expect(validator.validationId).toMatch(/^[1-9A-HJ-NP-Za-km-z]{40,}$/);
      expect(BigInt(validator.balance ?? 0)).toBeGreaterThan(0n);
      const leftSeconds = (validator.balanceLastsUntil ?? 0) - Date.now() / 1_000;
      expect(Math.abs(leftSeconds - Number(validator.balance))).toBeLessThan(60);
    }
  });

  it('answers 404 to what is no subnet, and 503 to a network that is not served', async () => {
    const subnetId = idToString(randomBytes(32));
    expect(await service.request(pathOf(subnetId))).toMatchObject({
      status: 404,
      body: { message: `subnetId: unknown subnet ${subnetId} on fuji` },
    });
    const path = pathOf(PRIMARY_NETWORK_ID).replace('fuji', 'mainnet');
    expect(await service.request(path)).toMatchObject({ status: 503 });
    expect(await service.request(pathOf('me'))).toMatchObject({ status: 400 });
  });
});
