import { describe, expect, it } from '@jest/globals';
import { addressFor, hashFor } from '../../../sandbox/generated/evm-block.js';
import { type ExportRow, formatCsvRow } from './csv.js';
import { type TaxFormat, TaxRows } from './tax-rows.js';

const [me, other, token, second] = [addressFor(1), addressFor(2), addressFor(3), addressFor(4)];
const AVAX = { symbol: 'AVAX', name: null, decimals: 18 };
const USDC = { symbol: 'USDC', name: 'USD Coin', decimals: 6 };

type Part = Omit<Partial<ExportRow>, 'movement'> & Partial<ExportRow['movement']> & { transaction?: number };

function rowOf({ transaction = 1, direction = 'OUT', ...part }: Part): string {
  const [from, to] = direction === 'IN' ? [other, me] : [me, other];
  return formatCsvRow({
    chainId: 43114n,
    chainName: 'C-Chain',
    height: 5n,
    timestampSeconds: 1_790_244_900,
    direction,
    isSuccess: true,
    methodId: null,
    ...AVAX,
    movement: {
      kind: 'NATIVE',
      txHash: hashFor(transaction),
      txIndex: transaction,
      logIndex: null,
      batchIndex: null,
      tracePath: null,
      from,
      to,
      contract: null,
      tokenId: null,
      amount: 10n ** 18n,
      ...part,
    },
    ...part,
  });
}

const erc20 = (part: Part): string => rowOf({ kind: 'ERC20', contract: token, ...USDC, amount: 5n, ...part });
const fee = (part: Part = {}): string => rowOf({ kind: 'FEE', amount: 10n ** 15n, ...part });

function write(rows: readonly string[], format: TaxFormat = 'koinly'): string[] {
  const tax = new TaxRows(format);
  return (tax.add(Buffer.from(rows.join(''))) + tax.end()).split('\r\n').slice(0, -1);
}

const USDC_NAME = `USDC.${token.slice(-16)}`;
const DATE = '2026-09-24 10:15:00';

describe(TaxRows.name, () => {
  it('writes an exchange in one row, with what remains of each asset and the fee', () => {
    const rows = [
      rowOf({ amount: 3n * 10n ** 18n }),
      rowOf({ kind: 'INTERNAL', direction: 'IN', tracePath: '0' }),
      erc20({ direction: 'IN', amount: 7_500_000n }),
      fee(),
    ];
    const txHash = hashFor(1);
    expect(write(rows)).toEqual([
      `${DATE},2,AVAX,7.5,${USDC_NAME},0.001,AVAX,,,,C-Chain: NATIVE INTERNAL ERC20 FEE,${txHash}`,
    ]);
    expect(write(rows, 'cointracker')).toEqual([`09/24/2026 10:15:00,7.5,${USDC_NAME},2,AVAX,0.001,AVAX,`]);
  });

  it('pairs coins with the tokens that wrap them', () => {
    const wavax = '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7';
    const wrapping = rowOf({ to: wavax });
    const unwrapping = rowOf({ kind: 'INTERNAL', direction: 'IN', tracePath: '0', from: wavax });
    const cells = (rows: readonly string[]) => write(rows).map((row) => row.split(',').slice(1, 7).join());
    expect(cells([wrapping, fee()])).toEqual(['1,AVAX,1,WAVAX.1b74e27b85fd66c7,0.001,AVAX']);
    expect(cells([unwrapping, fee()])).toEqual(['1,WAVAX.1b74e27b85fd66c7,1,AVAX,0.001,AVAX']);
    // As of a swap whose router gives back coins, and of a purchase that pays with tokens just wrapped.
    expect(cells([wrapping, unwrapping])).toEqual([]);
    const paid = erc20({ contract: wavax, symbol: 'WAVAX', decimals: 18, amount: 10n ** 18n });
    expect(cells([wrapping, paid])).toEqual(['1,AVAX,,,,']);
    expect(cells([rowOf({ to: wavax, chainId: 7n })])).toEqual(['1,AVAX@7,,,,']);
  });

  it('leaves single what cannot be paired, and has the fee once', () => {
    const rows = [erc20({ contract: token }), erc20({ contract: second }), rowOf({ direction: 'IN' }), fee()];
    const cells = write(rows).map((row) => row.split(',').slice(1, 7).join());
    expect(cells).toEqual([
      `0.000005,${USDC_NAME},,,0.001,AVAX`,
      `0.000005,USDC.${second.slice(-16)},,,,`,
      ',,1,AVAX,,',
    ]);
  });

  it('writes the fee of a transaction that sends nothing as a cost', () => {
    expect(write([fee({ isSuccess: false })])[0]).toMatch(`${DATE},0.001,AVAX,,,,,,,cost,C-Chain: FEE,`);
    expect(write([erc20({ direction: 'IN' }), fee()])).toHaveLength(2);
    // Somebody else's fee is an income.
    expect(write([fee({ direction: 'IN' })])[0]).toMatch(`${DATE},,,0.001,AVAX,,,,,,`);
  });

  it('leaves out what changes nothing', () => {
    const both = [erc20({}), erc20({ direction: 'IN' })];
    expect(write([...both, rowOf({ direction: 'SELF' }), fee({ amount: 0n })])).toEqual([]);
  });

  it.each([
    ['tokens by their contracts', erc20({}), USDC_NAME],
    ['tokens without a symbol', erc20({ symbol: null }), `UNKNOWN.${token.slice(-16)}`],
    ['NFTs', erc20({ kind: 'ERC721', tokenId: 7n, amount: 1n }), `${USDC_NAME}#7`],
    ['the coins of other chains', rowOf({ chainId: 7n }), 'AVAX@7'],
    ['tokens of other chains', erc20({ chainId: 7n }), `${USDC_NAME}@7`],
    ['symbols with commas', erc20({ symbol: 'a,"b' }), `"a,""b.${token.slice(-16)}"`],
  ])('distinguishes %s', (_, row, currency) => {
    expect(write([row])[0]?.slice(DATE.length + 1)).toMatch(new RegExp(`^[^,]+,${escape(currency)},,,`));
  });

  it('keeps transactions apart, wherever the bytes are cut', () => {
    const rows = [1, 2, 3].flatMap((transaction) => [
      erc20({ transaction, symbol: '日,本' }),
      fee({ transaction }),
    ]);
    const whole = write(rows);
    expect(whole).toHaveLength(3);
    const tax = new TaxRows('koinly');
    const bytes = Buffer.from(rows.join(''));
    let text = '';
    for (let at = 0; at < bytes.length; at += 7) text += tax.add(bytes.subarray(at, at + 7));
    expect(`${text}${tax.end()}`).toBe(whole.map((row) => `${row}\r\n`).join(''));
  });
});

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
