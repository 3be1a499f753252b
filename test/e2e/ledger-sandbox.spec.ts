import { describe, expect, it } from '@jest/globals';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { defaultRecording } from '../../sandbox/p-chain/default-recording.js';
import { startSandbox } from '../../sandbox/sandbox.js';
import { defaultXChainRecording } from '../../sandbox/x-chain/default-recording.js';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import { DecodedChains, expectAddedUp, rowsOf } from '../support/exports/ledger-bed.js';
import { download, endOfOperation, startLedger } from '../support/exports/operations.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { openDatabase } from '../support/harness/database.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';

const TIPS = {
  'p-chain': defaultRecording().blocks.length - 1,
  'x-chain': defaultXChainRecording().blocks.length - 1,
  'evm-43112': defaultCChainRecording().blocks.length - 1,
};

/** Everything between the nodes' blocks and the downloaded file, against a second reading of the same blocks. */
describe('a ledger over HTTP', () => {
  it('adds up to what the recorded chains leave everybody with', async () => {
    const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    onCleanup(() => sandbox.stop());
    const { chainId } = defaultCChainRecording();
    const rpcUrls = [`${sandbox.url}/ext/bc/C/rpc`];
    const service = await TestService.start({
      nodeUrl: sandbox.url,
      env: {
        WORKER_QUEUES: 'indexing,exports',
        EVM_CHAINS_FILE: writeEvmChainsFile([{ chainId: BigInt(chainId), rpcUrls, startHeight: 0n }]),
        LOG_LEVEL: 'warn',
      },
    });
    const database = await openDatabase(service.databaseUrl);
    await eventually('all three chains are indexed', async () => {
      const [indexed] = await database.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM index_checkpoints c JOIN json_each_text($1) t ON t.key = c.chain AND c.height >= t.value::int
          WHERE EXISTS (SELECT FROM index_coverage WHERE facet = 'atomic' AND status = 'complete' AND to_height >= $2)`,
        [JSON.stringify(TIPS), TIPS['evm-43112']],
      );
      return indexed?.count === 3;
    });
    const decoded = await DecodedChains.read(defaultRecording(), { withAll: true });
    const owners = decoded.holders;
    const addresses = owners.map((owner) =>
      owner.startsWith('0x') ? owner : packAddress({ hrp: 'local', bytes: fromHex(owner) }),
    );
    const { operationId, operationType } = await startLedger(service, {
      addresses,
      firstDate: decoded.period.firstDate,
    });
    expect(operationType).toBe('TRANSACTION_EXPORT_PRIMARY_NETWORK');
    const operation = await endOfOperation(service, operationId);
    expect(operation).toMatchObject({
      operationStatus: 'COMPLETED_WITH_WARNING',
      message: expect.stringContaining('P-chain: days from'),
      metadata: { code: 'WarnTruncatedExport', nextDate: expect.any(String) },
    });
    expect(operation.metadata.proofUrl).toBeUndefined();
    const rows = rowsOf(await download(operation));
    expect(rows.length).toBeGreaterThan(150);
    expectAddedUp(rows, decoded, owners);
  });
});
