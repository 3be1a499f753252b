import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { compressRecording } from '../../../sandbox/recording/recording-file.js';
import { onTemporaryNetwork } from '../temporary-network.js';
import { readHeliconTime, recordEvmChain } from './evm-recorder.js';
import { EvmNode } from './evm-node.js';
import { C_CHAIN_FLAGS } from './network.js';
import { runCChainScenario } from './scenario.js';

const USAGE = `npm run record -- c-chain [options]
  --output <file>      the recording
  --across-activation  continue until the node's next upgrade is active (Helicon, if its time is close)
  --keep-data          keep the node's data and logs`;

const { values } = parseArgs({
  options: {
    output: { type: 'string' },
    'across-activation': { type: 'boolean', default: false },
    'keep-data': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const log = (text: string): void => console.error(`[record] ${text}`);

async function main(): Promise<void> {
  if (values.help) return console.log(USAGE);
  const { output } = values;
  if (output === undefined) throw new Error(USAGE);
  const recording = await record();
  const bytes = compressRecording(recording);
  writeFileSync(output, bytes);
  const transactions = recording.blocks.flatMap(({ block }) => block.transactions);
  log(
    `${recording.blocks.length} blocks, ${transactions.length} transactions, ${bytes.length} bytes: ${output}`,
  );
}

function record(): Promise<EvmRecording> {
  const folder = { name: 'record-c-chain', keep: values['keep-data'], log };
  return onTemporaryNetwork(folder, { nodes: 1, flags: C_CHAIN_FLAGS }, async ({ url }) => {
    const across = values['across-activation'] ? await readHeliconTime(url) : undefined;
    const cast = await runCChainScenario(url, log, { across });
    const what = 'The C-chain of a local network of one node';
    return recordEvmChain({ url, node: new EvmNode(url), chain: 'C', what, cast });
  });
}

try {
  await main();
} catch (error) {
  console.error(error);
  process.exit(1);
}
