import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters, parseAbi, decodeFunctionData, stringToHex } from 'viem/utils';
import type { ContractAnswer } from '../rpc/contract-call.js';
import type { Address, Hex } from '../rpc/hex-values.js';
import { addressFor } from '../../../../sandbox/generated/evm-block.js';
import {
  type ContractCaller,
  MAX_TOKEN_NAME_LENGTH,
  MAX_TOKEN_SYMBOL_LENGTH,
  readTokenMetadata,
  readTokenText,
} from './token-metadata.js';

const ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);

const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value]);
const bytes = (value: Hex): Hex => encodeAbiParameters([{ type: 'bytes' }], [value]);
const uint = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value]);

interface FakeToken {
  readonly name?: Hex;
  readonly symbol?: Hex;
  readonly decimals?: Hex;
}

/** Contracts that answer these; everything else reverts. */
function callerOf(tokens: Readonly<Record<Address, FakeToken>>): ContractCaller {
  const answer = (to: Address, data: Hex): Hex | undefined => {
    const { functionName } = decodeFunctionData({ abi: ABI, data });
    return tokens[to]?.[functionName];
  };
  return {
    callContracts: async ({ calls }) =>
      calls.map(({ to, data }): ContractAnswer => {
        const result = answer(to, data);
        return result === undefined
          ? { status: 'failed', reason: 'reverted' }
          : { status: 'returned', data: result };
      }),
  };
}

async function metadataOf(token: FakeToken) {
  const contract = addressFor(1);
  const [metadata] = await readTokenMetadata({
    client: callerOf({ [contract]: token }),
    contracts: [contract],
  });
  return metadata;
}

describe(readTokenMetadata.name, () => {
  it('reads each contract by itself', async () => {
    const contracts = [addressFor(1), addressFor(2), addressFor(3)];
    const client = callerOf({
      [addressFor(1)]: { name: text('USD Coin'), symbol: text('USDC'), decimals: uint(6n) },
      [addressFor(3)]: { name: text('Apes'), symbol: text('APE') },
    });
    expect(await readTokenMetadata({ client, contracts })).toEqual([
      { contract: addressFor(1), name: 'USD Coin', symbol: 'USDC', decimals: 6 },
      { contract: addressFor(2), name: null, symbol: null, decimals: null },
      { contract: addressFor(3), name: 'Apes', symbol: 'APE', decimals: null },
    ]);
  });

  it.each<[string, Hex, number | null]>([
    ['255', uint(255n), 255],
    ['256', uint(256n), null],
    ['an absurd number', uint(2n ** 256n - 1n), null],
    ['less than a word', '0x12', null],
    ['nothing', '0x', null],
    ['more than a word', `${uint(8n)}ffff`, 8],
  ])('takes decimals of %s', async (_, decimals, expected) => {
    expect((await metadataOf({ decimals }))?.decimals).toBe(expected);
  });

  it('cuts a symbol of a megabyte', async () => {
    const symbol = (await metadataOf({ symbol: text('S'.repeat(1_000_000)) }))?.symbol;
    expect(symbol).toBe('S'.repeat(MAX_TOKEN_SYMBOL_LENGTH));
  });
});

describe(readTokenText.name, () => {
  const read = (data: Hex) => readTokenText(data, MAX_TOKEN_NAME_LENGTH);

  it.each<[string, Hex, string | null]>([
    ['bytes32 of older tokens', stringToHex('MKR', { size: 32 }), 'MKR'],
    ['bytes32 without an end', stringToHex('x'.repeat(32)), 'x'.repeat(32)],
    ['empty bytes32', `0x${'00'.repeat(32)}`, null],
    ['an empty string', text(''), null],
    ['nothing', '0x', null],
    ['an offset beyond the data', `0x${'ff'.repeat(96)}`, null],
    ['a length beyond the data', `${text('abc').slice(0, 66)}${'ff'.repeat(64)}` as Hex, null],
    ['invalid UTF-8', bytes('0x41ff42'), 'A\ufffdB'],
    ['control characters and NUL', text('A\u0000\u0007\r\nB\u001b[31m'), 'A B [31m'],
    ['invisible and direction-changing characters', text('\u202eCDSU\u200b\ufeff'), 'CDSU'],
    ['only spaces', text(' \t\u00a0\u3000'), null],
    ['emoji', text('🔺AVAX'), '🔺AVAX'],
    ['a formula, which is for the writer of the CSV to see to', text('=1+1'), '=1+1'],
  ])('reads %s', (_, data, expected) => {
    expect(read(data)).toBe(expected);
  });

  it('counts whole characters, not halves of them', () => {
    expect(readTokenText(text('🔺'.repeat(100)), 3)).toBe('🔺🔺🔺');
  });

  it('never throws and never passes on more than allowed, whatever comes', () => {
    const anyHex = fc
      .uint8Array({ maxLength: 300 })
      .map((data): Hex => `0x${Buffer.from(data).toString('hex')}`);
    const anyText = fc.string({ unit: 'binary', maxLength: 400 }).map(text);
    fc.assert(
      fc.property(fc.oneof(anyHex, anyText), (data) => {
        const result = read(data);
        if (result === null) return;
        expect(Array.from(result).length).toBeLessThanOrEqual(MAX_TOKEN_NAME_LENGTH);
        expect(result).not.toMatch(/\p{C}/u);
        expect(result.trim()).toBe(result);
      }),
      { numRuns: 500 },
    );
  });
});
