import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ChainBehaviourInput } from '../../sandbox/chain-behaviour.js';
import {
  type GeneratedXBlock,
  xGenesis,
  XChainGenerator,
  xChainOf,
} from '../../sandbox/generated/x-chain-generator.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { AvmGenesis } from '../../src/avalanche/avm/genesis/genesis.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import {
  advanceToTip,
  checkpointOf,
  digestTables,
  NODE_FAILURES,
  type TestIndexer,
  workUntil,
} from '../support/indexer.js';
import { connectTo, peersSetting } from '../support/p2p/connect-to.js';
import { createXIndexer, startXChain } from '../support/x-chain/x-chain-index.js';

const BLOCKS = 150;
/** Read from the node before it goes away. */
const BEGUN = 20;
const VALIDATORS = 6;
/** A vote costs a moment of each. */
const TURN_MS = 1_000;

describe('the index of the X-chain from its validators', () => {
  let genesis: AvmGenesis;
  let blocks: GeneratedXBlock[];
  let expected: Record<string, string>;

  beforeAll(async () => {
    genesis = await xGenesis();
    blocks = new XChainGenerator(genesis).take(BLOCKS);
    const database = await createMigratedDatabase();
    const node = await startXChain(genesis, blocks);
    await advanceToTip(createXIndexer(database, [node.url]).indexer);
    expected = await digestTables(database);
  });

  const begin = async () => {
    const sandbox = await startSandbox({
      validators: VALIDATORS,
      networkId: genesis.identity.networkId,
      recording: null,
      blockIntervalMs: 0,
      ancestorsPerAnswer: 40,
      xChainRecording: xChainOf(genesis, blocks),
    });
    onCleanup(() => sandbox.stop());
    const peers = await connectTo(sandbox.validators);
    const config = { sandbox: true, peers: peersSetting(sandbox.validators) };
    return { sandbox, validators: { peers: () => peers, config }, database: await createMigratedDatabase() };
  };

  const toTip = ({ indexer }: TestIndexer): Promise<void> => advanceToTip(indexer, TURN_MS);

  const misbehave = (sandbox: Sandbox, count: number, behaviour: ChainBehaviourInput): void => {
    for (const validator of sandbox.validators.slice(0, count)) validator.setChainBehaviour(behaviour);
  };

  it('has the same rows as from a node, where no node is configured at all', async () => {
    const { validators, database } = await begin();
    await toTip(createXIndexer(database, [], { validators }));
    expect(await checkpointOf(database)).toBe(BLOCKS - 1);
    expect(await digestTables(database)).toEqual(expected);
  });

  it('goes on from the validators where a node has left it, with the same rows', async () => {
    const { sandbox, validators, database } = await begin();
    sandbox.setXChainBehaviour({ kind: 'tip', height: BEGUN });
    await advanceToTip(createXIndexer(database, [sandbox.url]).indexer);
    expect(await checkpointOf(database)).toBe(BEGUN);
    sandbox.setXChainBehaviour({ kind: 'honest' });
    sandbox.setNodeBehaviour(NODE_FAILURES.unavailable);
    await workUntil(createXIndexer(database, [sandbox.url], { validators }).indexer, BLOCKS - 1);
    expect(await digestTables(database)).toEqual(expected);
  });

  it.each<ChainBehaviourInput>(['silent', 'empty', 'broken-link', 'forged'])(
    'has nothing wrong in it when a third of the validators misbehave: %j',
    async (behaviour) => {
      const { sandbox, validators, database } = await begin();
      misbehave(sandbox, VALIDATORS / 3, behaviour);
      await toTip(createXIndexer(database, [], { validators }));
      expect(await digestTables(database)).toEqual(expected);
    },
  );

  it('does not go on from validators of another chain', async () => {
    const { validators, database } = await begin();
    const other = await startXChain(genesis, new XChainGenerator(genesis, 'another history').take(BLOCKS));
    await advanceToTip(createXIndexer(database, [other.url]).indexer);
    const rows = await digestTables(database);
    await expect(toTip(createXIndexer(database, [], { validators }))).rejects.toMatchObject({
      code: 'FOREIGN_CHAIN',
    });
    expect(await digestTables(database)).toEqual(rows);
  });
});
