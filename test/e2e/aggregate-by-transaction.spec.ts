import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { parseTransaction } from '../../src/avalanche/platformvm/codec/transaction.js';
import { unpackOrder } from '../../src/avalanche/platformvm/l1-transaction.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { packJustification } from '../../src/avalanche/warp/justification.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { type L1Message, unpackL1Message } from '../../sandbox/peer/l1-message.js';
import { packAddressedCall, unpackAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { DEPRECATED_METHODS } from '../support/sandbox/deprecated-methods.js';
import { eventually } from '../support/harness/eventually.js';
import { type ApiAnswer, TestService } from '../support/harness/service.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

/** One L1 with its past, and what its validator manager and its users ask for. */
describe('messages of an L1', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let platform: PlatformClient;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 5, seed: 'by transaction' });
    sandbox.setNodeBehaviour({ without: [...DEPRECATED_METHODS] });
    service = await TestService.start({ nodeUrl: sandbox.url });
    platform = new PlatformClient(new JsonRpcClient({ urls: [sandbox.url], timeoutMs: 60_000 }));
  });

  afterAll(async () => {
    await sandbox.stop();
  });

  const byTransaction = (txHash: string) =>
    service.request(`/v1/signatureAggregator/fuji/aggregateSignatures/${txHash}`);

  const transactionId = (name: string): string => {
    const txId = sandbox.describe().transactions[name];
    if (txId === undefined) throw new Error(`no transaction ${name}`);
    return txId;
  };

  const setAt = async (subnetId: string, height: bigint) =>
    makeCanonicalValidatorSet(await platform.getValidatorsAt({ subnetId, height }));

  /** The message that the L1's validators of that height signed. */
  const verified = async (
    { body }: ApiAnswer,
    { subnetId = sandbox.l1SubnetId, height = sandbox.epochHeight } = {},
  ) => {
    const validatorSet = await setAt(subnetId, height);
    return verifySignedMessage(body, { networkId: sandbox.networkId, validatorSet, quorumPercentage: 67 })
      .message.unsignedMessage;
  };

  const l1MessageOf = async (answer: ApiAnswer): Promise<L1Message> => {
    const { sourceChainId, payload } = await verified(answer);
    expect(toHex(sourceChainId)).toBe('00'.repeat(32));
    const { sourceAddress, payload: l1Message } = unpackAddressedCall(payload);
    expect(sourceAddress).toHaveLength(0);
    return unpackL1Message(l1Message);
  };

  const refused = (status: 400 | 404 | 502, message: string | RegExp) => ({
    status,
    body: {
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      statusCode: status,
      error: { 400: 'Bad Request', 404: 'Not Found', 502: 'Bad Gateway' }[status],
    },
  });

  const registrationOf = async (name: string) => {
    const { unsigned } = parseTransaction(await platform.getTx({ txId: transactionId(name) }));
    if (unsigned.type !== 'RegisterL1Validator') throw new Error('no registration');
    return unpackOrder(unsigned.message).order;
  };

  const newMessage = (sourceChainId: string, payload: Uint8Array) =>
    toHex(
      packUnsignedMessage({
        networkId: sandbox.networkId,
        sourceChainId: idFromString(sourceChainId),
        payload,
      }),
    );
  const newCall = () => packAddressedCall({ sourceAddress: randomBytes(20), payload: randomBytes(50) });

  describe('GET aggregateSignatures/{txHash}', () => {
    it('signs SubnetToL1Conversion after a conversion, by the id in cb58 and hex', async () => {
      const txId = transactionId('convertSubnetToL1');
      const hex = toHex(idFromString(txId));
      const answers: ApiAnswer[] = [];
      for (const hash of [txId, hex, `0x${hex.toUpperCase()}`]) answers.push(await byTransaction(hash));
      const { conversionId } = await platform.getSubnet({ subnetId: sandbox.l1SubnetId });
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      for (const answer of answers) {
        expect(Object.keys(answer.body ?? {})).toEqual(['signedMessage']);
        expect(await l1MessageOf(answer)).toEqual({
          kind: 'subnetToL1Conversion',
          id: idFromString(conversionId),
        });
      }
    });

    it('signs L1ValidatorRegistration, registered, after a registration', async () => {
      const answer = await byTransaction(transactionId('registerL1Validator'));
      const joined = sandbox.describe().l1.validations.at(-1)?.validationId ?? '';
      expect(await l1MessageOf(answer)).toEqual({
        kind: 'l1ValidatorRegistration',
        validationId: idFromString(joined),
        registered: true,
      });
    });

    it('signs L1ValidatorWeight after a change of weight', async () => {
      const answer = await byTransaction(transactionId('setL1ValidatorWeight'));
      const joined = sandbox.describe().l1.validations.at(-1);
      expect(await l1MessageOf(answer)).toEqual({
        kind: 'l1ValidatorWeight',
        validationId: idFromString(joined?.validationId ?? ''),
        nonce: 0n,
        weight: BigInt(joined?.weight ?? 0),
      });
    });

    it('signs L1ValidatorRegistration, not registered, after the removal of a validator of the conversion', async () => {
      const answer = await byTransaction(transactionId('removeL1Validator'));
      expect(await l1MessageOf(answer)).toMatchObject({ kind: 'l1ValidatorRegistration', registered: false });
    });

    it('answers 404 and what to do instead to the removal of a registered one that the index does not know', async () => {
      const removal = await byTransaction(transactionId('removeL1ValidatorAgain'));
      expect(removal).toMatchObject(
        refused(
          404,
          /RegisterL1Validator message .* is not in the P-chain index of fuji \(yet\)\. For the same signatures, POST/,
        ),
      );
      const order = await registrationOf('registerL1ValidatorAgain');
      const posted = await service.aggregate({
        justification: toHex(order),
        signingSubnetId: sandbox.l1SubnetId,
      });
      expect(await l1MessageOf(posted)).toMatchObject({ kind: 'l1ValidatorRegistration', registered: false });
    });

    it('answers 404 to a registration that is over and a weight that was replaced', async () => {
      expect(await byTransaction(transactionId('registerL1ValidatorAgain'))).toMatchObject(
        refused(
          404,
          /^the validation \w+ of transaction \w+ is over: validators no longer sign that it is registered$/,
        ),
      );
      const changing = await startSandbox({ validators: 3, seed: 'weights' });
      const own = await TestService.start({
        nodeUrl: changing.url,
        workers: 0,
        databaseUrl: service.databaseUrl,
        temporalAddress: service.temporalAddress,
      });
      try {
        const validators = changing
          .describe()
          .l1.validations.map(({ nodeId, weight }) => ({ nodeId, weight: BigInt(weight) + 5n }));
        changing.setValidators(changing.l1SubnetId, validators);
        const { setL1ValidatorWeight } = changing.describe().transactions;
        expect(
          await own.request(`/v1/signatureAggregator/fuji/aggregateSignatures/${setL1ValidatorWeight}`),
        ).toMatchObject(
          refused(
            404,
            /^a later change has replaced the weight of transaction \w+ \(nonce 0\): the last one has nonce 1$/,
          ),
        );
      } finally {
        await changing.stop();
      }
    });

    it('answers 400 and the type to a P-chain transaction that no message follows from', async () => {
      const ids = defaultRecording().final.subnets.map(({ id }) => String(id));
      expect(await byTransaction(ids.find((id) => id !== PRIMARY_NETWORK_ID) ?? '')).toMatchObject(
        refused(
          400,
          /^txHash: \w+ is a P-chain transaction of type CreateSubnet, which produces no L1 message/,
        ),
      );
    });

    it('answers 400 to a transaction of the X-chain', async () => {
      const { xChainTransaction } = sandbox.describe();
      expect(await byTransaction(xChainTransaction)).toMatchObject(
        refused(400, `txHash: ${xChainTransaction} is an X-chain transaction, which produces no L1 message`),
      );
    });

    it('answers 404 to a hash that neither chain knows, as those of the C-chain', async () => {
      expect(await byTransaction(`0x${'ab'.repeat(32)}`)).toMatchObject(
        refused(404, /^transaction \w+ is unknown to the P- and X-chain of fuji$/),
      );
    });

    it.each(['nonsense', '0x1234', '11111111111111111111111111111111LpoYZ', 'zz'.repeat(32)])(
      'answers 400 to a malformed hash %s',
      async (hash) => {
        expect(await byTransaction(hash)).toMatchObject(
          refused(400, 'txHash: must be a 32-byte id, hex or cb58 encoded'),
        );
      },
    );

    it('answers 400 to an unknown network', async () => {
      const path = `/v1/signatureAggregator/goerli/aggregateSignatures/${transactionId('convertSubnetToL1')}`;
      expect(await service.request(path)).toMatchObject(
        refused(400, 'network: must be one of mainnet, fuji, testnet'),
      );
    });
  });

  describe('POST aggregateSignatures', () => {
    it('makes the message of a registration from its order: registered', async () => {
      const { body, status } = await service.aggregate({
        justification: toHex(await registrationOf('registerL1Validator')),
        signingSubnetId: toHex(idFromString(sandbox.l1SubnetId)),
      });
      expect(status).toBe(201);
      expect(await l1MessageOf({ status, body, contentType: null })).toMatchObject({
        kind: 'l1ValidatorRegistration',
        registered: true,
      });
    });

    it('makes the message of a removal from its justification', async () => {
      const order = await registrationOf('registerL1ValidatorAgain');
      const justification = packJustification({ kind: 'registerL1ValidatorMessage', message: order });
      const { l1ValidatorRemoved } = sandbox.examples();
      for (const given of [toHex(justification), l1ValidatorRemoved.justification]) {
        const answer = await service.aggregate({ justification: given, signingSubnetId: sandbox.l1SubnetId });
        expect(answer.status).toBe(201);
        expect(await l1MessageOf(answer)).toMatchObject({
          kind: 'l1ValidatorRegistration',
          registered: false,
        });
      }
    });

    it('signs a weight by its message, and reports that it needs one', async () => {
      const { l1ValidatorWeight } = sandbox.examples();
      const answer = await service.aggregate({
        message: l1ValidatorWeight.message,
        signingSubnetId: sandbox.l1SubnetId,
      });
      expect(await l1MessageOf(answer)).toMatchObject({ kind: 'l1ValidatorWeight' });
      const validationId = sandbox.describe().l1.validations[0]?.validationId ?? '';
      expect(await service.aggregate({ justification: toHex(idFromString(validationId)) })).toMatchObject(
        refused(400, /^justification: \w+ is not a subnet of fuji; L1ValidatorWeight cannot be derived/),
      );
    });

    it('hands payloads of other kinds to the validators of an L1, which decide', async () => {
      expect(
        await service.aggregate({ message: newMessage(sandbox.l1ChainId, Buffer.from('own format')) }),
      ).toMatchObject({
        status: 503,
        body: { message: expect.stringMatching(/refused with code 1 \(failed to parse payload/) },
      });
    });

    it.each(['C', 'X', 'P'] as const)(
      'answers 400 to payloads of other kinds for the %s-chain',
      async (chain) => {
        const chains = { C: sandbox.cChainId, X: sandbox.xChainId, P: PRIMARY_NETWORK_ID };
        expect(
          await service.aggregate({ message: newMessage(chains[chain], Buffer.from('own format')) }),
        ).toMatchObject(refused(400, /^message: its payload is neither a hash nor an addressed call/));
      },
    );
  });

  /** Last: the validators change, and the epoch stays what it was. */
  describe('the epoch of the receiving chain', () => {
    let before: { l1: bigint; cChain: bigint };

    beforeAll(async () => {
      before = { l1: sandbox.epochHeight, cChain: sandbox.epochHeight };
      // Without the first of the set all indices are others.
      const [first] = (await setAt(sandbox.l1SubnetId, before.l1)).validators;
      const validators = sandbox
        .describe()
        .l1.validations.filter(({ nodeId }) => nodeId !== first?.nodeIds[0])
        .map(({ nodeId, weight }) => ({ nodeId, weight: BigInt(weight) }));
      sandbox.setValidators(sandbox.l1SubnetId, validators);
    });

    it('decides which validators sign for it', async () => {
      expect(sandbox.epochHeight).toBe(before.l1);
      for (const destinationBlockchainId of [
        sandbox.l1ChainId,
        `0x${toHex(idFromString(sandbox.l1ChainId))}`,
      ]) {
        const answer = await service.aggregate({
          message: newMessage(sandbox.cChainId, newCall()),
          signingSubnetId: sandbox.l1SubnetId,
          destinationBlockchainId,
        });
        expect(answer.status).toBe(201);
        await verified(answer, { height: before.l1 });
        await expect(verified(answer, { height: sandbox.proposedHeight })).rejects.toThrow();
      }
    });

    it('is the proposed height instead when no destination is given', async () => {
      // The API may know the set of a moment ago.
      await eventually('signatures of the new set', async () => {
        const answer = await service.aggregate({
          message: newMessage(sandbox.cChainId, newCall()),
          signingSubnetId: sandbox.l1SubnetId,
        });
        const [atProposed, atEpoch] = await Promise.allSettled(
          [sandbox.proposedHeight, before.l1].map((height) => verified(answer, { height })),
        );
        return atProposed?.status === 'fulfilled' && atEpoch?.status === 'rejected';
      });
    });

    it('may be given as a height as well', async () => {
      const answer = await service.aggregate({
        message: newMessage(sandbox.l1ChainId, newCall()),
        pChainHeight: Number(before.l1),
      });
      await verified(answer, { height: before.l1 });
    });

    it('decides by transaction hash, too, and the next epoch decides as soon as it begins', async () => {
      const txId = transactionId('convertSubnetToL1');
      await verified(await byTransaction(txId), { height: before.l1 });
      const height = sandbox.beginEpoch();
      expect(height).toBeGreaterThan(before.l1);
      // The API may know the old epoch for a second.
      await eventually('signatures of the new epoch', async () => {
        const answer = await byTransaction(txId);
        return verified(answer, { height }).then(
          () => true,
          () => false,
        );
      });
    });

    it('cannot be asked for beside a height: 400', async () => {
      const body = {
        message: newMessage(sandbox.cChainId, newCall()),
        destinationBlockchainId: sandbox.l1ChainId,
      };
      expect(await service.aggregate({ ...body, pChainHeight: 7 })).toMatchObject(
        refused(
          400,
          /^destinationBlockchainId means the height of that chain's epoch: leave pChainHeight out$/,
        ),
      );
      expect((await service.aggregate({ ...body, pChainHeight: 0 })).status).toBe(201);
    });

    it('answers 400 for an unknown chain, and 502 for one that the node does not run, each in words', async () => {
      const message = newMessage(sandbox.cChainId, newCall());
      expect(
        await service.aggregate({ message, destinationBlockchainId: `0x${'cd'.repeat(32)}` }),
      ).toMatchObject(refused(400, /^destinationBlockchainId: \w+ is not a blockchain of fuji$/));
      expect(await service.aggregate({ message, destinationBlockchainId: 'C' })).toMatchObject(
        refused(400, 'destinationBlockchainId: must be a 32-byte id, hex or cb58 encoded'),
      );
      const { blockchains } = defaultRecording().final;
      const own: string[] = [sandbox.cChainId, sandbox.xChainId, sandbox.l1ChainId];
      const foreign = blockchains.map(({ id }) => String(id)).find((id) => !own.includes(id));
      expect(await service.aggregate({ message, destinationBlockchainId: foreign })).toMatchObject(
        refused(
          502,
          /^destinationBlockchainId: neither a node of fuji nor the validators of \w+ report its epoch/,
        ),
      );
    });
  });
});
