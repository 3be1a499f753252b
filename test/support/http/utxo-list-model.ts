import fc from 'fast-check';
import { addressText, idOf, idText, shortIdOf, type UtxoRow, utxoRow } from '../p-chain/p-chain-rows.js';

interface Listed {
  row: UtxoRow;
  chains: readonly string[];
}

const few: Listed[] = fc
  .sample(
    fc.record({
      owners: fc.uniqueArray(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 3 }),
      threshold: fc.integer({ min: 1, max: 3 }),
      amount: fc.constantFrom('0', '1', '5', '1000000000', '18446744073709551615'),
      time: fc.integer({ min: 1000, max: 1060 }),
      isSpent: fc.boolean(),
      asset: fc.constantFrom(9, 9, 9, 10, 11),
      chains: fc.constantFrom(['P'], ['P'], ['P'], ['P', 'X'], ['P', 'C']),
    }),
    { numRuns: 500, seed: 11 },
  )
  .map((made, i) => ({
    row: utxoRow({
      network: 'mainnet',
      utxo_id: idOf((BigInt(i + 1) * 0x9e37_79b9_7f4a_7c15n ** 3n) % 2n ** 255n),
      amount: made.amount,
      block_time: made.time,
      asset_id: idOf(made.asset),
      owner_threshold: Math.min(made.threshold, made.owners.length),
      owner_addresses: made.owners.map(shortIdOf),
      consuming_tx_id: made.isSpent ? idOf(1) : null,
    }),
    chains: made.chains,
  }));

const many: Listed[] = Array.from({ length: 1500 }, (_, i) => ({
  row: utxoRow({
    network: 'mainnet',
    utxo_id: idOf(BigInt(i + 1) << 200n),
    amount: String(i % 4),
    block_time: 1000 + (i % 61),
    owner_addresses: [shortIdOf(1)],
  }),
  chains: ['P'],
}));

/** The index of the C-chain begins in the middle: of what is older nobody knows whether it was imported. */
export const IMPORTS_KNOWN_SINCE = 1030;

/** Owner 1 has so many that its list is walked by time, the others' are sorted. */
export const listedUtxos = [...few, ...many];

export type Query = Record<string, string>;

/** Addresses of mainnet, as a query has them. */
export const owners = (...numbers: number[]): string =>
  numbers.map((number) => addressText(shortIdOf(number), 'avax')).join(',');

/** The expected list, row by row. */
export function expectedIds(chain: string, query: Query): string[] {
  const direction = query['sortOrder'] === 'asc' ? 1 : -1;
  const addresses = query['addresses']?.split(',').map((text) => text.replace(/^[PXC]-/, ''));
  const keyOf = (row: UtxoRow): bigint =>
    query['sortBy'] === 'amount' ? BigInt(row.amount) : BigInt(row.block_time);
  return listedUtxos
    .filter(
      ({ row, chains }) =>
        chains.includes(chain) &&
        (row.consuming_tx_id === null
          ? chain !== 'C' || Number(row.block_time) >= IMPORTS_KNOWN_SINCE
          : query['includeSpent'] === 'true') &&
        (query['assetId'] === undefined || idText(row.asset_id) === query['assetId']) &&
        BigInt(row.amount) >= BigInt(query['minUtxoAmount'] ?? 0) &&
        (addresses === undefined ||
          row.owner_addresses.filter((owner) => addresses.includes(addressText(owner, 'avax'))).length >=
            row.owner_threshold),
    )
    .map(({ row }) => row)
    .sort((a, b) => {
      const [keyA, keyB] = [keyOf(a), keyOf(b)];
      if (keyA !== keyB) return (keyA < keyB ? -1 : 1) * direction;
      return (a.utxo_id < b.utxo_id ? -1 : 1) * direction;
    })
    .map((row) => idText(row.utxo_id));
}

const FILTERS: [name: string, value: string][] = [
  ['addresses', owners(2)],
  ['addresses', `P-${owners(3)},X-${owners(4)},C-${owners(4)},${owners(5, 6)}`],
  ['addresses', owners(1, 2, 3)],
  ['addresses', owners(99)],
  ['assetId', idText(idOf(10))],
  ['minUtxoAmount', '0'],
  ['minUtxoAmount', '2'],
  ['minUtxoAmount', '1000000001'],
  ['includeSpent', 'true'],
  ['includeSpent', 'false'],
];

export const filtersOf = (chain: string): [string, string][] =>
  FILTERS.filter(([name]) => chain === 'X' || name !== 'assetId');
