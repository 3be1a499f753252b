import { xChainOf, xGenesis, XChainGenerator } from '../../sandbox/generated/x-chain-generator.js';
import { startSandbox } from '../../sandbox/sandbox.js';

/** The benchmark's node: the same blocks as the benchmark itself makes. */
const [count, perBlock] = process.argv.slice(2).map(Number);
const genesis = await xGenesis();
const node = await startSandbox({
  validators: 1,
  networkId: genesis.identity.networkId,
  recording: null,
  xChainRecording: xChainOf(genesis, new XChainGenerator(genesis).take(count ?? 0, perBlock)),
});
process.send?.({ url: node.url });
