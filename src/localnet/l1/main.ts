import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../../embedded/binaries.js';
import type { EvmRecording } from '../../sandbox/recording/evm-recording.js';
import { compressRecording } from '../../sandbox/recording/recording-file.js';
import { startLocalNetwork } from '../local-network.js';
import { recordTwoChains, TWO_CHAINS } from './record-two-chains.js';

const USAGE = `npm run record:two-chains [-- options]
  --output <folder>  default: where the recordings are in the project
  --keep-data        leave the nodes' data and logs behind`;

const { values } = parseArgs({
  options: {
    output: { type: 'string', default: join(projectFolder(), 'src', 'sandbox', 'recording') },
    'keep-data': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => console.error(`[record] ${text}`);

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
  say(`${counts}, ${bytes.length} bytes: ${file}`);
}

async function record(): ReturnType<typeof recordTwoChains> {
  const dataDir = mkdtempSync(join(tmpdir(), 'record-two-chains-'));
  try {
    const network = await startLocalNetwork({ ...TWO_CHAINS, dataDir, progress: say });
    try {
      return await recordTwoChains(network, say);
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
