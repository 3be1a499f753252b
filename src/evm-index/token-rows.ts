import { neutraliseText } from '../avalanche/evm/csv.js';
import type { TokenMetadata } from '../avalanche/evm/token-metadata.js';
import { column, Table } from '../indexing/sql/table.js';

/** What contracts say of themselves, once each. */
export const TOKENS = new Table<TokenMetadata>({
  name: 'evm_tokens',
  scope: 'chain_key',
  key: ['contract'],
  columns: [
    column('contract', 'bytea', ({ contract }) => contract.slice(2)),
    column('name', 'text', ({ name }) => name),
    column('symbol', 'text', ({ symbol }) => symbol),
    column('csv_symbol', 'text', ({ symbol }) => (symbol === null ? null : neutraliseText(symbol))),
    column('decimals', 'int', ({ decimals }) => decimals),
    column('unit', 'numeric', ({ decimals }) => (decimals === null ? null : unitOf(decimals))),
    column('standard', 'text', ({ standard }) => standard),
  ],
});

/** 10^-decimals, exactly. */
function unitOf(decimals: number): string {
  return decimals === 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`;
}
