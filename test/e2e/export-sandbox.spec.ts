import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import {
  accountsOf,
  dateOf,
  expectBalanceChange,
  expectedLines,
  exportRecorded,
  untilIndexed,
} from '../support/exports/export-comparison.js';
import { TestService } from '../support/harness/service.js';

/** Everything between the node's answers and the downloaded file, against a second reading of the same receipts. */
describe('exports of the recorded C-chain', () => {
  const recording = defaultCChainRecording();
  const everybody = accountsOf(recording);
  const tip = recording.blocks.length - 1;
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
  });

  afterAll(async () => {
    await sandbox.stop();
  });

  const start = (startHeight: bigint | 'tip'): Promise<TestService> => {
    const rpcUrls = [`${sandbox.url}/ext/bc/C/rpc`];
    const chain = { chainId: BigInt(recording.chainId), rpcUrls, startHeight };
    return TestService.start({
      nodeUrl: sandbox.url,
      env: {
        WORKER_QUEUES: 'indexing,exports',
        EVM_CHAINS_FILE: writeEvmChainsFile([chain]),
        EXPORT_MAX_ADDRESSES: '1000',
        LOG_LEVEL: 'warn',
      },
    });
  };

  describe('with an index from the first block on', () => {
    let service: TestService;

    beforeAll(async () => {
      service = await start(0n);
      await untilIndexed(service, { from: 0, to: tip });
    });

    it('have every row that a second implementation finds, in the same order', async () => {
      const { operation, lines } = await exportRecorded(service, recording, everybody);
      expect(lines).toEqual(expectedLines(recording, everybody));
      // No later block proves the recording's last day whole.
      const lastDate = dateOf(recording, tip);
      expect(operation).toMatchObject({
        operationStatus: 'COMPLETED_WITH_WARNING',
        message: expect.stringMatching(`^${lines.length} rows; continue with firstDate ${lastDate}; `),
        metadata: { code: 'WarnTruncatedExport', nextDate: lastDate, downloadUrl: expect.any(String) },
      });
    });

    it.each(recording.addresses.slice(0, 6).map(({ address, what }) => [what, address]))(
      'have rows as seen from one that %s, adding up to the change of its balance',
      async (_what, address) => {
        const { lines } = await exportRecorded(service, recording, [address]);
        expect(lines).toEqual(expectedLines(recording, [address]));
        expect(lines.length).toBeGreaterThan(0);
        expectBalanceChange(lines, recording, address);
      },
    );
  });

  describe('without an index', () => {
    it('have the same rows, read from the node', async () => {
      const service = await start('tip');
      await untilIndexed(service, { from: tip, to: tip });
      const { lines } = await exportRecorded(service, recording, everybody);
      expect(lines).toEqual(expectedLines(recording, everybody));
    });

    it('say so when the node cannot tell internal transfers', async () => {
      sandbox.setCChainBehaviour({ kind: 'noTracer' });
      try {
        const service = await start('tip');
        const { operation, lines } = await exportRecorded(service, recording, everybody);
        const kinds = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155', 'FEE', 'IMPORT', 'EXPORT'] as const;
        expect(lines).toEqual(expectedLines(recording, everybody, { kinds }));
        expect(operation.message).toContain('internal transfers of some or all blocks are not in the file');
      } finally {
        sandbox.setCChainBehaviour({ kind: 'honest' });
      }
    });
  });
});
