import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultCChainRecording } from '../../src/sandbox/c-chain/default-recording.js';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';
import {
  expectSameBalances,
  expectSameRows,
  readCChain,
  type ReadChain,
} from '../support/c-chain-comparison.js';
import { expectMovements, readExpectedTokens } from '../support/c-chain-second-implementation.js';

/** Made by `npm run record:c-chain`; read by our own code from the sandbox, as from any node. */
describe('recorded C-chain', () => {
  const recording = defaultCChainRecording();
  let sandbox: Sandbox;
  let found: ReadChain;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0 });
    found = await readCChain(sandbox.url, recording);
  });

  afterAll(async () => {
    await sandbox.stop();
  });

  it('has the movements that a second implementation finds, row by row', () => {
    expectSameRows(found, recording);
  });

  it('has balances that follow from the movements, to the wei and at every height', () => {
    expectSameBalances(found, recording);
  });

  it('has every kind of movement, of transaction and of failure', () => {
    const movements = recording.blocks.flatMap(expectMovements);
    const count = (kind: string): number => movements.filter((movement) => movement.kind === kind).length;
    const kinds = ['NATIVE', 'INTERNAL', 'ERC20', 'ERC721', 'ERC1155', 'FEE'];
    expect(kinds.filter((kind) => count(kind) < 5)).toEqual([]);
    const types = recording.blocks.flatMap(({ block }) => block.transactions.map(({ type }) => type));
    expect(new Set(types)).toEqual(new Set(['0x0', '0x1', '0x2']));
    const failures = recording.blocks.flatMap(({ traces }) =>
      (traces ?? []).flatMap(({ result }) => result['error'] ?? []),
    );
    expect(new Set(failures)).toEqual(new Set(['execution reverted', 'out of gas']));
  });

  it('has tokens with texts that nobody should believe', () => {
    const symbols = [...readExpectedTokens(recording).values()].map(({ symbol }) => symbol);
    expect(symbols).toEqual(
      expect.arrayContaining([
        '=HYPERLINK("http://x","y")',
        'a"b,c d',
        '@SUM(A1:A9)',
        '-2+3',
        'A'.repeat(64),
        '\u{1f43b}'.repeat(64),
        'B32',
        null,
      ]),
    );
  });
});
