import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { EvmRecording } from '../../sandbox/recording/evm-recording.js';
import { type Address, toQuantity } from '../../src/avalanche/evm/rpc/hex-values.js';
import { advanceUntilDone, createEvmIndex, rangesOf } from '../support/evm/evm-index.js';
import { accountsOf, expectedLines } from '../support/exports/export-comparison.js';
import { createEvmChains, exportTurn, readExport } from '../support/exports/export-run.js';
import { createExporter } from '../support/exports/make-exporter.js';
import { makeStorage, SHORT_MS } from '../support/exports/export-bed.js';
import { NAME, RecordedExports, RECORDINGS } from '../support/exports/recorded-exports.js';
import { withoutStates } from '../support/sandbox/without-states.js';

const [C_CHAIN] = RECORDINGS;
const BURNT = '0x0100000000000000000000000000000000000000';
const UNTRACED = /internal transfers of some or all blocks are not in the file/;

describe('an export of blocks that are indexed without their internal transfers', () => {
  let recorded: RecordedExports;

  beforeAll(async () => {
    recorded = await RecordedExports.start();
    for (const recording of RECORDINGS) await index(recording);
  });

  /** All blocks with transactions, and not one trace. */
  async function index(recording: EvmRecording): Promise<void> {
    const { database } = recorded;
    const chain = { ...recorded.chainOf(recording), traces: 'off' as const };
    const indexes = createEvmIndex(database, chain.rpcUrls, { chain });
    for (const each of [indexes.follower, indexes.base]) await advanceUntilDone(each);
    if (recording === C_CHAIN) await advanceUntilDone(indexes.atomic);
    // That of an L1 begins behind the genesis, whose allocations are not known.
    const first = recording === C_CHAIN ? 0 : 1;
    const all = [`${first}-${recording.blocks.length - 1}`];
    expect(await rangesOf(database, 'base', chain.chainId)).toEqual(all);
    expect(await rangesOf(database, 'traces', chain.chainId)).toEqual([]);
  }

  const expected = (recording: EvmRecording, account: string) =>
    expectedLines(recording, [account], { chainName: NAME });
  const hasInternal = (lines: readonly string[]): boolean =>
    lines.some((line) => line.includes(',INTERNAL,'));

  it.each(RECORDINGS.map((recording) => [recording.chainId, recording] as const))(
    'has all rows of every account of chain %s that signs, and reports of which others it may lack some',
    async (_, recording) => {
      const whole = { accounts: 0, withInternal: 0 };
      for (const account of accountsOf(recording)) {
        const { lines, progress } = await recorded.export(recording, [account]);
        const isDoubted = progress.notes.some((note) => note.startsWith(account) || UNTRACED.test(note));
        expect({ account, hasGaps: progress.hasGaps }).toEqual({ account, hasGaps: isDoubted });
        if (isDoubted) continue;
        expect({ account, lines }).toEqual({ account, lines: expected(recording, account) });
        whole.accounts += 1;
        if (hasInternal(lines)) whole.withInternal += 1;
      }
      expect(whole.accounts).toBeGreaterThan(2);
      // Nobody who signs has received anything from a contract on the L1.
      expect(whole.withInternal > 0).toBe(recording === C_CHAIN);
    },
  );

  const receiver = (): string => {
    const found = accountsOf(C_CHAIN).find((account) => {
      const rows = expected(C_CHAIN, account);
      return hasInternal(rows) && rows.some((line) => line.includes(`,FEE,${account}`));
    });
    if (found === undefined) throw new Error('nobody has received anything from a contract');
    return found;
  };

  it('asks for the balances at both ends alone where the rows explain what is between', async () => {
    const account = accountsOf(C_CHAIN).find((each) => {
      const rows = expected(C_CHAIN, each);
      return !hasInternal(rows) && rows.some((line) => line.includes(`,FEE,${each}`));
    });
    if (account === undefined) throw new Error('everybody has received something from a contract');
    const asked = new Set<string>();
    const { node } = recorded;
    node.setNodeBehaviour({
      answers: {
        eth_getBalance: (params: unknown) => {
          const [address, height] = StateParamsSchema.parse(params);
          if (address === account) asked.add(height);
          return node.cChain.balance(address, Number(height));
        },
      },
    });
    try {
      const { lines } = await recorded.export(C_CHAIN, [account]);
      expect(lines).toEqual(expected(C_CHAIN, account));
      expect([...asked]).toEqual(['0x0', toQuantity(BigInt(C_CHAIN.blocks.length - 1))]);
    } finally {
      node.setNodeBehaviour({});
    }
  });

  const ofAccount = (lines: readonly string[], account: string): string[] =>
    lines.filter((line) => line.includes(account));

  it('proves an account beside a contract, whose net changes it finds', async () => {
    const account = receiver();
    const contract = accountsOf(C_CHAIN).find((each) => {
      const rows = expected(C_CHAIN, each);
      return hasInternal(rows) && !rows.some((line) => line.includes(`,FEE,${each}`));
    });
    if (contract === undefined) throw new Error('no contract has received anything from another one');
    const { lines, progress, rules } = await recorded.export(C_CHAIN, [account, contract]);
    expect(rules).toEqual(['signed', 'contract']);
    expect(progress.notes).toEqual([expect.stringMatching(new RegExp(`^${contract} on .*: it has code`))]);
    const both = expectedLines(C_CHAIN, [account, contract], { chainName: NAME });
    expect(ofAccount(lines, account)).toEqual(ofAccount(both, account));
    expect(hasInternal(ofAccount(lines, contract))).toBe(true);
  });

  it('has all rows of an account beside an address that blocks change by themselves, and reports what that one may lack', async () => {
    const account = receiver();
    const { lines, progress } = await recorded.export(C_CHAIN, [account, BURNT]);
    expect(progress.notes).toContainEqual(expect.stringMatching(UNTRACED));
    const both = expectedLines(C_CHAIN, [account, BURNT], { chainName: NAME });
    expect(ofAccount(lines, account)).toEqual(ofAccount(both, account));
  });

  it('is the same file however short its turns are', async () => {
    const account = receiver();
    const { database } = recorded;
    const storage = makeStorage();
    const input = { ...recorded.inputOf(C_CHAIN, [account]), durationMs: SHORT_MS };
    for (let state = 'more'; state === 'more';) {
      // Another process each time, which knows only what is on record.
      const exporter = createExporter(database, createEvmChains([recorded.chainOf(C_CHAIN)]), storage);
      ({ state } = await exportTurn(exporter, input));
    }
    const file = await readExport(database, storage, input.operationId);
    expect(file.split('\r\n').slice(1, -1)).toEqual(expected(C_CHAIN, account));
  });

  it('reports that they are missing when no node has the states', async () => {
    const account = receiver();
    const { lines, progress, rules } = await withoutStates(recorded.node, () =>
      recorded.export(C_CHAIN, [account, BURNT]),
    );
    expect(progress.notes).toContainEqual(expect.stringMatching(UNTRACED));
    expect(rules).toEqual(['incomplete', 'reserved']);
    const both = expectedLines(C_CHAIN, [account, BURNT], { chainName: NAME });
    const withoutInternal = both.filter((line) => !line.includes(',INTERNAL,'));
    expect(ofAccount(lines, account)).toEqual(ofAccount(withoutInternal, account));
  });
});

const StateParamsSchema = z.tuple([z.custom<Address>((value) => typeof value === 'string'), z.string()]);
