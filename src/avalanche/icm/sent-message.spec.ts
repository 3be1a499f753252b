import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  defaultCChainRecording,
  defaultL1Recording,
} from '../../../sandbox/evm-chains/default-recordings.js';
import { readMessengerRecording } from '../../../test/support/evm/messenger-recording.js';
import type { EvmLog } from '../evm/blocks/block.js';
import type { Hex } from '../evm/rpc/hex-values.js';
import { fromHex, toHex } from '../ids/hex.js';
import { SEND_WARP_MESSAGE_TOPIC, unwrapMessageInput } from '../warp/send-warp-log.js';
import { MESSENGER_TOPICS } from './messenger-event.js';
import { sentWarpMessage } from './sent-message.js';

type Log = Pick<EvmLog, 'address' | 'topics' | 'data'>;

const NETWORK_ID = 12_345;
const HexSchema = z.custom<Hex>((value) => typeof value === 'string');

const { chain, blocks } = readMessengerRecording();
/** By blockchain, the logs of each transaction. */
const recordings: readonly (readonly [string, readonly (readonly Log[])[]])[] = [
  ...[defaultCChainRecording(), defaultL1Recording()].map((recording) => {
    const receipts = recording.blocks.flatMap((block) => block.receipts);
    const logs = receipts.map((receipt) =>
      receipt.logs.map((log) => ({ ...log, data: HexSchema.parse(log['data']) })),
    );
    return [recording.blockchainId, logs] as const;
  }),
  [chain.blockchainId, blocks.flatMap((block) => block.transactions.map(({ logs }) => logs))],
];

const buildFrom = (sourceBlockchainId: string, log: Log) =>
  sentWarpMessage({ networkId: NETWORK_ID, sourceBlockchainId, messenger: log.address, log });

describe(sentWarpMessage.name, () => {
  it.each(recordings)('makes of the events on %s what the Warp precompile has logged', (id, transactions) => {
    let messages = 0;
    for (const logs of transactions) {
      const logged = logs.filter(({ topics }) => topics[0] === SEND_WARP_MESSAGE_TOPIC);
      const made = logs.flatMap((log) => buildFrom(id, log) ?? []);
      expect(made.map(toHex)).toEqual(logged.map(({ data }) => toHex(unwrapMessageInput(fromHex(data)))));
      messages += made.length;
    }
    expect(messages).toBe(9);
  });

  it('makes nothing of an event that is laid out in another way, or too long for Warp', () => {
    const [blockchainId, transactions] = recordings[0] ?? ['', []];
    const sent = transactions.flat().find(({ topics }) => topics[0] === MESSENGER_TOPICS.sent);
    if (sent === undefined) throw new Error('nothing is sent');
    expect(buildFrom(blockchainId, sent)).toBeDefined();
    const moved = { ...sent, data: `0x${'80'.padStart(64, '0')}${sent.data.slice(66)}` } as const;
    expect(buildFrom(blockchainId, moved)).toBeUndefined();
    expect(buildFrom(blockchainId, { ...sent, data: '0x' })).toBeUndefined();
    const long = { ...sent, data: `${sent.data}${'00'.repeat(24 * 1024)}` } as const;
    expect(buildFrom(blockchainId, long)).toBeUndefined();
  });
});
