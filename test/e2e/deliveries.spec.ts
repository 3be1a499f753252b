import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { packAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import type { DeliveryResponse } from '../../src/resources/signature-aggregator/delivery/delivery.response.js';
import { eventually } from '../support/harness/eventually.js';
import { Observed } from '../support/harness/observed-service.js';
import { type ApiAnswer } from '../support/harness/service.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

interface Deliverable {
  readonly signedMessage: string;
  readonly delivery: DeliveryResponse;
}

describe('a message with a destination', () => {
  let sandbox: Sandbox;
  let observed: Observed;
  let platform: PlatformClient;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5 });
    // The L1 has one validator less than the primary network.
    const ofL1 = sandbox.validators.slice(1).map(({ nodeId, l1Weight }) => ({ nodeId, weight: l1Weight }));
    sandbox.setValidators(sandbox.l1SubnetId, ofL1);
    sandbox.beginEpoch();
    observed = await Observed.start(sandbox);
    platform = new PlatformClient(new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 }));
  });

  afterAll(async () => {
    await observed.close();
    await sandbox.stop();
  });

  const newMessage = (sourceBlockchainId: string) =>
    toHex(
      packUnsignedMessage({
        networkId: sandbox.networkId,
        sourceChainId: idFromString(sourceBlockchainId),
        payload: packAddressedCall({ sourceAddress: randomBytes(20), payload: randomBytes(100) }),
      }),
    );

  const deliverable = ({ status, body }: ApiAnswer): Deliverable => {
    expect(status).toBe(201);
    return body as Deliverable;
  };

  const send = async (message: string, destinationBlockchainId: string, more: object = {}) =>
    deliverable(await observed.service.aggregate({ message, destinationBlockchainId, ...more }));

  const setAt = async (subnetId: string, height: bigint) =>
    makeCanonicalValidatorSet(await platform.getValidatorsAt({ subnetId, height }));

  /** By the reference implementation, with the data of the answer. */
  const verify = async (answer: Deliverable) => {
    const { signingSubnetId, pChainHeight } = answer.delivery;
    const validatorSet = await setAt(signingSubnetId, BigInt(pChainHeight));
    return verifySignedMessage(answer, { networkId: sandbox.networkId, validatorSet, quorumPercentage: 67 });
  };

  /** As the receiving chain's virtual machine does: up to the last 0xff, behind which there are zeros only. */
  const readPredicate = (storageKeys: readonly string[]) => {
    const bytes = Buffer.from(storageKeys.map((key) => key.slice(2)).join(''), 'hex');
    const end = bytes.lastIndexOf(0xff);
    expect(bytes.subarray(end + 1).every((byte) => byte === 0)).toBe(true);
    expect(bytes.length - end).toBeLessThanOrEqual(32);
    return bytes.subarray(0, end).toString('hex');
  };

  it('is signed for its L1 by that one itself, with all that is needed to deliver it', async () => {
    const answer = await send(newMessage(sandbox.cChainId), sandbox.l1ChainId);
    const { delivery } = answer;
    const { message, signers, signedWeight } = await verify(answer);
    const { totalWeight } = await setAt(sandbox.l1SubnetId, sandbox.epochHeight);
    expect(delivery).toMatchObject({
      destinationBlockchainId: sandbox.l1ChainId,
      signingSubnetId: sandbox.l1SubnetId,
      pChainHeight: String(sandbox.epochHeight),
      verification: {
        isAccepted: true,
        signers: signers.length,
        signedWeight: String(signedWeight),
        totalWeight: String(totalWeight),
        quorumNumerator: 67,
        quorumDenominator: 100,
      },
    });
    expect(delivery.verification).not.toHaveProperty('reason');
    // On this network they last 30 s.
    expect(delivery.epoch?.endTimestamp).toBe(Number(delivery.epoch?.startTimestamp) + 30);
    const [entry, ...others] = delivery.accessList ?? [];
    expect(others).toEqual([]);
    expect(entry?.address).toBe('0x0200000000000000000000000000000000000005');
    expect(readPredicate(entry?.storageKeys ?? [])).toBe(answer.signedMessage);
    const words = Math.floor(fromHex(answer.signedMessage).length / 32) + 1;
    expect(delivery.predicateGas).toBe(125_000 + 512 * words + 250 * signers.length);
    expect(message.unsignedMessage.networkId).toBe(sandbox.networkId);
  });

  it('is signed by the L1 that it comes from, and has no access list for the P-chain', async () => {
    const toCChain = await send(newMessage(sandbox.l1ChainId), sandbox.cChainId);
    expect(toCChain.delivery.signingSubnetId).toBe(sandbox.l1SubnetId);
    await verify(toCChain);
    const toPChain = await send(newMessage(sandbox.l1ChainId), PRIMARY_NETWORK_ID);
    expect(toPChain.delivery.signingSubnetId).toBe(sandbox.l1SubnetId);
    expect(toPChain.delivery).not.toHaveProperty('accessList');
    await verify(toPChain);
  });

  it('is signed by the receiving L1 if it comes from the P-chain', async () => {
    const justification = toHex(idFromString(sandbox.l1SubnetId));
    const destinationBlockchainId = sandbox.l1ChainId;
    const answer = deliverable(await observed.service.aggregate({ justification, destinationBlockchainId }));
    expect(answer.delivery.signingSubnetId).toBe(sandbox.l1SubnetId);
    await verify(answer);
  });

  it('says that it would be refused, and why: too little weight, or the wrong signers', async () => {
    const short = await send(newMessage(sandbox.cChainId), sandbox.l1ChainId, { quorumPercentage: 20 });
    expect(short.delivery.verification).toMatchObject({
      isAccepted: false,
      reason: expect.stringMatching(/^signed \d+ of \d+, 67\/100 needed$/),
    });
    const wrong = await send(newMessage(sandbox.cChainId), sandbox.l1ChainId, {
      signingSubnetId: PRIMARY_NETWORK_ID,
      quorumPercentage: 100,
    });
    expect(wrong.delivery.signingSubnetId).toBe(sandbox.l1SubnetId);
    expect(wrong.delivery.verification.isAccepted).toBe(false);
  });

  it('is signed anew for the next epoch, and says which one it is for', async () => {
    const message = newMessage(sandbox.l1ChainId);
    const before = await send(message, sandbox.cChainId);
    const validators = sandbox.validators
      .slice(1)
      .map(({ nodeId, l1Weight }, index) => ({ nodeId, weight: l1Weight + BigInt(index) }));
    sandbox.setValidators(sandbox.l1SubnetId, validators);
    const height = String(sandbox.beginEpoch());
    await eventually('the new epoch is known', async () => {
      const { delivery } = await send(message, sandbox.cChainId);
      return delivery.pChainHeight === height;
    });
    const after = await send(message, sandbox.cChainId);
    expect(after.delivery.verification.isAccepted).toBe(true);
    expect(BigInt(after.delivery.epoch?.number ?? 0)).toBeGreaterThan(
      BigInt(before.delivery.epoch?.number ?? 0),
    );
    await verify(after);
  });

  /** Last: what chains demand is remembered for a while, by the process that asked. */
  it('is signed by the primary network for an L1 that requires it, and by whom the caller says where nobody knows', async () => {
    const warpConfig = { blockTimestamp: 0, quorumNumerator: 75, requirePrimaryNetworkSigners: true };
    sandbox.setNodeBehaviour({ answers: { eth_getChainConfig: { chainId: 7, warpConfig } } });
    await observed.service.killApi();
    await observed.service.restartApi();
    const message = newMessage(sandbox.cChainId);
    // More than the default, and nothing has to be asked for.
    const required = await send(message, sandbox.l1ChainId);
    expect(required.delivery).toMatchObject({
      signingSubnetId: PRIMARY_NETWORK_ID,
      verification: { isAccepted: true, quorumNumerator: 75 },
    });
    await verify(required);

    sandbox.setNodeBehaviour({ answers: { eth_getChainConfig: { chainId: 7 } } });
    await observed.service.killApi();
    await observed.service.restartApi();
    const body = { message, destinationBlockchainId: sandbox.l1ChainId };
    expect(await observed.service.aggregate(body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`otherwise ${sandbox.l1SubnetId}`) },
    });
    const chosen = await send(message, sandbox.l1ChainId, { signingSubnetId: sandbox.l1SubnetId });
    expect(chosen.delivery).toMatchObject({
      signingSubnetId: sandbox.l1SubnetId,
      verification: { isAccepted: true },
    });
  });
});
