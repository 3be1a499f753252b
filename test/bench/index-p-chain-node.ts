import { localGenesis, pChainOf, PChainGenerator } from '../../sandbox/generated/p-chain-generator.js';
import { startSandbox } from '../../sandbox/sandbox.js';

/** The benchmark's node: the same blocks as the benchmark itself makes. */
const [count, ...options] = process.argv.slice(2);
const node = await startSandbox({
  validators: 1,
  recording: await pChainOf(new PChainGenerator(await localGenesis()).take(Number(count))),
  evmRecordings: [],
  xChainRecording: null,
  node: { without: options.includes('--index-api') ? [] : ['index'] },
});
process.send?.({ url: node.url });
