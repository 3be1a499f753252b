import { describe, expect, it } from '@jest/globals';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { parseBlock } from '../../src/avalanche/platformvm/codec/block.js';
import { parseTransaction } from '../../src/avalanche/platformvm/codec/transaction.js';
import { localGenesis, PChainGenerator } from '../../sandbox/generated/p-chain-generator.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { advanceToTip, checkpointOf, digestTables, failureOf } from '../support/indexer.js';
import {
  blockOfCreateL1,
  CREATE_L1_TYPE_ID,
  createL1Bytes,
  parseCreateL1,
} from '../support/p-chain/create-l1.js';
import { createIndexer, startPChain } from '../support/p-chain/p-chain-index.js';

const BLOCKS = 60;
const PLACE = 40;

describe('a transaction of the next upgrade (CreateL1Tx, ACP-191)', () => {
  it('stops the index before its block, by number and name, with nothing of the block written, and the index goes on from there once it can be read', async () => {
    const blocks = new PChainGenerator(await localGenesis()).take(BLOCKS);
    const before = await createMigratedDatabase();
    const shortNode = await startPChain(blocks.slice(0, PLACE));
    await advanceToTip(createIndexer(before, [shortNode.url]).indexer);

    const database = await createMigratedDatabase();
    const nodes = [await startPChain(blocks), await startPChain(blocks)];
    const replaced = parseBlock(blocks[PLACE]!.bytes);
    const bytes = blockOfCreateL1({
      parentId: replaced.parentId,
      height: BigInt(PLACE),
      time: 'time' in replaced ? replaced.time : 0n,
    });
    for (const node of nodes) {
      node.setPChainBehaviour({ kind: 'replaced', height: PLACE, bytes: toHex(bytes) });
    }
    const { indexer } = createIndexer(
      database,
      nodes.map(({ url }) => url),
    );
    expect(await failureOf(advanceToTip(indexer))).toMatchObject({
      code: 'UNKNOWN_TYPE_ID',
      message: expect.stringMatching(
        /type id 43 at offset \d+ is no known transaction; it may be CreateL1Tx \(ACP-191\), which this version does not support/,
      ),
    });
    expect(await checkpointOf(database)).toBe(PLACE - 1);
    expect(await digestTables(database)).toEqual(await digestTables(before));

    // A block that this version can read stands for a version that can read the block.
    for (const node of nodes) node.setPChainBehaviour({ kind: 'honest' });
    await advanceToTip(indexer);
    expect(await checkpointOf(database)).toBe(BLOCKS - 1);
  });

  it('is read to its last byte by a table of transactions that has one more entry', () => {
    const bytes = createL1Bytes();
    expect(new DataView(bytes.buffer, bytes.byteOffset).getUint32(2)).toBe(CREATE_L1_TYPE_ID);
    expect(parseCreateL1(bytes).unsigned).toMatchObject({
      type: 'CreateL1',
      chains: [{ chainName: 'first' }],
      validators: [{ weight: 100n }],
    });
    expect(() => parseCreateL1(bytes.subarray(0, -1))).toThrow();
    expect(() => parseTransaction(bytes)).toThrow('CreateL1Tx (ACP-191)');
  });
});
