import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import type { XChainRecording } from '../../../sandbox/recording/x-chain-recording.js';
import { compressRecording } from '../../../sandbox/recording/recording-file.js';
import { makeScenario } from '../scenario/context.js';
import { onTemporaryNetwork } from '../temporary-network.js';
import { recordXChain } from './x-chain-recorder.js';
import { X_CHAIN_FLAGS } from './network.js';
import { runXScenario } from './x-scenario.js';

const USAGE = `npm run record -- x-chain [options]
  --output <file>  default: the recording of the project
  --keep-data      keep the node's data and logs`;

const { values } = parseArgs({
  options: {
    output: {
      type: 'string',
      default: join(projectFolder(), 'sandbox', 'recording', 'x-chain.json.br'),
    },
    'keep-data': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const log = (text: string): void => console.error(`[record] ${text}`);

async function main(): Promise<void> {
  if (values.help) return console.log(USAGE);
  const recording = await record();
  const bytes = compressRecording(recording);
  writeFileSync(values.output, bytes);
  log(`${recording.blocks.length} blocks, ${bytes.length} bytes: ${values.output}`);
}

function record(): Promise<XChainRecording> {
  const folder = { name: 'record-x-chain', keep: values['keep-data'], log };
  return onTemporaryNetwork(folder, { nodes: 1, flags: X_CHAIN_FLAGS }, async ({ url }) => {
    const nobody = { genesisSigners: [], genesisNodeIds: [], guests: [] };
    const scenario = await makeScenario({ url, ...nobody, step: log });
    await runXScenario(scenario);
    return recordXChain(scenario);
  });
}

try {
  await main();
} catch (error) {
  console.error(error);
  process.exit(1);
}
