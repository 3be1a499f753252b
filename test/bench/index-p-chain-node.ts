import { FakePChainNode } from '../support/p-chain/fake-p-chain-node.js';
import { localGenesis, PChainGenerator } from '../support/p-chain/p-chain-generator.js';

/** The benchmark's node: the same blocks as the benchmark itself makes. */
const [count, ...options] = process.argv.slice(2);
const node = await FakePChainNode.start(new PChainGenerator(await localGenesis()).take(Number(count)));
node.hasIndexApi = options.includes('--index-api');
process.send?.({ url: node.url });
