import { beforeAll, describe, expect, it } from '@jest/globals';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { MAX_NODES } from '../../src/localnet/local-network.js';
import { makeGuests } from '../../src/localnet/scenario/context.js';
import { guestsNeeded, runShortScenario } from '../../src/localnet/scenario/current-scenario.js';
import { readGenesisSigners } from '../../src/localnet/scenario/l1-messages.js';
import { recordScenario, toGuest } from '../../src/localnet/scenario/record-scenario.js';
import { ensureAvalanchegoBinaries } from '../../src/localnet/binaries.js';
import type { PChainRecording } from '../../src/sandbox/recording/p-chain-recording.js';
import { compareEnd, comparePChain } from '../support/compare-p-chain.js';
import { stakingFlags } from '../../src/localnet/staking-flags.js';
import { startLocalNetworkForTest } from '../support/local-network.js';
import { startReplay } from '../support/p-chain-ledger.js';

/** One answer to each of the scenario's steps at the very least; in fact nearly every height has some. */
const MIN_ANSWERS = 30;

describe('the P-chain of real avalanchego nodes', () => {
  let recording: PChainRecording;

  beforeAll(async () => {
    const binaries = await ensureAvalanchegoBinaries(() => undefined);
    const genesisSigners = readGenesisSigners(binaries.stakingFolder, MAX_NODES);
    const guests = makeGuests(guestsNeeded(binaries), genesisSigners);
    const network = await startLocalNetworkForTest({
      binaries,
      guests: guests.map(toGuest),
      flags: stakingFlags(binaries, 10),
    });
    recording = await recordScenario({
      ...{ network, genesisSigners, guests, describe: async () => '', progress: () => undefined },
      run: runShortScenario,
    });
  }, 600_000);

  it('is, replayed from its blocks, at every height what the node says it is', async () => {
    const replay = await startReplay(recording);
    const answersByHeight = new Map(recording.answers.map((answers) => [answers.height, answers]));
    let compared = 0;
    for (const { height, bytes } of recording.blocks) {
      replay.apply(fromHex(bytes));
      const answers = answersByHeight.get(height);
      if (answers === undefined) continue;
      const { ours, nodes } = comparePChain(replay.ledger, answers, recording.networkId);
      expect({ step: answers.step, ...ours }).toEqual({ step: answers.step, ...nodes });
      compared += 1;
    }
    expect(compared).toBeGreaterThanOrEqual(MIN_ANSWERS);
    const { ours, nodes } = compareEnd(replay.ledger, recording);
    expect(ours).toEqual(nodes);
    expect(replay.ledger.tip.height.toString()).toBe(recording.answers.at(-1)?.height);
  });
});
