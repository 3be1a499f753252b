import { encodeDeployData } from 'viem/utils';
import type { Address, Hash, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import type { RecordedMessage } from '../../../sandbox/recording/evm-recording.js';
import { namedAccount, toLowerCase } from '../c-chain/accounts.js';
import { Erc20, MessageReceiver } from '../contracts/artifacts.js';
import { callsOf } from '../contracts/calls.js';
import { toText } from '../scenario/wallet.js';
import type { EvmChain } from './evm-chain.js';
import {
  addFee,
  deliverMessage,
  eventsOf,
  executeAgain,
  type MessengerEvent,
  redeemRewards,
  sendAgain,
  sendMessage,
  sendReceipts,
  type SentMessage,
  type TokenFee,
} from './messenger.js';
import { type Aggregate, signFor } from './relay.js';

/** A chain on which messages are sent and received. */
interface Place {
  readonly chain: EvmChain;
  readonly receiver: Address;
  readonly feeToken: Address;
}

/** A message on its way, and all that has become of it. */
interface Letter {
  readonly from: Place;
  readonly to: Place;
  readonly sent: SentMessage;
  readonly steps: Step[];
}

type Step = RecordedMessage['steps'][number];

/** Details of a message in an event; undefined for events without any, and for details that the sender knows already. */
const STEPS: Readonly<Record<MessengerEvent['eventName'], Step['what'] | undefined>> = {
  AddFeeAmount: 'fee raised',
  ReceiveCrossChainMessage: 'delivered',
  MessageExecuted: 'executed',
  MessageExecutionFailed: 'failed',
  ReceiptReceived: 'receipt delivered',
  SendCrossChainMessage: undefined,
  BlockchainIDInitialized: undefined,
  RelayerRewardsRedeemed: undefined,
};

const MONEY = 1_000n;
/** Has no code. */
const NOBODY: Address = toLowerCase(namedAccount('nobody').address);

const feeOn = ({ feeToken: feeTokenAddress }: Place, amount: bigint): TokenFee => ({
  feeTokenAddress,
  amount,
});

/**
 * Lets everything happen that can become of a message, in both directions: one that stays where it is, with and without a fee;
 * that is delivered, with and without; that fails and is executed later, or never; that is sent again; receipts that come back
 * with others or by themselves. `third` speaks to both, and hears nothing.
 */
export class MessageStories {
  private readonly letters = new Map<Hash, Letter>();

  constructor(
    private readonly aggregate: Aggregate,
    private readonly step: (what: string) => void,
  ) {}

  async happen({ one, other, third }: Readonly<Record<'one' | 'other' | 'third', EvmChain>>): Promise<void> {
    const [here, there, elsewhere] = await Promise.all([prepare(one), prepare(other), prepare(third)]);
    const directions = [
      [here, there],
      [there, here],
    ] as const;
    for (const [from, to] of directions) {
      this.step(`messages from ${from.chain.name} to ${to.chain.name} that stay there`);
      await this.send(from, to, 'stays there');
      await this.raiseFee(await this.send(from, to, 'stays there with a fee', { fee: 5n }), 6n);
    }
    for (const [from, to] of directions) {
      this.step(`messages from ${from.chain.name} to ${to.chain.name} that arrive`);
      await this.sendAllKinds(from, to);
    }
    this.step('receipts');
    const last = await this.send(here, there, 'takes receipts along');
    await this.deliver(last);
    await this.deliver(await this.sendReceiptsOf(last));
    await Promise.all([here, there].map(({ chain, feeToken }) => redeemRewards(chain, feeToken)));
    this.step(`messages from ${third.name}`);
    for (const to of [here, there]) await this.deliver(await this.send(elsewhere, to, 'from elsewhere'));
  }

  /** Those that a recording of this chain has: that it sent, and that came from chains which are not recorded. */
  recordedOn(chain: EvmChain, recorded: readonly EvmChain[]): RecordedMessage[] {
    const recordedHere = [...this.letters.values()].filter(({ from, to }) =>
      recorded.includes(from.chain) ? from.chain === chain : to.chain === chain,
    );
    return recordedHere.map(({ from, to, sent, steps }) => ({
      messageId: sent.messageId,
      sourceBlockchainId: toText(from.chain.blockchainId),
      destinationBlockchainId: toText(to.chain.blockchainId),
      nonce: sent.message.messageNonce.toString(),
      from: toLowerCase(sent.message.originSenderAddress),
      to: toLowerCase(sent.message.destinationAddress),
      data: sent.message.message,
      receipts: sent.message.receipts.map(({ receivedMessageNonce }) => receivedMessageNonce.toString()),
      steps,
    }));
  }

  private async sendAllKinds(from: Place, to: Place): Promise<void> {
    await this.deliver(await this.send(from, to, 'plain'));
    await this.deliver(await this.raiseFee(await this.send(from, to, 'with a fee', { fee: 3n }), 4n));
    await this.deliver(await this.send(from, to, 'to nobody', { receiver: NOBODY }));
    const again = await this.send(from, to, 'sent again');
    const { messageId, txHash } = await sendAgain(from.chain, again.sent);
    this.note(messageId, { what: 'sent again', txHash });
    await this.deliver(again);
    await this.failAndExecute(await this.send(from, to, 'refused at first', { fee: 2n }));
  }

  private async send(
    from: Place,
    to: Place,
    text: string,
    { receiver = to.receiver, fee = 0n }: { receiver?: Address; fee?: bigint } = {},
  ): Promise<Letter> {
    const message: Hex = `0x${Buffer.from(text).toString('hex')}`;
    const given = { to: to.chain, receiver, message };
    const paid = fee === 0n ? given : { ...given, fee: feeOn(from, fee) };
    return this.begin({ from, to, sent: await sendMessage(from.chain, paid), steps: [] }, fee);
  }

  private begin(letter: Letter, fee = 0n): Letter {
    const { messageId, txHash } = letter.sent;
    this.letters.set(messageId, letter);
    this.note(messageId, { what: 'sent', txHash, fee: fee.toString() });
    return letter;
  }

  private async raiseFee(letter: Letter, by: bigint): Promise<Letter> {
    const { from, sent } = letter;
    this.noteAll(await addFee(from.chain, sent.messageId, feeOn(from, by)));
    return letter;
  }

  private async deliver({ from, to, sent }: Letter): Promise<MessengerEvent[]> {
    const { unsignedMessage } = sent;
    const passage = { unsignedMessage, sourceSubnetId: from.chain.subnetId, receiver: to.chain };
    const events = await deliverMessage(to.chain, await signFor(passage, this.aggregate));
    this.noteAll(events);
    return events;
  }

  private async failAndExecute(letter: Letter): Promise<void> {
    const { chain, receiver } = letter.to;
    await refuseMessages(chain, receiver, true);
    const [received] = eventsOf(await this.deliver(letter), 'ReceiveCrossChainMessage');
    if (received === undefined) throw new Error('nothing received');
    await refuseMessages(chain, receiver, false);
    this.noteAll(await executeAgain(chain, received));
  }

  private async sendReceiptsOf({ from, to, sent: { messageId } }: Letter): Promise<Letter> {
    const sent = await sendReceipts(to.chain, { to: from.chain, messageIds: [messageId] });
    return this.begin({ from: to, to: from, sent, steps: [] });
  }

  private noteAll(events: readonly MessengerEvent[]): void {
    for (const { eventName, args, txHash } of events) {
      const what = STEPS[eventName];
      if (what === undefined || !('messageID' in args)) continue;
      const amount = 'updatedFeeInfo' in args ? args.updatedFeeInfo.amount : undefined;
      this.note(args.messageID, {
        what,
        txHash,
        ...(amount === undefined ? {} : { fee: amount.toString() }),
      });
    }
  }

  private note(messageId: Hash, step: Step): void {
    this.letters.get(messageId)?.steps.push(step);
  }
}

async function prepare(chain: EvmChain): Promise<Place> {
  const { wallet, funded: from } = chain;
  const args = ['Fee', 'FEE', 18] as const;
  const [receiver, feeToken] = await Promise.all([
    wallet.deploy({ from, data: MessageReceiver.bytecode }),
    wallet.deploy({ from, data: encodeDeployData({ abi: Erc20.abi, bytecode: Erc20.bytecode, args }) }),
  ]);
  await wallet.run({ from, to: feeToken, data: callsOf(Erc20.abi).mint(from.address, MONEY) });
  return { chain, receiver, feeToken };
}

function refuseMessages(
  { wallet, funded: from }: EvmChain,
  receiver: Address,
  refusing: boolean,
): Promise<unknown> {
  return wallet.run({ from, to: receiver, data: callsOf(MessageReceiver.abi).setRefusing(refusing) });
}
