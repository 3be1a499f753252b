import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { ZERO_ADDRESS } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { EvmChain } from '../../src/platform/evm-chains/evm-chain.js';
import { advanceToEnd, createEvmIndex, TEST_CHAIN } from '../support/evm/evm-index.js';
import { makeStorage } from '../support/exports/export-bed.js';
import { createEvmChains, NO_LIMITS, readExport, runExport } from '../support/exports/export-run.js';
import { createExporter } from '../support/exports/make-exporter.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { ALICE, BOB, CAROL, createOnPChain, GENESIS, L1, startMintingL1 } from '../support/evm/minting-l1.js';
import { createMigratedDatabase } from '../support/harness/database.js';

/** The day of all blocks of the L1. */
const DAY = '2023-11-14';

const UNSIGNED = [BOB, CAROL].map((address) => expect.stringMatching(`^${address} on .* never signed`));

describe('an export of an L1 that mints', () => {
  let node: Sandbox;
  let chain: EvmChain;

  beforeAll(async () => {
    node = await startMintingL1();
    chain = { ...TEST_CHAIN, ...L1, rpcUrls: [node.cChainUrl] };
  });

  const exportFrom = async (database: DataSource) => {
    const storage = makeStorage();
    const operationId = randomUUID();
    const request = {
      type: 'TRANSACTION_EXPORT_EVM' as const,
      addresses: [ALICE, BOB, CAROL],
      signers: [],
      chainIds: [L1.chainId.toString()],
      firstDate: DAY,
      lastDate: DAY,
      timeZone: 'UTC',
      format: 'standard' as const,
    };
    const exporter = createExporter(database, createEvmChains([chain]), storage);
    const { notes, hasGaps } = await runExport(exporter, {
      operationId,
      request,
      limits: NO_LIMITS,
      durationMs: 10_000,
    });
    expect(hasGaps).toBe(notes.length > 0);
    return { file: await readExport(database, storage, operationId), notes };
  };

  const mintsIn = (file: string): string[] =>
    file
      .split('\r\n')
      .filter((line) => line.includes(',MINT,'))
      .map((line) => {
        const [, , height, , , , txIndex, place, direction, , from, to, , symbol, , , , amount] =
          line.split(',');
        return [height, txIndex, place, direction, from, to, amount, symbol].join(' ');
      });

  const ALLOCATED = `0   IN ${ZERO_ADDRESS} ${BOB} 9 AVAX`;
  const LATER = [
    `10   IN ${ZERO_ADDRESS} ${ALICE} 100 AVAX`,
    `15 0 call_ IN ${ZERO_ADDRESS} ${CAROL} 5 AVAX`,
    `20   OUT ${ALICE} ${ZERO_ADDRESS} 1 AVAX`,
  ];

  it('holds what its genesis, upgrades and calls of the minter give, indexed or read from nodes', async () => {
    const indexed = await createMigratedDatabase();
    await createOnPChain(indexed, GENESIS);
    await advanceToEnd(createEvmIndex(indexed, [node.cChainUrl], { chain }));
    const unindexed = await createMigratedDatabase();
    await createOnPChain(unindexed, GENESIS);
    const { file, notes } = await exportFrom(indexed);
    expect(mintsIn(file)).toEqual([ALLOCATED, ...LATER]);
    expect(notes).toEqual([]);
    const found = await exportFrom(unindexed);
    expect(found.file).toBe(file);
    expect(found.notes).toEqual(UNSIGNED);
  });

  it('reports that what it began with is missing while nobody knows that', async () => {
    const { file, notes } = await exportFrom(await createMigratedDatabase());
    expect(mintsIn(file)).toEqual(LATER);
    expect(notes).toEqual([
      `${chain.name} (${chain.chainId}): its genesis allocations are not in the file, because its creation is not indexed yet`,
      ...UNSIGNED,
    ]);
  });

  it('reports that what upgrades gave may be missing when its nodes do not report them', async () => {
    const indexed = await createMigratedDatabase();
    await createOnPChain(indexed, GENESIS);
    node.setNodeBehaviour({ without: ['eth_getChainConfig'] });
    try {
      await advanceToEnd(createEvmIndex(indexed, [node.cChainUrl], { chain }));
      const { file, notes } = await exportFrom(indexed);
      expect(mintsIn(file)).toEqual([ALLOCATED]);
      expect(notes).toEqual([
        `${chain.name} (${chain.chainId}): coins from upgrades of its rules are not in the file, because its nodes do not know the upgrades`,
      ]);
      const unindexed = await createMigratedDatabase();
      await createOnPChain(unindexed, GENESIS);
      // Amounts of unknown upgrades are found all the same.
      const found = await exportFrom(unindexed);
      const unnamed = found.file
        .split('\r\n')
        .filter((line) => line.includes(',INTERNAL,'))
        .map((line) => line.split(','))
        .map((cells) => [cells[2], cells[8], cells[10], cells[11], cells[17]].join(' '));
      expect(unnamed).toEqual([`10 IN  ${ALICE} 100`, `15 IN  ${CAROL} 5`, `20 OUT ${ALICE}  1`]);
      expect(found.notes.slice(0, 1)).toEqual(notes);
    } finally {
      node.setNodeBehaviour({});
    }
  });
});
