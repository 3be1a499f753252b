import { beforeAll, describe, expect, it } from '@jest/globals';
import { getAddress, parseEther } from 'viem/utils';
import { z } from 'zod';
import type { Address, Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import { makeAccounts, toLowerCase } from '../../tools/localnet/c-chain/accounts.js';
import type { EvmChain } from '../../tools/localnet/l1/evm-chain.js';
import {
  deliverAndForward,
  deliverMessage,
  MESSENGER_ADDRESS,
  type SentMessage,
} from '../../tools/localnet/l1/messenger.js';
import { signFor } from '../../tools/localnet/l1/relay.js';
import {
  type BridgeEnd,
  deployBridge,
  refuseTokens,
  sendTokens,
  sendTokensAndCall,
} from '../../tools/localnet/l1/token-bridge.js';
import { toText } from '../../tools/localnet/scenario/wallet.js';
import { eventually } from '../support/harness/eventually.js';
import { type L1TestBed, startL1ForTest } from '../support/real-nodes/local-l1.js';

const { alice } = makeAccounts();
const ALICE = getAddress(alice.address);
const AMOUNT = 1_000n;

const MessagesSchema = z.object({
  messages: z.array(
    z.looseObject({
      messageId: z.string(),
      transfer: z.looseObject({ state: z.string() }).optional(),
      retryExecution: z.object({ evmChainId: z.string(), to: z.string(), data: z.custom<Hex>() }).optional(),
    }),
  ),
});
type Listed = z.infer<typeof MessagesSchema>['messages'][number];

function isLike(value: unknown, expected: Record<string, unknown>): boolean {
  try {
    expect(value).toMatchObject(expected);
    return true;
  } catch {
    return false;
  }
}

/** Contracts with the payloads and the events of ICTT, between the C-chain and two remotes on the L1. */
describe('a token bridge between chains of real nodes', () => {
  let bed: L1TestBed;
  let home: BridgeEnd;
  let first: BridgeEnd;
  let second: BridgeEnd;

  beforeAll(async () => {
    bed = await startL1ForTest({});
    const { chain, cChain } = bed.l1;
    for (const { wallet, funded } of [chain, cChain]) {
      await wallet.run({ from: funded, to: toLowerCase(alice.address), value: parseEther('5') });
    }
    const owner = toLowerCase(alice.address);
    const bridge = await deployBridge(cChain, chain, {
      owner,
      amount: 10n * AMOUNT,
      symbols: ['ONE', 'TWO'],
    });
    const [one, two] = bridge.remotes;
    if (one === undefined || two === undefined) throw new Error('no remotes');
    [home, first, second] = [bridge.home, one, two];
  });

  const sign = (from: EvmChain, to: EvmChain, { unsignedMessage }: SentMessage) =>
    signFor({ unsignedMessage, sourceSubnetId: from.subnetId, receiver: to }, bed.aggregate);

  const read = async (path: string): Promise<Listed[]> =>
    MessagesSchema.parse((await bed.service.request(path)).body).messages;

  /** The message as the list of that person has it, once it is as expected. */
  const untilListed = async (
    person: Address,
    { messageId }: SentMessage,
    expected: Record<string, unknown>,
  ): Promise<Listed> => {
    let found: Listed | undefined;
    await eventually(`message ${messageId} as expected`, async () => {
      const messages = await read(`/v1/icm/addresses/${person}/messages?pageSize=100`);
      found = messages.find((message) => message.messageId === messageId.slice(2));
      return isLike(found?.transfer, expected);
    }).catch(() => undefined);
    expect(found?.transfer).toMatchObject(expected);
    if (found === undefined) throw new Error(`no message ${messageId}`);
    return found;
  };

  it('is seen by its user: from home to a remote, on to another one, which fails at first', async () => {
    const { chain, cChain } = bed.l1;
    const people = { sender: alice, recipient: toLowerCase(alice.address) };
    const sent = await sendTokens({ from: home, to: first, ...people, amount: AMOUNT });
    const common = { sender: ALICE, recipient: ALICE, amount: AMOUNT.toString() };
    await untilListed(ALICE, sent, { ...common, transferType: 'send', state: 'undelivered' });
    await deliverMessage(chain, await sign(cChain, chain, sent));
    const token = { address: getAddress(first.transferrer), name: 'Bridged', symbol: 'ONE', decimals: 18 };
    await untilListed(ALICE, sent, { ...common, state: 'executed', token });

    const hop = await sendTokens({ from: first, to: second, ...people, amount: AMOUNT });
    await refuseTokens(second, true);
    const forwarded = await deliverAndForward(cChain, await sign(chain, cChain, hop));
    await deliverMessage(chain, await sign(cChain, chain, forwarded));
    const secondHop = {
      destinationBlockchainId: toText(chain.blockchainId),
      destinationTransferrer: getAddress(second.transferrer),
      fallbackRecipient: ALICE,
      messageId: forwarded.messageId.slice(2),
    };
    await untilListed(ALICE, hop, {
      ...common,
      transferType: 'multiHopSend',
      state: 'executed',
      token,
      secondHop: { ...secondHop, state: 'failed' },
    });
    const failed = await untilListed(ALICE, forwarded, {
      ...common,
      transferType: 'send',
      state: 'failed',
      firstMessageId: hop.messageId.slice(2),
    });

    await refuseTokens(second, false);
    const { retryExecution: retry } = failed;
    if (retry === undefined) throw new Error('no call that executes it again');
    expect(retry).toMatchObject({ evmChainId: String(chain.chainId), to: getAddress(MESSENGER_ADDRESS) });
    await chain.wallet.run({ from: alice, to: MESSENGER_ADDRESS, data: retry.data, gas: 1_000_000n });
    const executed = await untilListed(ALICE, forwarded, {
      ...common,
      state: 'executed',
      token: { symbol: 'TWO' },
    });
    expect(executed.retryExecution).toBeUndefined();
    await untilListed(ALICE, hop, { secondHop: { ...secondHop, state: 'executed' } });

    const ofTransaction = await read(`/v1/icm/transactions/${forwarded.txHash}`);
    expect(ofTransaction.map(({ messageId }) => messageId).sort()).toEqual(
      [hop, forwarded].map(({ messageId }) => messageId.slice(2)).sort(),
    );
  });

  it('says how the call of a recipient ended, to the sender and to the recipient', async () => {
    const { chain, cChain } = bed.l1;
    const refuser = second.transferrer; // knows no such function
    const payload = '0x12345678';
    const people = { sender: alice, recipient: refuser };
    const sent = await sendTokensAndCall({ from: home, to: first, ...people, amount: 7n }, payload);
    await deliverMessage(chain, await sign(cChain, chain, sent));
    for (const person of [ALICE, refuser]) {
      await untilListed(person, sent, {
        transferType: 'sendAndCall',
        state: 'executed',
        sender: ALICE,
        recipient: getAddress(refuser),
        amount: '7',
        call: { data: payload, fallbackRecipient: ALICE, isSuccessful: false },
      });
    }
  });
});
