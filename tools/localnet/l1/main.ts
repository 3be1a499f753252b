import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { compressRecording } from '../../../sandbox/recording/recording-file.js';
import { onTemporaryNetwork } from '../temporary-network.js';
import { recordTwoChains, TWO_CHAINS } from './record-two-chains.js';

const USAGE = `npm run record -- two-chains [options]
  --output <folder>  default: the recordings of the project
  --keep-data        keep the nodes' data and logs`;

const { values } = parseArgs({
  options: {
    output: { type: 'string', default: join(projectFolder(), 'sandbox', 'recording') },
    'keep-data': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const log = (text: string): void => console.error(`[record] ${text}`);

async function main(): Promise<void> {
  if (values.help) return console.log(USAGE);
  const { cChain, l1 } = await record();
  mkdirSync(values.output, { recursive: true });
  save('c-chain.json.br', cChain);
  save('l1.json.br', l1);
}

function save(name: string, recording: EvmRecording): void {
  const file = join(values.output, name);
  const bytes = compressRecording(recording);
  writeFileSync(file, bytes);
  const { blocks, nfts, messages } = recording;
  const counts = `${blocks.length} blocks, ${nfts.length} NFTs, ${messages.length} messages`;
  log(`${counts}, ${bytes.length} bytes: ${file}`);
}

function record(): ReturnType<typeof recordTwoChains> {
  const folder = { name: 'record-two-chains', keep: values['keep-data'], log };
  return onTemporaryNetwork(folder, TWO_CHAINS, (network) => recordTwoChains(network, log));
}

try {
  await main();
} catch (error) {
  console.error(error);
  process.exit(1);
}
