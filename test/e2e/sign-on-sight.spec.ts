import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../src/avalanche/evm/rpc/hex-values.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { unsignedMessageId } from '../../src/avalanche/warp/unsigned-message.js';
import type { InterchainMessageDetails } from '../../src/resources/interchain-messages/dto/message-details.response.js';
import { SendingChain } from '../support/evm/sending-chain.js';
import { eventually } from '../support/harness/eventually.js';
import { Observed, RUNS, signedMessageOf } from '../support/harness/observed-service.js';
import { createTestFolder } from '../support/harness/services.js';
import { findMessage, verifyDeliverable } from '../support/signatures/deliverable-message.js';

const VALIDATORS = 5;
/** That wait, and that are asked for. */
const MOST_FOR_ONE_DESTINATION = 18;
/** Of the worker that indexes: it has no connections to validators. */
const INDEXING = { WORKER_QUEUES: 'indexing' } as const;

describe('a message of a chain that signs on sight', () => {
  let chain: SendingChain;
  let observed: Observed;
  let platform: PlatformClient;
  /** Sent long before the chain is indexed. */
  let old: readonly Hash[];

  beforeAll(async () => {
    chain = await SendingChain.start({ validators: VALIDATORS });
    chain.sandbox.beginEpoch();
    old = chain.sendMany(3, { ageSeconds: 3_600 });
    const env = { EVM_CHAINS_FILE: chain.writeChainsFile(createTestFolder('chains'), { signOnSight: true }) };
    observed = await Observed.start(chain.sandbox, { workers: 1, env, workerEnv: INDEXING });
    platform = new PlatformClient(new JsonRpcClient({ urls: [chain.sandbox.url], timeoutMs: 60_000 }));
  });

  afterAll(async () => {
    await observed.close();
    await chain.sandbox.stop();
  });

  const find = (messageId: Hash) => findMessage(observed.service, messageId);

  const getSigned = async (messageId: Hash): Promise<InterchainMessageDetails> => {
    let message: InterchainMessageDetails | undefined;
    const isSigned = async () => {
      message = await find(messageId);
      return message?.signedMessage !== undefined;
    };
    await eventually(`${messageId} is signed`, isSigned);
    if (message === undefined) throw new Error('no message');
    return message;
  };

  const asked = () => chain.sandbox.validators.map(({ requests }) => requests);

  const keptOf = async (message: string) => {
    const { rowCount } = await observed.database.query(
      'SELECT FROM validator_signatures WHERE message_id = $1',
      [Buffer.from(unsignedMessageId(fromHex(message)))],
    );
    return rowCount ?? 0;
  };

  /** One that was too late for the answer may be missing. */
  const areKept = ({ unsignedMessage = '', delivery }: InterchainMessageDetails) => {
    const signers = delivery?.verification.signers ?? VALIDATORS;
    return eventually('signatures are kept', async () => (await keptOf(unsignedMessage)) >= signers);
  };

  /** Of the runs of such requests. */
  const prioritiesOf = async (isWanted: (requestId: string) => boolean): Promise<number[]> => {
    const ids = await observed.idsOf(RUNS);
    const runs = await Promise.all(ids.map((id) => observed.temporal.workflow.getHandle(id).describe()));
    return runs
      .filter(({ memo }) => isWanted(String(memo?.['requestId'])))
      .map(({ raw }) => raw.workflowExecutionInfo?.priority?.priorityKey ?? 0);
  };

  const verify = (message: Partial<InterchainMessageDetails>) =>
    verifyDeliverable(message, { platform, networkId: chain.sandbox.networkId });

  it('is signed though nobody has asked, once by each validator, and stored for whoever asks', async () => {
    const before = asked();
    const message = await getSigned(chain.send());
    await verify(message);
    expect(message.delivery).toMatchObject({
      signingSubnetId: chain.sandbox.l1SubnetId,
      verification: { isAccepted: true },
    });
    const { unsignedMessage = '', destinationBlockchainId } = message;
    await areKept(message);
    await observed.runsEnd();
    const after = asked();
    const more = after.map((requests, index) => requests - (before[index] ?? 0));
    // Of a busy machine the first attempt may not be enough.
    const isTwice = (await observed.messagesTakenOver()).has(unsignedMessage.replace(/^0x/, ''));
    expect(more).toEqual(more.map((times) => (isTwice ? Math.max(times, 1) : 1)));

    const answer = await observed.service.aggregate({ message: unsignedMessage, destinationBlockchainId });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ signedMessage: message.signedMessage, delivery: message.delivery });
    expect(asked()).toEqual(after);
  });

  it('waits for every caller: its run has the lowest priority', async () => {
    const id = chain.send();
    await getSigned(id);
    expect(await prioritiesOf((requestId) => requestId === `on-sight-${id}`)).toEqual([5]);
    const others = await prioritiesOf((requestId) => !requestId.startsWith('on-sight-'));
    expect(others.length).toBeGreaterThan(0);
    expect(others.every((priority) => priority < 5)).toBe(true);
  });

  it('is not asked for again when it is sent again, be it signed or delivered', async () => {
    const id = chain.send();
    await areKept(await getSigned(id));
    chain.sendAgain();
    await getSigned(chain.send());

    const other = chain.send();
    await getSigned(other);
    chain.acknowledge();
    await eventually('it is delivered', async () => (await find(other))?.status === 'delivered');
    await observed.database.query('TRUNCATE aggregated_signatures, validator_signatures');
    chain.sendAgain();
    await getSigned(chain.send());
    for (const each of [id, other]) {
      expect(await prioritiesOf((requestId) => requestId === `on-sight-${each}`)).toHaveLength(1);
    }
  });

  it('is passed over among a thousand of one block, of which a few are signed, and a caller is served meanwhile', async () => {
    const before = await observed.recordedMessages();
    const ids = chain.sendMany(1_000);
    await eventually('some are recorded', async () => (await observed.recordedMessages()).size > before.size);
    const message = observed.newMessage();
    await observed.expectSigned(await observed.service.aggregate({ message }), message);
    await eventually('all are indexed', async () => {
      const found = await Promise.all(ids.slice(-10).map(find));
      return found.every((each) => each !== undefined);
    });
    await observed.runsEnd();
    await getSigned(chain.send());
    await observed.runsEnd();
    const recorded = [...(await observed.recordedMessages())].filter((each) => !before.has(each));
    // Besides them the caller's message, and the last one.
    expect(recorded.length).toBeGreaterThan(2);
    expect(recorded.length).toBeLessThanOrEqual(MOST_FOR_ONE_DESTINATION + 2);
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
    });
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
