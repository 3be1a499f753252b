import { FakeXChainNode } from '../support/x-chain/fake-x-chain-node.js';
import { xGenesis, XChainGenerator } from '../support/x-chain/x-chain-generator.js';

/** The benchmark's node: the same blocks as the benchmark itself makes. */
const [count, perBlock] = process.argv.slice(2).map(Number);
const genesis = await xGenesis(5);
const node = await FakeXChainNode.start(genesis, new XChainGenerator(genesis).take(count ?? 0, perBlock));
process.send?.({ url: node.url });
