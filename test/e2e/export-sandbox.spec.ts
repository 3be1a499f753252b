import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultCChainRecording, defaultL1Recording } from '../../sandbox/evm-chains/default-recordings.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { isGenuine, SignedProofSchema } from '../../src/exports/proof/export-proof.js';
import { addDays } from '../../src/exports/turns/days.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import {
  accountsOf,
  dateOf,
  expectBalanceChange,
  expectedLines,
  exportRecorded,
  untilIndexed,
} from '../support/exports/export-comparison.js';
import { download, endOfOperation, startExport } from '../support/exports/operations.js';
import { TestService } from '../support/harness/service.js';
import { pChainAt } from '../support/sandbox/p-chain-time.js';

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
      // Neither a later block nor the P-chain, which has stood still since, proves the recording's last day whole.
      expect(operation).toMatchObject({
        operationStatus: 'COMPLETED_WITH_WARNING',
        message: expect.stringContaining(`days from ${dateOf(recording, tip)} on may be incomplete`),
        metadata: { downloadUrl: expect.any(String) },
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

  it('are complete for days on which both the C-chain and an L1 have been idle', async () => {
    const l1 = defaultL1Recording();
    const service = await TestService.start({
      nodeUrl: sandbox.url,
      env: {
        WORKER_QUEUES: 'indexing,exports',
        EVM_CHAINS_FILE: writeEvmChainsFile(
          [recording, l1].map(({ chainId, blockchainId }) => ({
            chainId: BigInt(chainId),
            blockchainId,
            rpcUrls: [`${sandbox.url}/ext/bc/${blockchainId}/rpc`],
          })),
        ),
        EXPORT_MAX_ADDRESSES: '1000',
        LOG_LEVEL: 'warn',
      },
    });
    for (const { chainId, blocks } of [recording, l1]) {
      await untilIndexed(service, { from: 1, to: blocks.length - 1, chainId: BigInt(chainId) });
    }
    sandbox.setNodeBehaviour(pChainAt(Date.now() / 1000));
    try {
      const addresses = [...new Set([...everybody, ...accountsOf(l1)])];
      const { operationId } = await startExport(service, {
        addresses,
        chainIds: [BigInt(recording.chainId), BigInt(l1.chainId)],
        firstDate: dateOf(recording, 1),
        lastDate: addDays(dateOf(l1, l1.blocks.length - 1), 2),
      });
      const operation = await endOfOperation(service, operationId);
      const expected = [recording, l1].map((chain) =>
        expectedLines(chain, addresses, { chainName: `chain ${BigInt(chain.chainId)}` }),
      );
      expect(operation).toMatchObject({
        operationStatus: 'COMPLETED',
        message: `${expected.flat().length} rows`,
        metadata: { downloadUrl: expect.any(String) },
      });
      const lines = (await download(operation)).split('\r\n').slice(1, -1);
      for (const [index, { chainId }] of [recording, l1].entries()) {
        const own = lines.filter((line) => line.startsWith(`${BigInt(chainId)},`));
        expect(own).toEqual(expected[index]);
      }
    } finally {
      sandbox.setNodeBehaviour({});
    }
  });

  describe('without an index', () => {
    it('have the same rows, read from the node', async () => {
      const service = await start('tip');
      await untilIndexed(service, { from: tip, to: tip });
      const { operation, lines } = await exportRecorded(service, recording, everybody);
      expect(lines).toEqual(expectedLines(recording, everybody));
      const answer = await fetch(operation.metadata.proofUrl ?? '');
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      const signed = SignedProofSchema.parse(await answer.json());
      expect(isGenuine(signed)).toBe(true);
      const rules = signed.proof.chains.flatMap(({ accounts }) => accounts.map(({ rule }) => rule));
      expect(new Set(rules)).toEqual(new Set(['signed', 'unsigned', 'contract', 'reserved']));
      const forged = (operation.metadata.proofUrl ?? '').replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'));
      expect((await fetch(forged)).status).toBe(404);
    });

    it('warn when the node cannot trace internal transfers', async () => {
      sandbox.setCChainBehaviour({ kind: 'noTracer' });
      try {
        const service = await start('tip');
        const { operation, lines } = await exportRecorded(service, recording, everybody);
        const kinds = ['NATIVE', 'ERC20', 'ERC721', 'ERC1155', 'FEE', 'IMPORT', 'EXPORT'] as const;
        const told = lines.filter((line) => !line.includes(',INTERNAL,'));
        expect(told).toEqual(expectedLines(recording, everybody, { kinds }));
        // The rest of the accounts' changes has no other side.
        expect(lines.length).toBeGreaterThan(told.length);
        expect(operation.message).toContain('internal transfers of some or all blocks are not in the file');
      } finally {
        sandbox.setCChainBehaviour({ kind: 'honest' });
      }
    });
  });
});
