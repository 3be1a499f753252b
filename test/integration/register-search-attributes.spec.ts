import { describe, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { registerSearchAttributes } from '../../src/platform/temporal/register-search-attributes.js';
import { NDS_NETWORK } from '../../workflows/contracts/search-attributes.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { startTemporalForTest } from '../support/harness/services.js';

/** On a server that others have set up: nothing was registered when it started. */
describe(registerSearchAttributes.name, () => {
  it('lets a worker list by what it has just registered, and may be repeated', async () => {
    const { address } = await startTemporalForTest({ searchAttributes: {} });
    const connection = await NativeConnection.connect({ address });
    onCleanup(() => connection.close());
    const { workflow } = new Client({ connection });
    const query = `${NDS_NETWORK.name} = 'fuji'`;
    await expect(workflow.count(query)).rejects.toThrow();
    await registerSearchAttributes(connection, 'default');
    expect((await workflow.count(query)).count).toBe(0);
    await registerSearchAttributes(connection, 'default');
  });
});
