import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { EvmFault } from '../../sandbox/rpc/evm-endpoint.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { type Address, toQuantity } from '../../src/avalanche/evm/rpc/hex-values.js';
import { ArchiveNodes } from '../../src/exports/search/archive-nodes.js';
import { isReserved } from '../../src/exports/search/findings.js';
import { accountsOf, expectBalanceChange, expectedLines } from '../support/exports/export-comparison.js';
import { createEvmChains, exportTurn, readExport, runExport } from '../support/exports/export-run.js';
import { createExporter } from '../support/exports/make-exporter.js';
import { NO_OLD_STATES } from '../support/sandbox/without-states.js';
import { makeStorage, SHORT_MS } from '../support/exports/export-bed.js';
import { NAME, RecordedExports, RECORDINGS, startRecorded } from '../support/exports/recorded-exports.js';

const [C_CHAIN] = RECORDINGS;

describe('an export of blocks that are not indexed', () => {
  let recorded: RecordedExports;
  let database: DataSource;
  let node: Sandbox;

  beforeAll(async () => {
    recorded = await RecordedExports.start();
    ({ database, node } = recorded);
  });

  it.each(RECORDINGS.map((recording) => [recording.chainId, recording] as const))(
    'has the rows of every account of chain %s, or reports for which it may lack some',
    async (_, recording) => {
      const accounts = accountsOf(recording);
      let proved = 0;
      for (const account of accounts) {
        const { lines, progress } = await recorded.export(recording, [account]);
        const expected = expectedLines(recording, [account], { chainName: NAME });
        const isDoubted = progress.notes.some((note) => note.startsWith(account));
        if (!isDoubted) {
          expect({ account, lines }).toEqual({ account, lines: expected });
          proved += 1;
        } else if (isReserved(account as Address)) {
          expect({ account, lines }).toEqual({ account, lines: [] });
        } else {
          expectBalanceChange(lines, recording, account);
        }
      }
      expect(proved).toBeGreaterThan(2);
      const together = await recorded.export(recording, accounts.slice(0, 8));
      expect(together.progress.state).not.toBe('more');
    },
  );

  it('has no doubts about an account that has never signed, once its key has shown itself', async () => {
    let shown = 0;
    for (const account of accountsOf(C_CHAIN)) {
      const without = await recorded.export(C_CHAIN, [account]);
      if (!without.progress.notes.some((note) => note.includes('it has never signed'))) continue;
      const { lines, progress } = await recorded.export(C_CHAIN, [account], { signers: [account] });
      expect(progress.hasGaps).toBe(false);
      expect(lines).toEqual(without.lines);
      shown += 1;
    }
    expect(shown).toBeGreaterThan(0);
  });

  const busiest = '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc';

  it('asks nothing twice, whoever goes on with it', async () => {
    const asked: string[] = [];
    const { cChain } = node;
    node.setNodeBehaviour({
      answers: {
        eth_getBalance: (params: unknown) => {
          const [address, height] = StateParamsSchema.parse(params);
          asked.push(`${address} ${height}`);
          return cChain.balance(address, height);
        },
      },
    });
    try {
      const storage = makeStorage();
      const input = { ...recorded.inputOf(C_CHAIN, [busiest]), durationMs: SHORT_MS };
      let turns = 0;
      for (let state = 'more'; state === 'more'; turns += 1) {
        // Another process each time, which knows only what is on record.
        const exporter = createExporter(database, createEvmChains([recorded.chainOf(C_CHAIN)]), storage);
        ({ state } = await exportTurn(exporter, input));
      }
      expect(turns).toBeGreaterThan(10);
      expect(asked.length).toBeGreaterThan(20);
      expect(new Set(asked).size).toBe(asked.length);
      const file = await readExport(database, storage, input.operationId);
      expect(file.split('\r\n').slice(1, -1)).toEqual(expectedLines(C_CHAIN, [busiest], { chainName: NAME }));
      const left = await database.query<object[]>('SELECT FROM export_states');
      expect(left).toEqual([]);
    } finally {
      node.setNodeBehaviour({});
    }
  });

  it.each([
    [
      'the newest state whatever is asked',
      { eth_getTransactionCount: () => node.cChain.nonce(busiest, C_CHAIN.blocks.length - 1) },
    ],
    ['no old state', NO_OLD_STATES],
  ])('believes no node that answers %s', async (_, answers) => {
    node.setNodeBehaviour({ answers });
    try {
      await expect(recorded.export(C_CHAIN, [busiest])).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
      const other = await startRecorded();
      const rpcUrls = [node, other].map(({ url }) => `${url}/ext/bc/${C_CHAIN.blockchainId}/rpc`);
      const { lines, progress } = await recorded.export(C_CHAIN, [busiest], {
        chain: recorded.chainOf(C_CHAIN, rpcUrls),
      });
      expect(lines).toEqual(expectedLines(C_CHAIN, [busiest], { chainName: NAME }));
      expect(progress.notes.filter((note) => note.startsWith(busiest))).toEqual([]);
    } finally {
      node.setNodeBehaviour({});
    }
  });

  it('asks a node that keeps the states of the last blocks for these, whoever has asked it for older ones', async () => {
    const chain = recorded.chainOf(C_CHAIN);
    const nodes = new ArchiveNodes(createEvmChains([chain]));
    const last = C_CHAIN.blocks.length - 1;
    const kept = Math.floor(last / 2);
    const asked: number[] = [];
    node.setNodeBehaviour({
      answers: {
        eth_getTransactionCount: (params: unknown) => {
          const [address, height] = StateParamsSchema.parse(params);
          asked.push(height);
          return height < kept ? NO_OLD_STATES.eth_getTransactionCount() : node.cChain.nonce(address, height);
        },
      },
    });
    const { signal } = new AbortController();
    const statesOf = (from: number, to: number) =>
      nodes.of(chain, { from: BigInt(from), to: BigInt(to) }, signal);
    try {
      await expect(statesOf(0, last)).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
      await statesOf(kept, last);
      asked.length = 0;
      await expect(statesOf(0, kept)).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
      await statesOf(kept + 1, last);
      expect(asked).toEqual([]);
    } finally {
      node.setNodeBehaviour({});
    }
  });

  it('waits for a node behind the same address that does not have the newest blocks yet', async () => {
    const chain = recorded.chainOf(C_CHAIN);
    const last = C_CHAIN.blocks.length - 1;
    node.setNodeBehaviour({
      answers: {
        eth_getTransactionCount: (params: unknown) => {
          const [address, height] = StateParamsSchema.parse(params);
          if (height < last) return node.cChain.nonce(address, height);
          throw new EvmFault('header not found');
        },
      },
    });
    const { signal } = new AbortController();
    const nodes = new ArchiveNodes(createEvmChains([chain]));
    const range = { from: BigInt(last - 1), to: BigInt(last) };
    try {
      await expect(nodes.of(chain, range, signal)).rejects.toMatchObject({ code: 'NODE_REJECTED' });
    } finally {
      node.setNodeBehaviour({});
    }
  });

  /** One balance is too high, at the height that is asked first besides both ends of the chain. */
  const lie = (): Set<number> => {
    const { cChain } = node;
    const lied = new Set<number>();
    node.setNodeBehaviour({
      answers: {
        eth_getBalance: (params: unknown) => {
          const [address, height] = StateParamsSchema.parse(params);
          const balance = cChain.balance(address, height);
          if (height === 0 || height === C_CHAIN.blocks.length - 1 || (lied.size > 0 && !lied.has(height))) {
            return balance;
          }
          lied.add(height);
          return toQuantity(BigInt(balance) + 1n);
        },
      },
    });
    return lied;
  };

  it('reports that an account is not proved when one balance is a lie', async () => {
    const lied = lie();
    try {
      const { progress } = await recorded.export(C_CHAIN, [busiest]);
      expect(lied.size).toBe(1);
      expect(progress.hasGaps).toBe(true);
      expect(progress.notes).toContainEqual(expect.stringMatching(`^${busiest} .*may be missing`));
    } finally {
      node.setNodeBehaviour({});
    }
  });

  it('asks every node about what nothing explains, and goes on once they agree', async () => {
    const honest = await startRecorded();
    const lied = lie();
    try {
      const rpcUrls = [node, honest].map(({ url }) => `${url}/ext/bc/${C_CHAIN.blockchainId}/rpc`);
      const storage = makeStorage();
      const chains = createEvmChains([recorded.chainOf(C_CHAIN, rpcUrls)]);
      const exporter = createExporter(database, chains, storage);
      const input = recorded.inputOf(C_CHAIN, [busiest]);
      await expect(runExport(exporter, input)).rejects.toMatchObject({
        code: 'NODES_DIFFER',
        message: expect.stringMatching(`another balance of ${busiest} after block ${[...lied].join(' ')}`),
      });
      expect(lied.size).toBe(1);
      node.setNodeBehaviour({});
      const { notes } = await runExport(exporter, input);
      expect(notes.filter((note) => note.startsWith(busiest))).toEqual([]);
      const file = await readExport(database, storage, input.operationId);
      expect(file.split('\r\n').slice(1, -1)).toEqual(expectedLines(C_CHAIN, [busiest], { chainName: NAME }));
    } finally {
      node.setNodeBehaviour({});
    }
  });
});

const StateParamsSchema = z.tuple([
  z.custom<Address>((value) => typeof value === 'string'),
  z.string().transform(Number),
]);
