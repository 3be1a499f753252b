import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { projectFolder } from '../../src/embedded/project-folder.js';
import { readPChainRecording } from '../../src/sandbox/recording/p-chain-recording.js';
import { compareEnd, comparePChain } from '../support/compare-p-chain.js';
import { startReplay } from '../support/p-chain-ledger.js';

const RECORDINGS = [
  { file: join('src', 'sandbox', 'recording', 'p-chain.json.br'), minAnswers: 60 },
  { file: join('test', 'recordings', 'p-chain-upgrades.json.br'), minAnswers: 150 },
  { file: join('test', 'recordings', 'p-chain-validator-fees.json.br'), minAnswers: 30 },
];

/** Made by `npm run record:p-chain`. What avalanchego answered then has to follow from its blocks. */
describe('recorded P-chains', () => {
  it.each(RECORDINGS)('$file: the state is that of avalanchego at every height', async ({ file, minAnswers }) => {
    const recording = readPChainRecording(join(projectFolder(), file));
    const replay = await startReplay(recording);
    const answersByHeight = new Map(recording.answers.map((answers) => [answers.height, answers]));
    let compared = 0;
    for (const { height, bytes } of recording.blocks) {
      replay.apply(fromHex(bytes));
      const answers = answersByHeight.get(height);
      if (answers === undefined) continue;
      const { step } = answers;
      const { ours, nodes } = comparePChain(replay.ledger, answers, recording.networkId);
      expect({ step, ...ours }).toEqual({ step, ...nodes });
      compared += 1;
    }
    expect(compared).toBeGreaterThanOrEqual(minAnswers);
    const { ours, nodes } = compareEnd(replay.ledger, recording);
    expect(ours).toEqual(nodes);
    expect(replay.ledger.tip.height.toString()).toBe(recording.answers.at(-1)?.height);
  });
});
