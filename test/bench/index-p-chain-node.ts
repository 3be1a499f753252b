import { parseArgs } from 'node:util';
import { localGenesis, pChainOf, PChainGenerator } from '../../sandbox/generated/p-chain-generator.js';
import { startSandbox } from '../../sandbox/sandbox.js';

/**
 * The benchmark's node, or its validators: the same blocks as the benchmark itself makes. A validator reads some hundreds of blocks in
 * the 50 ms that a real one spends on an answer.
 */
const ANCESTORS_PER_ANSWER = 500;

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '0' },
    'index-api': { type: 'boolean', default: false },
    validators: { type: 'string' },
    staked: { type: 'boolean', default: false },
  },
});
const others = { evmRecordings: [], xChainRecording: null };
const blocks = values.staked
  ? { staked: { lastTime: Math.floor(Date.now() / 1_000) }, ...others }
  : {
      recording: await pChainOf(new PChainGenerator(await localGenesis()).take(Number(values.blocks))),
      ...others,
    };
const sandbox = await startSandbox(
  values.validators === undefined
    ? { ...blocks, validators: 1, node: { without: values['index-api'] ? [] : ['index'] } }
    : {
        ...blocks,
        validators: Number(values.validators),
        internet: true,
        node: {},
        ancestorsPerAnswer: ANCESTORS_PER_ANSWER,
      },
);
const reachable = sandbox.validators.filter(
  ({ isListed, behaviour }) => isListed && behaviour.kind === 'honest',
);
process.send?.({
  url: sandbox.url,
  peers: reachable.map(({ nodeId, address }) => `${nodeId}@${address}`),
});
