import { beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import type { TxType } from '../../src/avalanche/platformvm/transaction.js';
import { type PChainRecording, readPChainRecording } from '../../src/sandbox/recording/p-chain-recording.js';
import { comparePChain } from '../support/compare-p-chain.js';
import { startReplay } from '../support/p-chain-ledger.js';

const TODAY: TxType[] = [
  'AddSubnetValidator',
  'CreateChain',
  'CreateSubnet',
  'Import',
  'Export',
  'RewardValidator',
  'RemoveSubnetValidator',
  'AddPermissionlessValidator',
  'AddPermissionlessDelegator',
  'TransferSubnetOwnership',
  'Base',
  'ConvertSubnetToL1',
  'RegisterL1Validator',
  'SetL1ValidatorWeight',
  'IncreaseL1ValidatorBalance',
  'DisableL1Validator',
];

/** What only exists in the past of a network that has lived through the upgrades. */
const OF_THE_PAST: TxType[] = ['AddValidator', 'AddDelegator', 'AdvanceTime', 'TransformSubnet'];

const RECORDINGS = [
  { name: 'of today', file: 'src/sandbox/recording/p-chain.json.br', types: TODAY },
  { name: 'through the upgrades', file: 'test/recordings/p-chain-upgrades.json.br', types: OF_THE_PAST },
].filter(({ file }) => existsSync(file));

describe.each(RECORDINGS)('the recorded P-chain $name', ({ file, types }) => {
  let recording: PChainRecording;

  beforeAll(() => {
    recording = readPChainRecording(file);
  });

  it('has every kind of transaction', () => {
    const seen = new Set<string>();
    for (const { bytes } of recording.blocks) {
      const block = parseBlock(fromHex(bytes));
      if ('transactions' in block) for (const { unsigned } of block.transactions) seen.add(unsigned.type);
      if ('transaction' in block) seen.add(block.transaction.unsigned.type);
    }
    expect(types.filter((type) => !seen.has(type))).toEqual([]);
  });

  it('is, replayed, at every height what the node said it was', async () => {
    const replay = await startReplay(recording);
    const answersByHeight = new Map(recording.answers.map((answers) => [answers.height, answers]));
    const compared: string[] = [];
    for (const { height, bytes } of recording.blocks) {
      replay.apply(fromHex(bytes));
      const answers = answersByHeight.get(height);
      if (answers === undefined) continue;
      const { ours, nodes } = comparePChain(replay.ledger, answers, recording.networkId);
      expect({ step: answers.step, ...ours }).toEqual({ step: answers.step, ...nodes });
      compared.push(height);
    }
    expect(compared).toEqual(recording.answers.map(({ height }) => height));
  });
});
