import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../../embedded/binaries.js';
import type { XChainRecording } from '../../sandbox/recording/x-chain-recording.js';
import { compressRecording } from '../../sandbox/recording/recording-file.js';
import { startLocalNetwork } from '../local-network.js';
import { makeScenario } from '../scenario/context.js';
import { recordXChain } from './x-chain-recorder.js';
import { X_CHAIN_FLAGS } from './network.js';
import { runXScenario } from './x-scenario.js';

const USAGE = `npm run record:x-chain [-- options]
  --output <file>  default: where the recording is in the project
  --keep-data      leave the node's data and logs behind`;

const { values } = parseArgs({
  options: {
    output: {
      type: 'string',
      default: join(projectFolder(), 'src', 'sandbox', 'recording', 'x-chain.json.br'),
    },
    'keep-data': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => console.error(`[record] ${text}`);

async function main(): Promise<void> {
  if (values.help) return console.log(USAGE);
  const recording = await record();
  const bytes = compressRecording(recording);
  writeFileSync(values.output, bytes);
  say(`${recording.blocks.length} blocks, ${bytes.length} bytes: ${values.output}`);
}

async function record(): Promise<XChainRecording> {
  const dataDir = mkdtempSync(join(tmpdir(), 'record-x-chain-'));
  try {
    const network = await startLocalNetwork({ nodes: 1, dataDir, flags: X_CHAIN_FLAGS, progress: say });
    try {
      const scenario = await makeScenario({
        ...{ url: network.url, genesisSigners: [], genesisNodeIds: [], guests: [], step: say },
      });
      await runXScenario(scenario);
      return await recordXChain(scenario);
    } finally {
      await network.stop();
    }
  } finally {
    if (values['keep-data']) say(`data and logs are in ${dataDir}`);
    else rmSync(dataDir, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  console.error(error);
  process.exit(1);
}
