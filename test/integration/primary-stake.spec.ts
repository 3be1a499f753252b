import { describe, expect, it } from '@jest/globals';
import { localGenesis, PChainGenerator } from '../../sandbox/generated/p-chain-generator.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import { PChainStateRepository } from '../../src/indexes/p-chain/p-chain-state.repository.js';
import { PrimaryStake } from '../../src/indexes/p-chain/primary-stake.js';
import { Database } from '../../src/platform/database/database.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { advanceToTip } from '../support/indexer.js';
import { createIndexer, startPChain } from '../support/p-chain/p-chain-index.js';

describe(PrimaryStake.name, () => {
  it('is what the active validators and delegators of the primary network have staked, by node', async () => {
    const dataSource = await createMigratedDatabase();
    const database = new Database(dataSource);
    expect(await new PrimaryStake(database).of('fuji')).toBeUndefined();
    const node = await startPChain(new PChainGenerator(await localGenesis()).take(400));
    await advanceToTip(createIndexer(dataSource, [node.url]).indexer);

    const loaded = await new PChainStateRepository(database).load('fuji');
    const stakers = [...loaded!.snapshot.stakers].filter(
      ({ subnetId, status }) => subnetId === PRIMARY_NETWORK && status === 'active',
    );
    expect(new Set(stakers.map(({ kind }) => kind))).toEqual(new Set(['validator', 'delegator']));
    const expected = new Map<string, bigint>();
    for (const { nodeId, weight } of stakers) {
      const name = nodeIdToString(fromHex(nodeId));
      expected.set(name, (expected.get(name) ?? 0n) + weight);
    }
    const stake = new PrimaryStake(database);
    const { time, electors } = (await stake.of('fuji'))!;
    expect(time).toBe(loaded!.checkpoint.tip.time);
    expect(new Map(electors.map(({ nodeId, weight }) => [nodeId, weight]))).toEqual(expected);
    expect(electors).toHaveLength(expected.size);
    expect(await stake.of('mainnet')).toBeUndefined();
  });
});
