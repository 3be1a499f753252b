import { describe, expect, it } from '@jest/globals';
import { toEventSelector, toFunctionSelector } from 'viem/utils';
import { Messenger } from './artifacts.js';

/** As transactions and logs on chains with the original have them. */
const SELECTORS = {
  initializeBlockchainID: '0x0af5b4ff',
  sendCrossChainMessage: '0x62448850',
  retrySendCrossChainMessage: '0x8245a1b0',
  addFeeAmount: '0x8ac0fd04',
  receiveCrossChainMessage: '0xccb5f809',
  retryMessageExecution: '0xfc2d6197',
  sendSpecifiedReceipts: '0xa9a85614',
  redeemRelayerRewards: '0x22296c3a',
  blockchainID: '0xd127dc9b',
  messageReceived: '0xebc3b1ba',
  getRelayerRewardAddress: '0x2e27c223',
  getFeeInfo: '0xe69d606a',
  getMessageHash: '0x399b77da',
  receivedFailedMessageHashes: '0x860a3b06',
};
const TOPICS = {
  BlockchainIDInitialized: '0x1eac640109dc937d2a9f42735a05f794b39a5e3759d681951d671aabbce4b104',
  SendCrossChainMessage: '0x2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8',
  AddFeeAmount: '0xc1bfd1f1208927dfbd414041dcb5256e6c9ad90dd61aec3249facbd34ff7b3e1',
  ReceiveCrossChainMessage: '0x292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34',
  MessageExecuted: '0x34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c',
  MessageExecutionFailed: '0x4619adc1017b82e02eaefac01a43d50d6d8de4460774bc370c3ff0210d40c985',
  ReceiptReceived: '0xd13a7935f29af029349bed0a2097455b91fd06190a30478c575db3f31e00bf57',
  RelayerRewardsRedeemed: '0x3294c84e5b0f29d9803655319087207bc94f4db29f7927846944822773780b88',
};
/** Which parameters of the events are indexed: a topic hash does not show it. */
const INDEXED = {
  BlockchainIDInitialized: ['blockchainID'],
  SendCrossChainMessage: ['messageID', 'destinationBlockchainID'],
  AddFeeAmount: ['messageID'],
  ReceiveCrossChainMessage: ['messageID', 'sourceBlockchainID', 'deliverer'],
  MessageExecuted: ['messageID', 'sourceBlockchainID'],
  MessageExecutionFailed: ['messageID', 'sourceBlockchainID'],
  ReceiptReceived: ['messageID', 'destinationBlockchainID', 'relayerRewardAddress'],
  RelayerRewardsRedeemed: ['redeemer', 'asset'],
};

const functions = Messenger.abi.filter((item) => item.type === 'function');
const events = Messenger.abi.filter((item) => item.type === 'event');

describe('our messenger', () => {
  it.each(Object.entries(SELECTORS))('has the function %s of the original', (name, selector) => {
    expect(functions.filter((item) => item.name === name).map(toFunctionSelector)).toEqual([selector]);
  });

  it('has the events of the original and no others', () => {
    expect(Object.fromEntries(events.map((item) => [item.name, toEventSelector(item)]))).toEqual(TOPICS);
  });

  it('indexes the same parameters of events as the original', () => {
    const indexed = events.map(({ name, inputs }): [string, string[]] => [
      name,
      inputs.filter((input) => 'indexed' in input).map((input) => input.name),
    ]);
    expect(Object.fromEntries(indexed)).toEqual(INDEXED);
  });
});
