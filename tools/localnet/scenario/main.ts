import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { InfoClient } from '../../../src/avalanche/rpc/info-client.js';
import { PChainRecordingSchema, type PChainRecording } from '../../../sandbox/recording/p-chain-recording.js';
import { ensureAvalanchegoBinaries } from '../binaries.js';
import { MAX_NODES } from '../local-network.js';
import { log, RECORD_OPTIONS, runRecord, saveRecording } from '../record-command.js';
import { stakingFlags } from '../staking-flags.js';
import { inTemporaryFolder, onTemporaryNetwork } from '../temporary-network.js';
import { makeGuests, type Scenario } from './context.js';
import { isHeliconActive } from './current-renewals.js';
import { guestsNeeded, runCurrentScenario } from './current-scenario.js';
import { feeHistory } from './fee-history.js';
import { heliconHistory } from './helicon-history.js';
import type { History } from './history.js';
import { readGenesisSigners } from './l1-messages.js';
import { recordHistory, recordScenario, toGuest } from './record-scenario.js';
import { upgradeHistory } from './upgrade-history.js';

const USAGE = `npm run record -- p-chain [options]
  --only <what>      current (real nodes under today's rules), upgrades (a VM through all upgrades),
                     fees (a VM with many L1 validators) or helicon (a VM through Helicon); default all
  --output <folder>  default: the recordings of the project
  --keep-data        keep the nodes' data and logs`;

const FILES = {
  current: join('sandbox', 'recording', 'p-chain.json.br'),
  upgrades: join('test', 'recordings', 'p-chain-upgrades.json.br'),
  fees: join('test', 'recordings', 'p-chain-validator-fees.json.br'),
  helicon: join('test', 'recordings', 'p-chain-helicon.json.br'),
} as const;
type Recorded = keyof typeof FILES;

const RECORD: Readonly<Record<Recorded, () => Promise<PChainRecording>>> = {
  current: () => recordCurrent(),
  upgrades: () => recordPast(upgradeHistory),
  fees: () => recordPast(feeHistory),
  helicon: () => recordPast(heliconHistory),
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    output: { type: 'string' },
    ...RECORD_OPTIONS,
  },
});

const FOLDER = { name: 'record-p-chain', keep: values['keep-data'], log };

async function main(): Promise<void> {
  const wanted = (Object.keys(FILES) as Recorded[]).filter((what) => what === (values.only ?? what));
  if (wanted.length === 0) throw new Error(USAGE);
  for (const what of wanted) save(what, await RECORD[what]());
}

function save(what: Recorded, recording: PChainRecording): void {
  const file =
    values.output === undefined
      ? join(projectFolder(), FILES[what])
      : join(values.output, basename(FILES[what]));
  const { blocks, answers } = recording;
  const counts = `${blocks.length} blocks, ${answers.length} sets of answers`;
  saveRecording(file, PChainRecordingSchema.parse(recording), counts);
}

/** In blocks that nodes of today accept and mostly do not make any more. */
async function recordPast(history: History): Promise<PChainRecording> {
  const binaries = await ensureAvalanchegoBinaries(log);
  const genesisSigners = readGenesisSigners(binaries.stakingFolder, MAX_NODES);
  return inTemporaryFolder(FOLDER, (folder) =>
    recordHistory({ folder, genesisSigners, history, progress: log }),
  );
}

/** A network as it starts today, with every upgrade that has a date. */
async function recordCurrent(): Promise<PChainRecording> {
  const binaries = await ensureAvalanchegoBinaries(log);
  const genesisSigners = readGenesisSigners(binaries.stakingFolder, MAX_NODES);
  const guests = makeGuests(guestsNeeded(binaries), genesisSigners);
  const options = { binaries, guests: guests.map(toGuest), flags: stakingFlags(binaries, 20) };
  return onTemporaryNetwork(FOLDER, options, (network) => {
    const guestNodes = network.nodes.slice(MAX_NODES);
    return recordScenario({
      network,
      genesisSigners,
      guests,
      progress: log,
      describe: describeCurrent,
      run: (scenario) => runCurrentScenario(scenario, guestNodes),
    });
  });
}

async function describeCurrent(scenario: Scenario): Promise<string> {
  const upgrades = (await isHeliconActive(scenario))
    ? 'all upgrades active'
    : 'all upgrades but Helicon active';
  const { version } = await new InfoClient(scenario.node.rpc).getNodeVersion();
  const validators = `${MAX_NODES} validators of the genesis and ${scenario.guests.length} guests`;
  return `A local network of ${validators}, ${version}, ${upgrades}`;
}

await runRecord(USAGE, values.help, main);
