import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { parseArgs } from 'node:util';
import { projectFolder } from '../../embedded/binaries.js';
import { PChainRecordingSchema, type PChainRecording } from '../../sandbox/recording/p-chain-recording.js';
import { ensureAvalanchegoBinaries } from '../binaries.js';
import { MAX_NODES, startLocalNetwork, type LocalNetwork } from '../local-network.js';
import { makeGuests } from './context.js';
import { runCurrentScenario } from './current-scenario.js';
import { readGenesisSigners } from './l1-messages.js';
import { recordScenario, toGuest } from './record-scenario.js';

const USAGE = `npm run record:p-chain [-- options]
  --output <path>    default: the recording in the project
  --keep-data        leave the nodes' data and logs behind`;

const CURRENT_FILE = join('src', 'sandbox', 'recording', 'p-chain.json.br');

const { values } = parseArgs({
  options: {
    output: { type: 'string' },
    'keep-data': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => console.error(`[record] ${text}`);

async function main(): Promise<void> {
  if (values.help) return console.log(USAGE);
  const recording = await recordCurrent();
  const file = values.output ?? join(projectFolder(), CURRENT_FILE);
  const bytes = compress(recording);
  writeFileSync(file, bytes);
  say(
    `${recording.blocks.length} blocks, ${recording.answers.length} sets of answers, ${bytes.length} bytes: ${file}`,
  );
}

/** A network as it starts today, with every upgrade that has a date. */
async function recordCurrent(): Promise<PChainRecording> {
  const binaries = await ensureAvalanchegoBinaries(say);
  const genesisSigners = readGenesisSigners(binaries.stakingFolder, MAX_NODES);
  const guests = makeGuests(2, genesisSigners);
  const dataDir = mkdtempSync(join(tmpdir(), 'record-p-chain-'));
  let network: LocalNetwork | undefined;
  try {
    network = await startLocalNetwork({
      ...{ dataDir, binaries, progress: say, guests: guests.map(toGuest) },
      flags: ['--min-stake-duration=20s'],
    });
    const guestNodes = network.nodes.slice(MAX_NODES);
    return await recordScenario({
      ...{ network, genesisSigners, guests, progress: say },
      description: 'A local network of five validators and two guests, all upgrades but Helicon active',
      run: (scenario) => runCurrentScenario(scenario, guestNodes),
    });
  } finally {
    await network?.stop();
    if (values['keep-data']) say(`the nodes' data is in ${dataDir}`);
    else rmSync(dataDir, { recursive: true, force: true });
  }
}

/** With a window over all of it: one set of answers looks much like the one before. */
function compress(recording: PChainRecording): Buffer {
  const text = Buffer.from(JSON.stringify(PChainRecordingSchema.parse(recording)));
  return brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
}

try {
  await main();
} catch (error) {
  console.error(error);
  process.exit(1);
}
