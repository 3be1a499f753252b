import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { projectFolder } from '../../src/embedded/project-folder.js';
import { readPChainRecording } from '../../src/sandbox/recording/p-chain-recording.js';
import { compareEnd, comparePChain } from '../support/compare-p-chain.js';
import { startReplay, type LedgerReplay } from '../support/p-chain-ledger.js';

const RECORDINGS = [
  { file: join('src', 'sandbox', 'recording', 'p-chain.json.br'), minAnswers: 60 },
  { file: join('test', 'recordings', 'p-chain-upgrades.json.br'), minAnswers: 150 },
  { file: join('test', 'recordings', 'p-chain-validator-fees.json.br'), minAnswers: 30 },
];

/** Made by `npm run record:p-chain`. What avalanchego answered then has to follow from its blocks. */
describe.each(RECORDINGS)('recorded P-chain $file', ({ file, minAnswers }) => {
  const recording = readPChainRecording(join(projectFolder(), file));
  const answersByHeight = new Map(recording.answers.map((answers) => [answers.height, answers]));

  const expectSameState = async (afterEachBlock: (replay: LedgerReplay) => void): Promise<void> => {
    const replay = await startReplay(recording);
    let compared = 0;
    for (const { height, bytes } of recording.blocks) {
      replay.apply(fromHex(bytes));
      afterEachBlock(replay);
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
  };

  it('the state is that of avalanchego at every height', async () => {
    await expectSameState(() => undefined);
  });

  it('it still is when every block is applied to a state that was stored and loaded again', async () => {
    await expectSameState((replay) => replay.restart());
  });
});
