import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { readAtomicTransfers } from '../../src/avalanche/evm/blocks/atomic-transactions.js';
import { projectFolder } from '../../src/platform/config/project-folder.js';
import { defaultCChainRecording } from '../../sandbox/evm-chains/default-recordings.js';
import { type EvmRecording, readEvmRecording } from '../../sandbox/recording/evm-recording.js';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.js';
import {
  expectSameAtomicTransfers,
  expectSameBalances,
  expectSameRows,
  readCChain,
  type ReadChain,
} from '../support/evm/c-chain-comparison.js';
import { expectMovements, readExpectedTokens } from '../support/evm/c-chain-second-implementation.js';

const older = (name: string): EvmRecording =>
  readEvmRecording(join(projectFolder(), 'test', 'recordings', `${name}.json.br`));

const RECORDINGS = {
  'under the rules of Helicon': defaultCChainRecording(),
  'under the rules of Granite': older('c-chain-granite'),
  'across the activation of Helicon': older('c-chain-transition'),
};

const kindsIn = (blocks: EvmRecording['blocks']): string[] =>
  blocks.flatMap(expectMovements).map(({ kind }) => kind);
/** Only blocks of Helicon show how far older ones are settled. */
const isOfHelicon = ({ block }: EvmRecording['blocks'][number]): boolean =>
  block.settledHeight !== undefined;

/** Made by `npm run record -- c-chain`; read by our own code from the sandbox, as from any node. */
describe.each(Object.entries(RECORDINGS))('the recorded C-chain %s', (_, recording) => {
  let sandbox: Sandbox;
  let found: ReadChain;

  beforeAll(async () => {
    sandbox = await startSandbox({ validators: 1, blockIntervalMs: 0, evmRecordings: [recording] });
    found = await readCChain(sandbox.url, recording);
  });

  afterAll(async () => {
    await sandbox.stop();
  });

  it('has the movements that a second implementation finds, row by row', () => {
    expectSameRows(found, recording);
  });

  it('has the imports and exports that were ordered when it was made', () => {
    expectSameAtomicTransfers(found, recording);
    expect(found.blocks.flatMap(({ block }) => readAtomicTransfers(block)).map(({ kind }) => kind)).toEqual([
      'IMPORT',
      'EXPORT',
    ]);
  });

  it('has balances that follow from genesis, movements, imports and exports, to the wei and at every height', async () => {
    await expectSameBalances(found, recording);
  });

  it('has every kind of movement, of transaction and of failure', () => {
    const kinds = kindsIn(recording.blocks);
    const count = (kind: string): number => kinds.filter((each) => each === kind).length;
    const wanted = ['NATIVE', 'INTERNAL', 'ERC20', 'ERC721', 'ERC1155', 'FEE'];
    expect(wanted.filter((kind) => count(kind) < 5)).toEqual([]);
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

describe('the recordings of EVM chains', () => {
  it('are of the rules that they name', () => {
    const { blocks } = RECORDINGS['under the rules of Helicon'];
    expect(blocks.every(isOfHelicon)).toBe(true);
    expect(RECORDINGS['under the rules of Granite'].blocks.some(isOfHelicon)).toBe(false);
  });

  it('move money on both sides of the activation', () => {
    const { blocks } = RECORDINGS['across the activation of Helicon'];
    const first = blocks.findIndex(isOfHelicon);
    const [before, after] = [blocks.slice(0, first), blocks.slice(first)];
    expect(after.every(isOfHelicon)).toBe(true);
    for (const side of [before, after]) {
      expect(kindsIn(side)).toEqual(expect.arrayContaining(['NATIVE', 'INTERNAL', 'FEE']));
    }
  });

  it('name the version that made them', () => {
    const versions = Object.values(RECORDINGS).map(({ avalanchegoVersion }) => avalanchegoVersion);
    expect(versions).toEqual([
      expect.stringContaining('avalanchego/1.15.0'),
      'v1.14.2',
      expect.stringContaining('avalanchego/1.15.0'),
    ]);
    expect(RECORDINGS['under the rules of Helicon'].description).toContain('avalanchego/1.15.0');
  });
});
