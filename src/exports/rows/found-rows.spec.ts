import { describe, expect, it } from '@jest/globals';
import { addressFor, rawBlock, type RawTransaction } from '../../../sandbox/generated/evm-block.js';
import { joinReceipts, parseBlock, parseReceipts } from '../../avalanche/evm/blocks/block.js';
import { recogniseMovements, TRANSFER_TOPIC } from '../../avalanche/evm/transfers/transfers.js';
import type { ExplainedBlock } from '../search/explained-blocks.js';
import { CSV_COLUMNS } from './csv.js';
import { formatBlock } from './found-rows.js';
import { TaxRows } from './tax-rows.js';

const [me, other, contract] = [addressFor(1), addressFor(2), addressFor(3)];
const CONTEXT = {
  chain: { chainId: 43114n, name: 'C-Chain', nativeSymbol: 'AVAX', nativeDecimals: 18 },
  avaxAssetId: undefined,
  addresses: new Set([me]),
  labels: new Map(),
};

const topicOf = (address: string): `0x${string}` => `0x${address.slice(2).padStart(64, '0')}`;
const callOfMine: RawTransaction = {
  from: me,
  to: contract,
  value: 7n,
  gasLimit: 90_000n,
  gasUsed: 50_000n,
  logs: [
    {
      address: contract,
      topics: [TRANSFER_TOPIC, topicOf(me), topicOf(other)],
      data: `0x${'5'.padStart(64, '0')}`,
    },
  ],
};
const paymentToMe: RawTransaction = { from: other, to: me, value: 3n, gasLimit: 21_000n };
const callOfOthers: RawTransaction = { from: other, to: contract, gasLimit: 90_000n, gasUsed: 50_000n };

/** With an amount that contracts gave me, and no node has traced. */
function explained(...transactions: readonly RawTransaction[]): ExplainedBlock {
  const raw = rawBlock(5, transactions);
  const block = joinReceipts(parseBlock(raw.block, 5n), parseReceipts(raw.receipts));
  const { movements } = recogniseMovements(block);
  const remainders = [{ address: me, balance: 11n, nonce: 0n }];
  return { block, movements, isTraced: false, remainders, contracts: [] };
}

describe(formatBlock.name, () => {
  const placesOf = (block: ExplainedBlock): string[] =>
    formatBlock(block, CONTEXT)
      .text.split('\r\n')
      .slice(0, -1)
      .map((line) => line.split(','))
      .map((cells) => `${cells[CSV_COLUMNS.indexOf('Kind')]} ${cells[CSV_COLUMNS.indexOf('TxIndex')]}`);

  it('has an amount without another side where its transaction stands', () => {
    expect(placesOf(explained(paymentToMe, callOfMine, paymentToMe))).toEqual([
      'NATIVE 0',
      'NATIVE 1',
      'INTERNAL 1',
      'ERC20 1',
      'FEE 1',
      'NATIVE 2',
    ]);
    expect(placesOf(explained(paymentToMe, callOfOthers, paymentToMe))).toEqual([
      'NATIVE 0',
      'INTERNAL 1',
      'NATIVE 2',
    ]);
  });

  it('has it behind all transactions where several may have moved it', () => {
    expect(placesOf(explained(callOfMine, callOfOthers, paymentToMe)).at(-1)).toBe('INTERNAL ');
  });

  it('makes an exchange of it for tools for taxes', () => {
    const tax = new TaxRows('cointracker');
    const { text } = formatBlock(explained({ ...callOfMine, value: 0n }, paymentToMe), CONTEXT);
    const rows = (tax.add(Buffer.from(text)) + tax.end()).split('\r\n').slice(0, -1);
    const sold = `UNKNOWN.${contract.slice(-16)}`;
    expect(rows.map((row) => row.split(',').filter((_, cell) => [2, 4].includes(cell)))).toEqual([
      ['AVAX', sold],
      ['AVAX', ''],
    ]);
  });
});
