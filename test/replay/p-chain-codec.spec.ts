import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { blockFields, packBlock, parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { unwrapBlock, wrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import { unsignedTransaction } from '../../src/avalanche/platformvm/codec/unsigned-transaction.js';
import { packUtxo, parseUtxo } from '../../src/avalanche/platformvm/codec/utxo.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { readPChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { P_CHAIN_RECORDINGS } from '../support/p-chain/p-chain-recordings.js';

const recordings = P_CHAIN_RECORDINGS.map((file) => readPChainRecording(join(projectFolder(), file)));
const blocks = recordings.flatMap((recording) => recording.blocks);

/** Bytes of avalanchego's own codec, unlike those of the round trips, which ours writes itself. */
describe('the codec of the P-chain for what nodes recorded', () => {
  it('reads and writes blocks alike', () => {
    for (const { bytes } of blocks) expect(toHex(packBlock(parseBlock(fromHex(bytes))))).toBe(bytes);
  });

  it('meets blocks and transactions of every type', () => {
    const seen = new Set<string>();
    for (const { bytes } of blocks) {
      const block = parseBlock(fromHex(bytes));
      seen.add(block.type);
      if ('transactions' in block) for (const { unsigned } of block.transactions) seen.add(unsigned.type);
      if ('transaction' in block) seen.add(block.transaction.unsigned.type);
    }
    const all = [...Object.keys(blockFields.bodies), ...Object.keys(unsignedTransaction.bodies)];
    expect(all.filter((type) => !seen.has(type))).toEqual([]);
  });

  it('reads and writes containers alike', () => {
    const seen = new Set<string>();
    for (const { bytes, container } of blocks) {
      if (container === null) continue;
      const { inner, envelope } = unwrapBlock(fromHex(container));
      expect(toHex(inner)).toBe(bytes);
      expect(toHex(envelope === null ? inner : wrapBlock(envelope))).toBe(container);
      seen.add(envelope?.type ?? 'bare');
    }
    expect([...seen]).toEqual(expect.arrayContaining(['block', 'option']));
  });

  it('reads and writes UTXOs alike', () => {
    const utxos = new Set(
      recordings.flatMap(({ answers }) =>
        answers.flatMap((at) =>
          [at.utxos, at.atomicUtxos, at.rewardUtxos].flatMap((lists) => Object.values(lists).flat()),
        ),
      ),
    );
    expect(utxos.size).toBeGreaterThan(50);
    for (const bytes of utxos) expect(toHex(packUtxo(parseUtxo(fromHex(bytes))))).toBe(bytes);
  });
});
