import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Hash } from '../../src/avalanche/evm/rpc/hex-values.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { packUnsignedMessage, unsignedMessageId } from '../../src/avalanche/warp/unsigned-message.js';
import type { InterchainMessageDetails } from '../../src/resources/interchain-messages/dto/message-details.response.js';
import { SendingChain } from '../support/evm/sending-chain.js';
import { eventually } from '../support/harness/eventually.js';
import { Observed } from '../support/harness/observed-service.js';
import { createTestFolder } from '../support/harness/services.js';
import { findMessage, verifyDeliverable } from '../support/signatures/deliverable-message.js';

const VALIDATORS = 5;

describe('a message by its id', () => {
  let chain: SendingChain;
  let observed: Observed;
  let platform: PlatformClient;

  beforeAll(async () => {
    chain = await SendingChain.start({ validators: VALIDATORS });
    chain.sandbox.beginEpoch();
    const env = { EVM_CHAINS_FILE: chain.writeChainsFile(createTestFolder('chains')) };
    observed = await Observed.start(chain.sandbox, { workers: 1, env });
    platform = new PlatformClient(new JsonRpcClient({ urls: [chain.sandbox.url], timeoutMs: 60_000 }));
  });

  afterAll(async () => {
    await observed.close();
    await chain.sandbox.stop();
  });

  const find = (messageId: Hash) => findMessage(observed.service, messageId);

  const get = async (messageId: Hash): Promise<InterchainMessageDetails> => {
    const message = await find(messageId);
    if (message === undefined) throw new Error(`${messageId} is not there`);
    return message;
  };

  const sendMessage = async (): Promise<Hash> => {
    const id = chain.send();
    await eventually('it is indexed', async () => (await find(id)) !== undefined);
    return id;
  };

  const asked = () => chain.sandbox.validators.map(({ requests }) => requests);

  /** The height of its signers. */
  const verify = async (deliverable: InterchainMessageDetails) => {
    const { networkId } = chain.sandbox;
    const { height, message } = await verifyDeliverable(deliverable, { platform, networkId });
    expect(`0x${toHex(packUnsignedMessage(message.unsignedMessage))}`).toBe(deliverable.unsignedMessage);
    return height;
  };

  it('has what validators sign, and from when they have until it is delivered, the signed form for each epoch', async () => {
    const id = await sendMessage();
    const unsigned = await get(id);
    expect(unsigned).toMatchObject({ status: 'pending' });
    expect(unsigned).not.toHaveProperty('signedMessage');
    const { unsignedMessage: message = '', destinationBlockchainId } = unsigned;

    const answer = await observed.service.aggregate({ message, destinationBlockchainId });
    expect(answer).toMatchObject({ status: 201 });
    const { delivery } = answer.body as InterchainMessageDetails;
    // One that was too late for the answer may be missing.
    const signers = delivery?.verification.signers ?? VALIDATORS;
    await eventually('its signatures are kept', async () => {
      const { rowCount } = await observed.database.query(
        'SELECT FROM validator_signatures WHERE message_id = $1',
        [Buffer.from(unsignedMessageId(fromHex(message)))],
      );
      return (rowCount ?? 0) >= signers;
    });
    const before = asked();
    const first = await get(id);
    await verify(first);
    expect(first.delivery).toEqual(delivery);
    expect(first.delivery).toMatchObject({
      destinationBlockchainId,
      signingSubnetId: chain.sandbox.l1SubnetId,
      verification: { isAccepted: true },
    });

    const { sandbox } = chain;
    const weights = sandbox.validators.map(({ nodeId, l1Weight }) => ({ nodeId, weight: l1Weight + 1n }));
    sandbox.setValidators(sandbox.l1SubnetId, weights);
    const height = String(sandbox.beginEpoch());
    expect(height).not.toBe(first.delivery?.pChainHeight);
    await eventually(
      'it is for the new epoch',
      async () => (await get(id)).delivery?.pChainHeight === height,
    );
    const second = await get(id);
    expect(String(await verify(second))).toBe(height);
    expect(second.delivery?.verification.isAccepted).toBe(true);
    expect(asked()).toEqual(before);

    chain.acknowledge();
    await eventually('its receipt is indexed', async () => (await get(id)).status === 'delivered');
    const delivered = await get(id);
    expect(delivered).toMatchObject({ unsignedMessage: message });
    expect(delivered).not.toHaveProperty('signedMessage');
    expect(delivered).not.toHaveProperty('delivery');
  });
});
