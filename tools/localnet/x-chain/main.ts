import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import type { XChainRecording } from '../../../sandbox/recording/x-chain-recording.js';
import { log, RECORD_OPTIONS, runRecord, saveRecording } from '../record-command.js';
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
    ...RECORD_OPTIONS,
  },
});

async function main(): Promise<void> {
  const recording = await record();
  saveRecording(values.output, recording, `${recording.blocks.length} blocks`);
}

function record(): Promise<XChainRecording> {
  const folder = { name: 'record-x-chain', keep: values['keep-data'], log };
  return onTemporaryNetwork(folder, { nodes: 1, flags: X_CHAIN_FLAGS }, async ({ url }) => {
    const scenario = await makeScenario({ url, step: log });
    await runXScenario(scenario);
    return recordXChain(scenario);
  });
}

await runRecord(USAGE, values.help, main);
