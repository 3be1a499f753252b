import { parseArgs } from 'node:util';
import type { EvmRecording } from '../../../sandbox/recording/evm-recording.js';
import { log, RECORD_OPTIONS, runRecord, saveRecording } from '../record-command.js';
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
    ...RECORD_OPTIONS,
  },
});

async function main(): Promise<void> {
  const { output } = values;
  if (output === undefined) throw new Error(USAGE);
  const recording = await record();
  const transactions = recording.blocks.flatMap(({ block }) => block.transactions);
  saveRecording(output, recording, `${recording.blocks.length} blocks, ${transactions.length} transactions`);
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

await runRecord(USAGE, values.help, main);
