import { describe, expect, it } from '@jest/globals';
import { startSandbox } from '../../sandbox/sandbox.js';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { IndexedPChain } from '../../src/indexes/p-chain/indexed-p-chain.js';
import { PChainWriter } from '../../src/indexes/p-chain/p-chain-writer.js';
import { Database } from '../../src/platform/database/database.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { advanceToTip } from '../support/indexer.js';
import { createIndexer } from '../support/p-chain/p-chain-index.js';

describe(IndexedPChain.name, () => {
  it('has no validators at a height that it has come to before, once it is rebuilt', async () => {
    const sandbox = await startSandbox({ validators: 5, blockIntervalMs: 0 });
    onCleanup(() => sandbox.stop());
    const dataSource = await createMigratedDatabase();
    await advanceToTip(createIndexer(dataSource, [sandbox.url]).indexer);
    const database = new Database(dataSource);
    const view = new IndexedPChain('fuji', database);
    const height = await view.getHeight();
    expect(await view.getValidatorsAt(PRIMARY_NETWORK_ID, height)).not.toEqual([]);
    await expect(view.getValidatorsAt(PRIMARY_NETWORK_ID, height + 1n)).rejects.toMatchObject({
      code: 'HEIGHT_IN_FUTURE',
    });
    await new PChainWriter(database).reset('fuji');
    await expect(view.getValidatorsAt(PRIMARY_NETWORK_ID, height)).rejects.toMatchObject({
      code: 'P_CHAIN_NOT_KNOWN',
    });
    sandbox.setPChainBehaviour({ kind: 'tip', height: 0 });
    await advanceToTip(createIndexer(dataSource, [sandbox.url]).indexer);
    await expect(view.getValidatorsAt(PRIMARY_NETWORK_ID, height)).rejects.toMatchObject({
      code: 'HEIGHT_IN_FUTURE',
    });
    expect(await view.getValidatorsAt(PRIMARY_NETWORK_ID, 0n)).not.toEqual([]);
  });
});
