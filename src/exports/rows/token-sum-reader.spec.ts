import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressFor, hashFor } from '../../../sandbox/generated/evm-block.js';
import type { Address } from '../../avalanche/evm/rpc/hex-values.js';
import type { TokenSum } from '../turns/token-sums.js';
import { directionOf, type ExportRow, formatCsvRow } from './csv.js';
import { TokenSumReader } from './token-sum-reader.js';

const OURS: ReadonlySet<Address> = new Set([addressFor(1), addressFor(2)]);

/** Text that looks like other cells, or that CSV has to quote. */
const hostileText = fc.option(
  fc.oneof(
    fc.constantFrom('USDC', 'ERC20', ',ERC20,', '"', '""', '",', 'a"",ERC721,"b', 'IN', '1,2', 'é,€', ' '),
    fc.stringMatching(/^[",a0 ]{0,8}$/),
  ),
);
const amount = fc.oneof(fc.constant(0n), fc.bigInt(0n, 2n ** 256n - 1n));

const token = fc.constantFrom(7, 8).map(addressFor);
const movement = fc.oneof(
  fc.record({ kind: fc.constantFrom('ERC20' as const), tokenId: fc.constant(null), contract: token }),
  fc.record({
    kind: fc.constantFrom('ERC721' as const, 'ERC1155' as const),
    tokenId: fc.constantFrom(0n, 5n, 2n ** 255n),
    contract: token,
  }),
  fc.record({
    kind: fc.constantFrom('NATIVE' as const, 'INTERNAL' as const, 'FEE' as const, 'MINT' as const),
    tokenId: fc.constant(null),
    contract: fc.constantFrom(null, addressFor(7)),
  }),
);

function rowsOf(chainName: string): fc.Arbitrary<ExportRow[]> {
  const row = fc
    .record({
      movement,
      amount,
      from: fc.constantFrom(1, 2, 3).map(addressFor),
      to: fc.constantFrom(1, 2, 3).map(addressFor),
      symbol: hostileText,
      name: hostileText,
      decimals: fc.option(fc.constantFrom(0, 6, 255)),
      logIndex: fc.option(fc.nat(99)),
    })
    .map(({ movement: own, amount: moved, from, to, symbol, name, decimals, logIndex }): ExportRow[] => {
      const direction = directionOf({ from, to }, OURS);
      if (direction === undefined) return [];
      const place = { txHash: hashFor(1), txIndex: 3, logIndex, batchIndex: null, tracePath: null };
      const { kind, contract, tokenId } = own;
      return [
        {
          chainId: 43114n,
          chainName,
          height: 5n,
          timestampSeconds: 1_795_245_352,
          movement: Object.assign(place, { kind, contract, tokenId, from, to, amount: moved }),
          direction,
          isSuccess: true,
          methodId: null,
          symbol,
          name,
          decimals,
        },
      ];
    });
  return fc.array(row, { maxLength: 20 }).map((rows) => rows.flat());
}

/** From the movements, not from their text. */
function sumsOf(rows: readonly ExportRow[]): TokenSum[] {
  const sums: TokenSum[] = [];
  for (const { movement: own } of rows) {
    if (!own.kind.startsWith('ERC') || own.contract === null) continue;
    const tokenId = own.kind === 'ERC1155' ? BigInt(own.tokenId ?? 0) : null;
    for (const [account, change] of [
      [own.from, -own.amount],
      [own.to, own.amount],
    ] as const) {
      const address = [...OURS].find((each) => each === account);
      if (address === undefined) continue;
      const at = sums.findIndex(
        (each) => each.account === address && each.contract === own.contract && each.tokenId === tokenId,
      );
      const before = sums[at]?.sum ?? 0n;
      const next = { account: address, contract: own.contract, tokenId, sum: before + change };
      sums.splice(at < 0 ? sums.length : at, 1, next);
    }
  }
  return sums;
}

describe(TokenSumReader.name, () => {
  it('adds up the tokens of any rows, in pieces of any size', () => {
    const names = fc.constantFrom('C-Chain', 'A, "B"', 'ERC20', 'é,ERC20,');
    const run = names.chain((name) =>
      fc.tuple(fc.constant(name), rowsOf(name), fc.integer({ min: 1, max: 999 })),
    );
    fc.assert(
      fc.property(run, ([name, rows, size]) => {
        const reader = new TokenSumReader({ chainId: 43114n, name }, OURS);
        const content = Buffer.from(rows.map(formatCsvRow).join(''));
        for (let at = 0; at < content.length; at += size) reader.add(content.subarray(at, at + size));
        expect(reader.sums).toEqual(sumsOf(rows));
      }),
    );
  });

  it('refuses a row of somebody else', () => {
    const [row] = fc.sample(
      rowsOf('C-Chain').filter((rows) => sumsOf(rows).length > 0),
      1,
    );
    const reader = new TokenSumReader({ chainId: 43114n, name: 'C-Chain' }, new Set([addressFor(9)]));
    expect(() => reader.add(Buffer.from((row ?? []).map(formatCsvRow).join('')))).toThrow(RangeError);
  });
});
