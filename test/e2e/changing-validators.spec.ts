import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { WarpVerificationError } from '../../src/avalanche/warp/verify-message.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage, unsignedMessageId } from '../../src/avalanche/warp/unsigned-message.js';
import { eventually } from '../support/harness/eventually.js';
import { Observed } from '../support/harness/observed-service.js';
import { type ApiAnswer, TestService } from '../support/harness/service.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

const VALIDATORS = 6;
/** As an operator changes them: a new machine gains weight in steps, an old one is retired, the others are evened out. */
const STEPS: readonly (readonly bigint[])[] = [
  [100n, 100n, 100n, 100n, 100n, 120n],
  [100n, 100n, 100n, 100n, 100n, 144n],
  [80n, 100n, 100n, 100n, 100n, 144n],
  [40n, 110n, 110n, 110n, 110n, 144n],
  [1n, 110n, 110n, 110n, 110n, 144n],
];

describe('messages of an L1 whose weights change', () => {
  let sandbox: Sandbox;
  /** With connections to the validators; the other has none, and no worker. */
  let connected: Observed;
  let other: TestService;
  let platform: PlatformClient;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: VALIDATORS });
    connected = await Observed.start(sandbox);
    const { databaseUrl, temporalAddress } = connected.service;
    other = await TestService.start({ nodeUrl: sandbox.url, workers: 0, databaseUrl, temporalAddress });
    platform = new PlatformClient(new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 }));
  });

  afterAll(async () => {
    await connected.close();
    await sandbox.stop();
  });

  beforeEach(() => {
    for (const validator of sandbox.validators) validator.setBehaviour('honest');
    setWeights(Array<bigint>(VALIDATORS).fill(100n));
  });

  const setWeights = (weights: readonly bigint[]) =>
    sandbox.setValidators(
      sandbox.l1SubnetId,
      sandbox.validators.map(({ nodeId }, index) => ({ nodeId, weight: weights[index] ?? 0n })),
    );

  const newMessage = () =>
    packUnsignedMessage({
      networkId: sandbox.networkId,
      sourceChainId: idFromString(sandbox.l1ChainId),
      payload: packHash({ hash: randomBytes(32) }),
    });

  const today = async () =>
    makeCanonicalValidatorSet(
      await platform.getValidatorsAt({ subnetId: sandbox.l1SubnetId, height: 'proposed' }),
    );

  const asked = () => sandbox.validators.map(({ requests }) => requests);

  const verify = async ({ status, body }: ApiAnswer, quorumPercentage: number) => {
    expect(status).toBe(201);
    const validatorSet = await today();
    return verifySignedMessage(body, { networkId: sandbox.networkId, validatorSet, quorumPercentage });
  };

  /** The heights that a process knows are some seconds old. */
  const holdsToday = (service: TestService, message: Uint8Array, quorumPercentage = 67) =>
    eventually('the answer holds for the validators of today', async () => {
      try {
        await verify(
          await service.aggregate({ message: toHex(message), quorumPercentage }),
          quorumPercentage,
        );
        return true;
      } catch (error) {
        if (error instanceof WarpVerificationError) return false;
        throw error;
      }
    });

  const keptOf = async (message: Uint8Array) => {
    const { rowCount } = await connected.database.query(
      'SELECT FROM validator_signatures WHERE message_id = $1',
      [Buffer.from(unsignedMessageId(message))],
    );
    return rowCount;
  };

  const sign = async (message: Uint8Array) => {
    await holdsToday(connected.service, message);
    // By all of them, also those that were too late for that answer.
    await holdsToday(connected.service, message, 100);
    await eventually('its signatures are kept', async () => (await keptOf(message)) === VALIDATORS);
  };

  it('are put together anew at every step, by any process, without asking a validator', async () => {
    const messages = [newMessage(), newMessage()];
    for (const message of messages) await sign(message);
    for (const [step, weights] of STEPS.entries()) {
      const before = asked();
      setWeights(weights);
      for (const message of messages) {
        await holdsToday(other, message);
        await holdsToday(connected.service, message);
        await verify(await other.aggregate({ message: toHex(message), quorumPercentage: 90 }), 90);
      }
      expect(asked()).toEqual(before);
      if (step === 2) {
        await connected.service.killApi();
        await connected.service.restartApi();
      }
      // One that was signed between two changes.
      const message = newMessage();
      await sign(message);
      messages.push(message);
    }
  });

  it('ask only those for more who have not signed, when what is kept does not suffice any more', async () => {
    const late = sandbox.validators.slice(4);
    for (const validator of late) validator.setBehaviour('silent');
    const message = newMessage();
    const pChainHeight = Number(sandbox.proposedHeight);
    const first = { message: toHex(message), quorumPercentage: 60, pChainHeight };
    await verify(await connected.service.aggregate(first), 60);
    await eventually('its signatures are kept', async () => (await keptOf(message)) === 4);
    for (const validator of late) validator.setBehaviour('honest');
    setWeights([100n, 100n, 100n, 100n, 200n, 200n]);
    const before = asked();
    // What the four have is half of it, and one more would not suffice.
    await holdsToday(other, message, 80);
    expect(asked().slice(0, 4)).toEqual(before.slice(0, 4));
    await eventually('what they signed is kept, too', async () => (await keptOf(message)) === VALIDATORS);
    const after = asked();
    await verify(await other.aggregate({ message: toHex(message), quorumPercentage: 100 }), 100);
    expect(asked()).toEqual(after);
  });
});
