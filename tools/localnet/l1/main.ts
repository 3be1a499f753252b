import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { log, RECORD_OPTIONS, runRecord, saveRecording } from '../record-command.js';
import { onTemporaryNetwork } from '../temporary-network.js';
import { recordTwoChains, TWO_CHAINS } from './record-two-chains.js';

const USAGE = `npm run record -- two-chains [options]
  --output <folder>  default: the recordings of the project
  --keep-data        keep the nodes' data and logs`;

const { values } = parseArgs({
  options: {
    output: { type: 'string', default: join(projectFolder(), 'sandbox', 'recording') },
    ...RECORD_OPTIONS,
  },
});

async function main(): Promise<void> {
  const { cChain, l1 } = await record();
  save('c-chain.json.br', cChain);
  save('l1.json.br', l1);
}

function save(name: string, recording: EvmRecording): void {
  const { blocks, nfts, messages } = recording;
  const counts = `${blocks.length} blocks, ${nfts.length} NFTs, ${messages.length} messages`;
  saveRecording(join(values.output, name), recording, counts);
}

function record(): ReturnType<typeof recordTwoChains> {
  const folder = { name: 'record-two-chains', keep: values['keep-data'], log };
  return onTemporaryNetwork(folder, TWO_CHAINS, (network) => recordTwoChains(network, log));
}

await runRecord(USAGE, values.help, main);
