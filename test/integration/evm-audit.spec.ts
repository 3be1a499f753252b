import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { listRoot } from '../../src/avalanche/evm/commitments/list-root.js';
import { EvmAuditRepository } from '../../src/indexes/evm/audit/evm-audit.repository.js';
import { EvmAuditor } from '../../src/indexes/evm/audit/evm-auditor.js';
import { EvmIndexRepository } from '../../src/indexes/evm/rows/evm-index.repository.js';
import { GenesisAllocations } from '../../src/indexes/evm/sources/genesis-allocations.js';
import type { AuditReport } from '../../src/indexes/engine/audit/compare-at-one-height.js';
import { CoverageRepository } from '../../src/indexes/engine/coverage/coverage.repository.js';
import { Config } from '../../src/platform/config/config.module.js';
import { parseEnv } from '../../src/platform/config/env.schema.js';
import { Database } from '../../src/platform/database/database.js';
import { EvmChains } from '../../src/platform/evm-chains/evm-chains.js';
import type { EvmChainBehaviourInput } from '../../sandbox/evm-chains/misconduct.js';
import { generateEvmChain } from '../../sandbox/generated/evm-chain-generator.js';
import type { RecordedEvmBlock } from '../../sandbox/recording/evm-recording.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { writeEvmChainsFile } from '../support/evm/evm-chains-file.js';
import {
  advanceToEnd,
  advanceUntilDone,
  createEvmIndex,
  digestEvmTables,
  makeWriter,
  startEvmChain,
  TEST_CHAIN_ID,
} from '../support/evm/evm-index.js';
import { onCleanup } from '../support/harness/cleanup.js';
import { NODE_FAILURES } from '../support/indexer.js';
import { createMigratedDatabase } from '../support/harness/database.js';
import { NODE_PATIENCE_MS } from '../support/node-patience.js';

const signal = new AbortController().signal;

function createAuditor(dataSource: DataSource, rpcUrls: readonly string[]): EvmAuditor {
  const file = writeEvmChainsFile([{ chainId: TEST_CHAIN_ID, rpcUrls }]);
  const env = {
    DATABASE_URL: 'postgres://unused',
    EVM_CHAINS_FILE: file,
    FUJI_NODE_URL: rpcUrls[0],
    NODE_TIMEOUT_MS: String(NODE_PATIENCE_MS),
  };
  const chains = new EvmChains(new Config(parseEnv(env)));
  onCleanup(() => {
    chains.onApplicationShutdown();
  });
  const database = new Database(dataSource);
  const index = new EvmIndexRepository(database, new CoverageRepository(database));
  const rows = new EvmAuditRepository(database);
  return new EvmAuditor(chains, index, rows, makeWriter(dataSource), new GenesisAllocations(database));
}

/** Blocks are chosen at random: until nothing differs any more. */
async function auditUntilClean(auditor: EvmAuditor): Promise<string[]> {
  const found: string[] = [];
  for (let run = 0, clean = 0; clean < 3; run += 1) {
    const report = await auditor.audit('fuji', signal);
    if (report === null || run > 60) throw new Error(`still different: ${found.slice(-3).join('; ')}`);
    found.push(...report.differences);
    clean = report.differences.length === 0 ? clean + 1 : 0;
  }
  return found;
}

async function indexAll(dataSource: DataSource, urls: readonly string[]): Promise<string[]> {
  const index = createEvmIndex(dataSource, urls);
  await advanceToEnd(index);
  await advanceUntilDone(index.atomic);
  for (const logs of index.logs) await advanceUntilDone(logs);
  return index.warnings;
}

const BLOCKS = 40;
const EVERY_BLOCK = Array.from({ length: BLOCKS }, (_, height) => height);
const truncated: EvmChainBehaviourInput = { kind: 'wrongLogs', form: 'truncated', heights: EVERY_BLOCK };
const altered: EvmChainBehaviourInput = { kind: 'wrongLogs', form: 'altered', heights: EVERY_BLOCK };

async function startNodes(blocks: readonly RecordedEvmBlock[], count: number): Promise<Sandbox[]> {
  const nodes: Sandbox[] = [];
  for (let node = 0; node < count; node += 1) nodes.push(await startEvmChain(blocks));
  return nodes;
}

const urlsOf = (nodes: readonly Sandbox[]): string[] => nodes.map(({ cChainUrl }) => cChainUrl);

describe('an index whose first node gives wrong receipts that its headers do not commit to', () => {
  const blocks = generateEvmChain({ blocks: BLOCKS });

  it.each([truncated, altered])('holds the rows of the other one: $form', async (behaviour) => {
    const [liar, honest] = await startNodes(blocks, 2);
    const [expected, database] = [await createMigratedDatabase(), await createMigratedDatabase()];
    await indexAll(expected, [honest!.cChainUrl]);
    liar!.setCChainBehaviour(behaviour);
    const warnings = await indexAll(database, urlsOf([liar!, honest!]));
    expect(await digestEvmTables(database)).toEqual(await digestEvmTables(expected));
    expect(warnings.join()).toMatch(/node 1: block \d+: its receipts are not those of its receiptsRoot/);
  });

  it('goes no further than it is proved where there is no other node', async () => {
    const [liar] = await startNodes(blocks, 1);
    liar!.setCChainBehaviour(truncated);
    const database = await createMigratedDatabase();
    const index = createEvmIndex(database, urlsOf([liar!]));
    await expect(advanceUntilDone(index.follower)).rejects.toMatchObject({
      code: 'NO_USABLE_NODE',
      message: expect.stringContaining('receiptsRoot'),
    });
    expect(await database.query('SELECT 1 FROM evm_transactions')).toEqual([]);
  });
});

/** As since Helicon, where what settles a block comes later; here it never does. */
function unsettled(blocks: readonly RecordedEvmBlock[]): RecordedEvmBlock[] {
  return blocks.map((each) => ({
    ...each,
    block: { ...each.block, settledHeight: '0x0' as const, receiptsRoot: listRoot([]) },
  }));
}

describe('the audit of an index that was lied to', () => {
  const blocks = unsettled(generateEvmChain({ blocks: BLOCKS }));

  const indexLies = async (nodes: readonly Sandbox[]): Promise<DataSource> => {
    nodes[0]!.setCChainBehaviour(truncated);
    const database = await createMigratedDatabase();
    await indexAll(database, urlsOf(nodes));
    return database;
  };

  it('has blocks made anew as most nodes have them, and names the one that differs', async () => {
    const nodes = await startNodes(blocks, 3);
    const expected = await createMigratedDatabase();
    await indexAll(expected, [nodes[2]!.cChainUrl]);
    const database = await indexLies(nodes);
    const wrong = await digestEvmTables(database);
    const right = await digestEvmTables(expected);
    expect(wrong['evm_transfers']).not.toBe(right['evm_transfers']);
    const found = await auditUntilClean(createAuditor(database, urlsOf(nodes)));
    expect(found.join('\n')).toMatch(
      /^chain 43112, block \d+, base: as in the database at node 1; different at node 3, node 2; made anew as node 3, node 2 have it$/m,
    );
    expect(found.join('\n')).toMatch(
      /^chain 43112, block \d+, base by node 3: row evm_transfers \d+\/\d+: only the node has it$/m,
    );
    // Blocks that no run chose are as they were.
    const repaired = await digestEvmTables(database);
    expect(repaired['evm_transfers']).not.toBe(wrong['evm_transfers']);
  });

  it('only reports where most do not agree', async () => {
    const nodes = await startNodes(blocks, 2);
    const database = await indexLies(nodes);
    const before = await digestEvmTables(database);
    const auditor = createAuditor(database, urlsOf(nodes));
    const report = await auditor.audit('fuji', signal);
    expect(report?.differences.join()).toContain('left as it is, because most nodes do not agree');
    expect(await digestEvmTables(database)).toEqual(before);
  });

  it('leaves rows as they are where nobody but one node contradicts them', async () => {
    const [node] = await startNodes(blocks, 1);
    const database = await createMigratedDatabase();
    await indexAll(database, urlsOf([node!]));
    const before = await digestEvmTables(database);
    node!.setCChainBehaviour(truncated);
    const report = await createAuditor(database, urlsOf([node!])).audit('fuji', signal);
    expect(report?.differences.join()).toContain('left as it is, because most nodes do not agree');
    expect(await digestEvmTables(database)).toEqual(before);
  });

  it('reports that there was only one node to ask', async () => {
    const nodes = await startNodes(blocks, 1);
    const database = await indexLies(nodes);
    const report = await createAuditor(database, urlsOf(nodes)).audit('fuji', signal);
    expect(report).toMatchObject({
      height: BigInt(BLOCKS - 1),
      skipped: ['chain 43112: with another node than the index reads: there is only one'],
      differences: [],
    });
  });

  it('has compared nothing where no node can be asked, or nothing is indexed', async () => {
    const nodes = await startNodes(blocks, 1);
    const database = await createMigratedDatabase();
    const auditor = createAuditor(database, urlsOf(nodes));
    const nothing: Partial<AuditReport> = { comparisons: 0, differences: [] };
    expect(await auditor.audit('fuji', signal)).toMatchObject({
      ...nothing,
      skipped: ['chain 43112: all of it: nothing is indexed yet'],
    });
    await indexAll(database, urlsOf(nodes));
    nodes[0]!.setNodeBehaviour(NODE_FAILURES.unavailable);
    expect(await auditor.audit('fuji', signal)).toMatchObject(nothing);
    expect(await auditor.audit('mainnet', signal)).toBeNull();
  });
});

describe('the audit of the index of the recorded C-chain', () => {
  let database: DataSource;
  let auditor: EvmAuditor;
  let right: Record<string, string>;

  beforeAll(async () => {
    const sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    onCleanup(() => sandbox.stop());
    database = await createMigratedDatabase();
    await indexAll(database, [sandbox.cChainUrl]);
    right = await digestEvmTables(database);
    // As three nodes that agree.
    auditor = createAuditor(database, [sandbox.cChainUrl, sandbox.cChainUrl, sandbox.cChainUrl]);
  });

  it('finds nothing where nothing is wrong', async () => {
    const report = await auditor.audit('fuji', signal);
    expect(report).toMatchObject({ skipped: [], differences: [] });
    expect(report?.comparisons).toBeGreaterThan(100);
  });

  it.each([
    [
      'evm_blocks',
      'UPDATE evm_blocks SET needs_trace = NOT needs_trace',
      /evm_blocks \d+ needs_trace: database/,
    ],
    [
      'evm_transactions',
      'UPDATE evm_transactions SET value = value + 1',
      /evm_transactions \d+\/\d+ value: database/,
    ],
    ['evm_transfers', 'DELETE FROM evm_transfers', /evm_transfers \d+\/\d+: only the node has it/],
    [
      'evm_internal_transfers',
      'UPDATE evm_internal_transfers SET amount = amount + 1',
      /evm_internal_transfers \d+\/\d+ amount: database/,
    ],
    [
      'evm_atomic_transfers',
      'UPDATE evm_atomic_transfers SET amount = amount + 1',
      /evm_atomic_transfers \d+\/\d+ amount: database/,
    ],
    ['evm_logs', 'UPDATE evm_logs SET data = data || data', /evm_logs \d+\/\d+ data: database/],
  ])('finds, names and mends wrong rows of %s', async (table, change, found) => {
    await database.query(change);
    expect((await digestEvmTables(database))[table]).not.toBe(right[table]);
    const told: string[] = [];
    for (let run = 0; run < 100; run += 1) {
      told.push(...((await auditor.audit('fuji', signal))?.differences ?? []));
      if ((await digestEvmTables(database))[table] === right[table]) break;
    }
    expect(await digestEvmTables(database)).toEqual(right);
    expect(told.join('\n')).toMatch(found);
    expect(told.join('\n')).toMatch(/made anew as node 3, node 2, node 1 have it/);
  });
});
