import { beforeAll, describe, expect, it } from '@jest/globals';
import { encodeDeployData, encodeFunctionData, parseEther } from 'viem/utils';
import { z } from 'zod';
import { type Address, type Hex, ZERO_ADDRESS } from '../../src/avalanche/evm/rpc/hex-values.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { PRIMARY_NETWORK, type Id } from '../../src/avalanche/platformvm/ids.js';
import type { Movement } from '../../src/avalanche/evm/transfers/transfers.js';
import { packL1ValidatorRegistration } from '../../src/avalanche/warp/message/l1-validator-registration.js';
import { packL1ValidatorWeight } from '../../src/avalanche/warp/message/l1-validator-weight.js';
import { validationIdOfRegistration } from '../../src/avalanche/warp/message/register-l1-validator.js';
import { packSubnetToL1Conversion } from '../../src/avalanche/warp/message/subnet-to-l1-conversion.js';
import { makePChainMessage } from '../../src/avalanche/warp/p-chain-message.js';
import { WARP_PRECOMPILE_ADDRESS } from '../../src/avalanche/warp/send-warp-log.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import type { ProofAccount } from '../../src/exports/proof/export-proof.js';
import { makeAccounts, toLowerCase } from '../../tools/localnet/c-chain/accounts.js';
import { recordEvmChain } from '../../tools/localnet/c-chain/evm-recorder.js';
import { Erc20, MessageReceiver, Splitter } from '../../tools/localnet/contracts/artifacts.js';
import type { EvmChain } from '../../tools/localnet/l1/evm-chain.js';
import { confirmToManager, orderAsManager } from '../../tools/localnet/l1/manager.js';
import {
  addFee,
  deliverMessage,
  eventsOf,
  executeAgain,
  redeemRewards,
  sendMessage,
  sendReceipts,
  MESSENGER_ADDRESS,
  type MessengerEvent,
  type SentMessage,
} from '../../tools/localnet/l1/messenger.js';
import { mintNativeCoin } from '../../tools/localnet/l1/native-minter.js';
import { pChainOf, untilEpochReaches } from '../../tools/localnet/l1/receiving-chain.js';
import { signFor } from '../../tools/localnet/l1/relay.js';
import { GENESIS_TIME, L1_FEE_RECIPIENT, L1_FIRST_RECIPIENT } from '../../tools/localnet/l1/start-l1.js';
import { packRegistration, submitRegistration, submitWeight } from '../../tools/localnet/scenario/l1.js';
import { ownedBy } from '../../tools/localnet/scenario/signing-key.js';
import { toText } from '../../tools/localnet/scenario/wallet.js';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { withoutNode } from '../support/p2p/connect-to.js';
import { eventually } from '../support/harness/eventually.js';
import { type ApiAnswer, TestService } from '../support/harness/service.js';
import { expectSameAnswers } from '../support/evm/evm-questions.js';
import { expectSameL1Balances, indexL1 } from '../support/real-nodes/l1-balances.js';
import { expectProvedL1Exports } from '../support/real-nodes/l1-exports.js';
import {
  signForDestination,
  signedMessageIn,
  startL1ForTest,
  type L1TestBed,
} from '../support/real-nodes/local-l1.js';
import { AVAX } from '../../src/avalanche/platformvm/state/chain-rules.js';

const HELLO: Hex = '0x68656c6c6f';

const { alice, bob, carol, funded } = makeAccounts();
const ALICE = toLowerCase(alice.address);
const BOB = toLowerCase(bob.address);
const CAROL = toLowerCase(carol.address);
/** All of it happens with the first block: the minter ends and begins again, and the rules change balances. */
const UPGRADE = {
  precompileUpgrades: [
    { contractNativeMinterConfig: { blockTimestamp: GENESIS_TIME + 10, disable: true } },
    {
      contractNativeMinterConfig: {
        blockTimestamp: GENESIS_TIME + 20,
        adminAddresses: [funded.address],
        initialMint: { [ALICE]: parseEther('20').toString() },
      },
    },
  ],
  stateUpgrades: [
    {
      blockTimestamp: GENESIS_TIME + 30,
      accounts: {
        [BOB]: { balanceChange: '0x7' },
        [L1_FIRST_RECIPIENT]: { balanceChange: '-1' },
      },
    },
  ],
};

const MessagesSchema = z.object({
  messages: z.array(
    z.looseObject({
      messageId: z.string(),
      status: z.string(),
      messageExecuted: z.boolean(),
      receiptDelivered: z.boolean(),
      receipts: z.array(z.unknown()),
      rewardDetails: z.object({ value: z.string(), symbol: z.string() }),
      destinationTransaction: z.looseObject({}).optional(),
    }),
  ),
});
type ListedMessage = z.infer<typeof MessagesSchema>['messages'][number];

const namesOf = (events: readonly MessengerEvent[]) => events.map(({ eventName }) => eventName);

describe('an L1 of real nodes', () => {
  let bed: L1TestBed;
  let receivers: ReadonlyMap<EvmChain, Address>;
  /** On the L1. */
  let feeToken: Address;

  const deploy = ({ wallet, funded: from }: EvmChain, data: Hex) => wallet.deploy({ from, data });
  const receiverOn = (chain: EvmChain): Address => receivers.get(chain) ?? MESSENGER_ADDRESS;

  beforeAll(async () => {
    bed = await startL1ForTest(UPGRADE);
    const { chain, cChain } = bed.l1;
    const args = ['Fee', 'FEE', 18] as const;
    feeToken = await deploy(chain, encodeDeployData({ abi: Erc20.abi, bytecode: Erc20.bytecode, args }));
    receivers = new Map([
      [chain, await deploy(chain, MessageReceiver.bytecode)],
      [cChain, await deploy(cChain, MessageReceiver.bytecode)],
    ]);
  });

  /** Signed and delivered as the service advises for the receiving chain. */
  const relay = async (from: EvmChain, to: EvmChain, { unsignedMessage }: SentMessage) => {
    const { signedMessage, delivery } = await signForDestination(bed.service, to, unsignedMessage);
    const signingSubnetId = toText(from.subnetId === PRIMARY_NETWORK ? to.subnetId : from.subnetId);
    expect(delivery).toMatchObject({ signingSubnetId, verification: { isAccepted: true } });
    return deliverMessage(to, signedMessage);
  };

  const hello = (from: EvmChain, to: EvmChain) =>
    sendMessage(from, { to, receiver: receiverOn(to), message: HELLO });

  /** The service's answer about a message, once it is as expected. */
  const untilMessage = async (
    { messageId }: SentMessage,
    expected: (message: ListedMessage) => boolean,
  ): Promise<ListedMessage> => {
    const path = `/v1/icm/addresses/${funded.address}/messages?pageSize=100`;
    const id = messageId.slice(2);
    let found: ListedMessage | undefined;
    await eventually(`message ${id} as expected`, async () => {
      const { body } = await bed.service.request(path);
      found = MessagesSchema.parse(body).messages.find((message) => message.messageId === id);
      return found !== undefined && expected(found);
    });
    if (found === undefined) throw new Error(`no message ${id}`);
    return found;
  };

  const refuseMessages = ({ wallet, funded: from }: EvmChain, to: Address, refusing: boolean) => {
    const { abi } = MessageReceiver;
    const data = encodeFunctionData({ abi, functionName: 'setRefusing', args: [refusing] });
    return wallet.run({ from, to, data });
  };

  describe('with the C-chain', () => {
    it('accepts and is accepted: messages signed by the service arrive, with receipts and fees on the way back', async () => {
      const { chain, cChain } = bed.l1;
      const { funded } = chain;
      const mint = encodeFunctionData({ abi: Erc20.abi, functionName: 'mint', args: [funded.address, 10n] });
      await chain.wallet.run({ from: funded, to: feeToken, data: mint });
      const sent = await sendMessage(chain, {
        to: cChain,
        receiver: receiverOn(cChain),
        message: HELLO,
        fee: { feeTokenAddress: feeToken, amount: 3n },
      });
      const [added] = eventsOf(
        await addFee(chain, sent.messageId, { feeTokenAddress: feeToken, amount: 4n }),
        'AddFeeAmount',
      );
      expect(added?.args.updatedFeeInfo.amount).toBe(7n);
      const pending = await untilMessage(
        sent,
        ({ rewardDetails }) => rewardDetails.value === '7' && rewardDetails.symbol === 'FEE',
      );
      expect(pending).toMatchObject({
        status: 'pending',
        sourceBlockchainId: toText(chain.blockchainId),
        destinationBlockchainId: toText(cChain.blockchainId),
        sourceEvmChainId: String(chain.chainId),
        from: funded.address,
        data: HELLO,
        messageExecuted: false,
        receiptDelivered: false,
      });
      expect(pending.destinationTransaction).toBeUndefined();

      const arrived = await relay(chain, cChain, sent);
      expect(namesOf(arrived)).toEqual(['ReceiveCrossChainMessage', 'MessageExecuted']);
      expect(eventsOf(arrived, 'ReceiveCrossChainMessage')[0]?.args).toMatchObject({
        messageID: sent.messageId,
        sourceBlockchainID: `0x${chain.blockchainId}`,
        rewardRedeemer: funded.address,
        message: { messageNonce: 1n, originSenderAddress: funded.address, message: HELLO },
      });
      const delivered = await untilMessage(sent, ({ status }) => status === 'delivered');
      expect(delivered).toMatchObject({
        messageExecuted: true,
        receiptDelivered: false,
        destinationTransaction: { delivererAddress: funded.address, rewardRedeemer: funded.address },
      });

      const answered = await relay(cChain, chain, await hello(cChain, chain));
      expect(namesOf(answered)).toEqual(['ReceiptReceived', 'ReceiveCrossChainMessage', 'MessageExecuted']);
      expect(eventsOf(answered, 'ReceiptReceived')[0]?.args).toMatchObject({
        messageID: sent.messageId,
        destinationBlockchainID: `0x${cChain.blockchainId}`,
        relayerRewardAddress: funded.address,
        feeInfo: { amount: 7n },
      });
      await untilMessage(sent, ({ receiptDelivered }) => receiptDelivered);
      const redeemed = await redeemRewards(chain, feeToken);
      expect(eventsOf(redeemed, 'RelayerRewardsRedeemed')[0]?.args.amount).toBe(7n);
    });

    it('refuses a message that was delivered, and one whose signatures are those of another set', async () => {
      const { chain, cChain, subnetId } = bed.l1;
      const { unsignedMessage } = await hello(cChain, chain);
      const byPrimaryNetwork = await bed.aggregate({ message: toHex(unsignedMessage), pChainHeight: 0 });
      await expect(deliverMessage(chain, byPrimaryNetwork)).rejects.toThrow('has the status 0x0');
      const signingSubnetId = toText(subnetId);
      const byL1 = await bed.aggregate({ message: toHex(unsignedMessage), signingSubnetId, pChainHeight: 0 });
      await deliverMessage(chain, byL1);
      await expect(deliverMessage(chain, byL1)).rejects.toThrow('has the status 0x0');
    });

    it('executes a message later that was refused, and brings its receipt back in a message of its own', async () => {
      const { chain, cChain } = bed.l1;
      const receiver = receiverOn(cChain);
      await refuseMessages(cChain, receiver, true);
      const sent = await hello(chain, cChain);
      const refused = await relay(chain, cChain, sent);
      expect(namesOf(refused).slice(-2)).toEqual(['ReceiveCrossChainMessage', 'MessageExecutionFailed']);
      const [received] = eventsOf(refused, 'ReceiveCrossChainMessage');
      if (received === undefined) throw new Error('nothing received');
      const failed = await untilMessage(sent, ({ status }) => status === 'delivered');
      expect(failed.messageExecuted).toBe(false);
      await bed.service.workers[0]?.kill('SIGKILL');
      await refuseMessages(cChain, receiver, false);
      expect(namesOf(await executeAgain(cChain, received))).toEqual(['MessageExecuted']);
      await bed.service.startWorker();
      await untilMessage(sent, ({ messageExecuted }) => messageExecuted);

      const receipts = await sendReceipts(cChain, { to: chain, messageIds: [sent.messageId] });
      const returned = await relay(cChain, chain, receipts);
      expect(namesOf(returned)).toEqual(['ReceiptReceived', 'ReceiveCrossChainMessage']);
      expect(eventsOf(returned, 'ReceiptReceived')[0]?.args.messageID).toBe(sent.messageId);
      await untilMessage(sent, ({ receiptDelivered }) => receiptDelivered);
      const ofReceipts = await untilMessage(receipts, ({ status }) => status === 'delivered');
      expect(ofReceipts).toMatchObject({ data: '0x', messageExecuted: false });
      expect(ofReceipts.receipts).toHaveLength(1);
    });
  });

  describe('with the P-chain', () => {
    /** Transactions after which the P-chain has a message, and that message. */
    const statements = new Map<string, { txId: Id; printed: string }>();
    let validationId: Uint8Array;

    /** Messages of the P-chain, signed by the L1's validators; the L1 verifies them and the manager repeats them. */
    const confirm = async (l1Message: Uint8Array, justification?: Uint8Array) => {
      const { manager } = bed.l1;
      const { networkId } = bed.scenario;
      const unsignedMessage = packUnsignedMessage(makePChainMessage({ networkId, l1Message }));
      const passage = { unsignedMessage, justification, sourceSubnetId: PRIMARY_NETWORK };
      const signed = await signFor({ ...passage, receiver: manager.chain }, bed.aggregate);
      return toHex(await confirmToManager(manager, signed));
    };

    /** Messages of the manager, signed by the L1's validators for the P-chain. */
    const order = async (payload: Uint8Array) => {
      const { manager, subnetId: sourceSubnetId } = bed.l1;
      const receiver = pChainOf(bed.scenario);
      const unsignedMessage = await orderAsManager(manager, payload);
      return signFor({ unsignedMessage, sourceSubnetId, receiver }, bed.aggregate);
    };

    it('agrees on the conversion', async () => {
      const { subnetId, conversionTxId: txId } = bed.l1;
      const { conversionId } = await bed.scenario.platform.getSubnet({ subnetId: toText(subnetId) });
      const printed = packSubnetToL1Conversion({ id: idFromString(conversionId) });
      expect(await confirm(printed, fromHex(subnetId))).toBe(toHex(printed));
      statements.set('conversion', { txId, printed: toHex(printed) });
    });

    it('agrees on a validator that the L1 registers', async () => {
      const { scenario, l1 } = bed;
      await untilEpochReaches(pChainOf(scenario), l1.height);
      const owner = ownedBy([scenario.people.funded]);
      const validator = {
        identity: scenario.absentee('newcomer'),
        weight: 1n,
        balance: AVAX,
        remainingBalanceOwner: owner,
        deactivationOwner: owner,
      };
      const payload = packRegistration(scenario, l1.subnetId, validator);
      const txId = await submitRegistration(scenario, validator, await order(payload));
      validationId = validationIdOfRegistration(payload);
      const printed = packL1ValidatorRegistration({ validationId, registered: true });
      expect(await confirm(printed)).toBe(toHex(printed));
      statements.set('registration', { txId, printed: toHex(printed) });
    });

    it('agrees on a weight that the L1 changes', async () => {
      const printed = packL1ValidatorWeight({ validationId, nonce: 0n, weight: 2n });
      const txId = await submitWeight(bed.scenario, await order(printed));
      expect(await confirm(printed)).toBe(toHex(printed));
      statements.set('weight', { txId, printed: toHex(printed) });
      const registered = await bed.scenario.platform.getL1Validator({
        validationId: toText(toHex(validationId)),
      });
      expect(registered.weight).toBe(2n);
    });

    describe('by the hash of the transaction', () => {
      beforeAll(async () => {
        // The service's node does not run the L1 and knows no epoch of it: the proposed height has to be the epoch's.
        await untilEpochReaches(bed.l1.chain, await bed.scenario.platform.getHeight());
      });

      it.each(['conversion', 'registration', 'weight'])('agrees on the %s', async (name) => {
        const { txId = '', printed } = statements.get(name) ?? {};
        const path = `/v1/signatureAggregator/fuji/aggregateSignatures/${toText(txId)}`;
        const signed = signedMessageIn(await bed.service.request(path));
        expect(toHex(await confirmToManager(bed.l1.manager, signed))).toBe(printed);
      });
    });

    describe('for a service that has no node', () => {
      let service: TestService;

      beforeAll(async () => {
        const peers = bed.network.nodes.map(({ nodeId, stakingPort: port }) => ({ nodeId, port }));
        const queues = { API_WORKER_QUEUES: 'signatures,indexing' };
        service = await TestService.start({
          nodeUrl: '',
          isHosted: true,
          env: { ...withoutNode(peers), ...queues },
        });
      });

      it('signs a message of the C-chain as soon as it knows the validators', async () => {
        const { unsignedMessage } = await hello(bed.l1.cChain, bed.l1.chain);
        let answer: ApiAnswer | undefined;
        await eventually(
          'it is signed',
          async () => (answer = await service.aggregate({ message: toHex(unsignedMessage) })).status === 201,
        ).catch((error: unknown) => {
          throw new Error(JSON.stringify(answer), { cause: error });
        });
      });

      it.each(['conversion', 'registration', 'weight'])('agrees on the %s', async (name) => {
        const { txId = '', printed } = statements.get(name) ?? {};
        const path = `/v1/signatureAggregator/fuji/aggregateSignatures/${toText(txId)}`;
        const signed = signedMessageIn(await service.request(path));
        expect(toHex(await confirmToManager(bed.l1.manager, signed))).toBe(printed);
      });

      it('signs messages for the epoch of the receiving chain, which accepts them', async () => {
        const { chain, cChain, subnetId } = bed.l1;
        for (const [from, to] of [
          [chain, cChain],
          [cChain, chain],
        ] as const) {
          const { unsignedMessage } = await hello(from, to);
          const answer = await service.aggregate({
            message: toHex(unsignedMessage),
            signingSubnetId: toText(subnetId),
            destinationBlockchainId: toText(to.blockchainId),
          });
          await deliverMessage(to, signedMessageIn(answer));
        }
      });
    });
  });

  describe('with a native coin', () => {
    let splitter: Address;
    let movements: readonly (readonly Movement[])[];

    beforeAll(async () => {
      const { chain } = bed.l1;
      const { wallet } = chain;
      await mintNativeCoin(chain, { to: CAROL, amount: parseEther('3') });
      await mintNativeCoin(chain, { to: L1_FEE_RECIPIENT, amount: 1n });
      await mintNativeCoin(chain, { to: ZERO_ADDRESS, amount: 5n });
      await mintNativeCoin(chain, { from: alice, to: alice.address, amount: parseEther('9') });
      splitter = await wallet.deploy({ from: funded, data: Splitter.bytecode });
      const args = [[alice.address, L1_FIRST_RECIPIENT]] as const;
      const data = encodeFunctionData({ abi: Splitter.abi, functionName: 'split', args });
      await wallet.run({ from: alice, to: splitter, value: 1_001n, data });
      movements = await indexL1(bed);
    });

    it('gives balances that follow from the rows of the index alone, to the wei and at every height', async () => {
      const mints = movements.map((own) => own.filter(({ kind }) => kind === 'MINT'));
      const [genesis = [], first = [], ...later] = mints.map((own) =>
        own.map(({ from, to, amount, txIndex }) => ({ from, to, amount, txIndex })),
      );
      const before = { from: ZERO_ADDRESS, txIndex: -1 };
      expect(genesis).toEqual([
        { ...before, to: L1_FIRST_RECIPIENT, amount: parseEther('1000000') },
        { ...before, to: toLowerCase(funded.address), amount: 0x295be96e64066972000000n },
      ]);
      expect(first).toEqual([
        { ...before, to: ALICE, amount: parseEther('20') },
        { ...before, to: BOB, amount: 7n },
        { ...before, from: L1_FIRST_RECIPIENT, to: ZERO_ADDRESS, amount: 1n },
      ]);
      const common = { from: ZERO_ADDRESS, txIndex: 0 };
      expect(later.flat()).toEqual([
        { ...common, to: CAROL, amount: parseEther('3') },
        { ...common, to: L1_FEE_RECIPIENT, amount: 1n },
        { ...common, to: ZERO_ADDRESS, amount: 5n },
      ]);
      const fees = movements.flat().filter(({ kind }) => kind === 'FEE');
      expect(fees.filter(({ to }) => to !== L1_FEE_RECIPIENT)).toEqual([]);
      expect(
        movements.flat().filter(({ kind, from }) => kind === 'INTERNAL' && from === splitter),
      ).toHaveLength(2);
      await expectSameL1Balances(movements, bed.l1.chain);
    });

    it('is exported without an index, from the states that its nodes keep, with proofs that one of them confirms', async () => {
      const rules = new Map<Address, ProofAccount['rule']>([
        [ALICE, 'signed'],
        [BOB, 'unsigned'],
        [CAROL, 'unsigned'],
        [toLowerCase(funded.address), 'signed'],
        [L1_FIRST_RECIPIENT, 'unsigned'],
        [L1_FEE_RECIPIENT, 'unsigned'],
        [ZERO_ADDRESS, 'unsigned'],
        [splitter, 'contract'],
        [feeToken, 'contract'],
        [MESSENGER_ADDRESS, 'contract'],
        [WARP_PRECOMPILE_ADDRESS, 'reserved'],
      ]);
      expect(await expectProvedL1Exports(bed, movements, [...rules.keys()])).toEqual(rules);
    });
  });

  it('answers as the sandbox does that has its recording', async () => {
    const { chain, nodes } = bed.l1;
    const url = nodes[0]?.url ?? '';
    const recording = await recordEvmChain({
      url,
      node: chain.node,
      chain: toText(chain.blockchainId),
      what: 'The chain of an L1',
      cast: { addresses: [{ address: ALICE, what: 'has some' }], atomic: [], nfts: [], messages: [] },
    });
    await expectSameAnswers({ nodeUrl: url, recording, others: [defaultCChainRecording()] });
  });
});
