import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../src/avalanche/evm/rpc/hex-values.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { unsignedMessageId } from '../../src/avalanche/warp/unsigned-message.js';
import type { InterchainMessageDetails } from '../../src/resources/interchain-messages/dto/message-details.response.js';
import { SendingChain } from '../support/evm/sending-chain.js';
import { eventually } from '../support/harness/eventually.js';
import { Observed, signedMessageOf } from '../support/harness/observed-service.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

const VALIDATORS = 5;
const SIGNED_WITHIN_MS = 60_000;
/** Of the worker that indexes: it has no connections to validators. */
const INDEXING = { WORKER_QUEUES: 'indexing' } as const;

describe('a message of a chain that signs on sight', () => {
  let chain: SendingChain;
  let observed: Observed;
  let platform: PlatformClient;
  /** Sent long before the chain is indexed. */
  let old: readonly Hash[];

  beforeAll(async () => {
    chain = await SendingChain.start(VALIDATORS);
    chain.sandbox.beginEpoch();
    old = chain.sendMany(3, { ageSeconds: 3_600 });
    const env = { EVM_CHAINS_FILE: chain.chainsFile({ signOnSight: true }) };
    observed = await Observed.start(chain.sandbox, { workers: 1, env, workerEnv: INDEXING });
    platform = new PlatformClient(new JsonRpcClient({ urls: [chain.sandbox.url], timeoutMs: 5_000 }));
  }, 120_000);

  afterAll(async () => {
    await observed.close();
    await chain.sandbox.stop();
  });

  const find = async (messageId: Hash): Promise<InterchainMessageDetails | undefined> => {
    const { status, body } = await observed.service.request(`/v1/icm/messages/${messageId}`);
    if (status === 404) return undefined;
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as InterchainMessageDetails;
  };

  const getSigned = async (messageId: Hash): Promise<InterchainMessageDetails> => {
    let message: InterchainMessageDetails | undefined;
    const isSigned = async () => {
      message = await find(messageId);
      return message?.signedMessage !== undefined;
    };
    await eventually(`${messageId} is signed`, isSigned, SIGNED_WITHIN_MS);
    if (message === undefined) throw new Error('no message');
    return message;
  };

  const asked = () => chain.sandbox.validators.map(({ requests }) => requests);

  const keptOf = async (message: string) => {
    const { rowCount } = await observed.database.query(
      'SELECT FROM validator_signatures WHERE message_id = $1',
      [Buffer.from(unsignedMessageId(fromHex(message)))],
    );
    return rowCount;
  };

  const allAnswered = (message: string) =>
    eventually('all validators have answered', async () => (await keptOf(message)) === VALIDATORS);

  /** As the receiving chain does. */
  const verify = async ({ signedMessage, delivery }: Partial<InterchainMessageDetails>) => {
    const height = BigInt(delivery?.pChainHeight ?? 0);
    const subnetId = delivery?.signingSubnetId ?? '';
    const validatorSet = makeCanonicalValidatorSet(await platform.getValidatorsAt({ subnetId, height }));
    const { networkId } = chain.sandbox;
    verifySignedMessage({ signedMessage }, { networkId, validatorSet, quorumPercentage: 67 });
  };

  it('is signed though nobody has asked, once by each validator, and stored for whoever asks', async () => {
    const before = asked();
    const message = await getSigned(chain.send());
    await verify(message);
    expect(message.delivery).toMatchObject({
      signingSubnetId: chain.sandbox.l1SubnetId,
      verification: { isAccepted: true },
    });
    const { unsignedMessage = '', destinationBlockchainId } = message;
    await allAnswered(unsignedMessage);
    const after = asked();
    expect(after).toEqual(before.map((requests) => requests + 1));

    const answer = await observed.service.aggregate({ message: unsignedMessage, destinationBlockchainId });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ signedMessage: message.signedMessage, delivery: message.delivery });
    expect(asked()).toEqual(after);
  });

  it('is not signed when its block is old, as those of a history that is filled in', async () => {
    await getSigned(chain.send());
    const recorded = await observed.recordedMessages();
    for (const id of old) {
      const message = await find(id);
      expect(message).toMatchObject({ status: 'pending' });
      expect(message).not.toHaveProperty('signedMessage');
      expect(recorded).not.toContain(message?.unsignedMessage?.slice(2));
    }
  });

  it('is signed all the same after kill -9 of the worker that has recorded it, and on request if it has not', async () => {
    const [killed] = observed.service.workers;
    const before = (await observed.recordedMessages()).size;
    const ids = [chain.send()];
    const sending = setInterval(() => ids.push(chain.send()), 50);
    await eventually(
      'messages are recorded',
      async () => (await observed.recordedMessages()).size > before + 1,
    );
    await killed?.kill('SIGKILL');
    clearInterval(sending);
    const recorded = await observed.recordedMessages();
    await observed.service.startWorker(INDEXING);
    await eventually('all are indexed', async () => {
      const found = await Promise.all(ids.map(find));
      return found.every((message) => message !== undefined);
    }, SIGNED_WITHIN_MS);
    for (const id of ids) {
      const { unsignedMessage = '', destinationBlockchainId } = (await find(id)) ?? {};
      if (recorded.has(unsignedMessage.slice(2))) await getSigned(id);
      const request = { message: unsignedMessage, destinationBlockchainId };
      const answer = await observed.service.aggregate(request);
      expect(signedMessageOf(answer)).toContain(unsignedMessage.slice(2));
    }
    await observed.runsEnd();
  });
});
