import { describe, expect, it, jest } from '@jest/globals';
import { packRpcHex } from '../ids/rpc-hex.js';
import { shortIdToString } from '../ids/short-id.js';
import { AvaxClient } from './avax-client.js';
import { type JsonRpcCall, JsonRpcClient } from './json-rpc-client.js';
import { UTXOS_PER_PAGE } from './utxo-pages.js';

const SOURCE = '11111111111111111111111111111111LpoYY';
const addressOf = (number: number): string => shortIdToString(Buffer.alloc(20, number));

interface Params {
  readonly addresses: readonly string[];
  readonly limit: number;
  readonly startIndex?: { readonly address: string; readonly utxo: string };
}

/** A node where each address owns so many outputs, each of them three bytes: whose it is, and which. */
function nodeWith(owned: ReadonlyMap<string, number>) {
  const rpc = new JsonRpcClient({ urls: ['http://127.0.0.1:1'], timeoutMs: 1 });
  const asked: Params[] = [];
  jest.spyOn(rpc, 'call').mockImplementation(<T>(request: JsonRpcCall<T>): Promise<T> => {
    const params = request.params as Params;
    asked.push(params);
    return Promise.resolve(request.schema.parse(answer(owned, params)));
  });
  return { avax: new AvaxClient(rpc), asked };
}

function answer(owned: ReadonlyMap<string, number>, { addresses, limit, startIndex }: Params): object {
  const all = addresses.flatMap((address, position) =>
    Array.from({ length: owned.get(address) ?? 0 }, (_, index) => outputOf(position, index)),
  );
  // The place of the next one is given as the number of those before it.
  const from = startIndex === undefined ? 0 : Number.parseInt(startIndex.address.slice(2), 10);
  const utxos = all.slice(from, from + limit);
  return { utxos, endIndex: { address: `C-${from + utxos.length}`, utxo: SOURCE } };
}

const outputOf = (position: number, index: number): string =>
  packRpcHex(Buffer.from([position, index >> 8, index & 255]));

describe(AvaxClient.name, () => {
  it.each([
    ['https://host/ext/bc/C/rpc', 'https://host/ext/bc/C'],
    ['https://user:pass@host/key/ext/bc/C/rpc/?token=1', 'https://user:pass@host/key/ext/bc/C?token=1'],
    ['https://host/v2/some-key', undefined],
    ['https://host/ext/bc/C/ws', undefined],
  ])('finds beside %s the address %s', (evmUrl, expected) => {
    expect(AvaxClient.baseUrlOf(evmUrl)).toBe(expected);
  });

  it('takes one answer that is not full for all addresses', async () => {
    const { avax, asked } = nodeWith(
      new Map([
        [addressOf(1), UTXOS_PER_PAGE - 2],
        [addressOf(2), 1],
      ]),
    );
    const addresses = [addressOf(1), addressOf(2)];
    expect(await avax.getAllUtxos({ addresses, sourceChain: SOURCE })).toHaveLength(UTXOS_PER_PAGE - 1);
    expect(asked).toEqual([
      { addresses, sourceChain: SOURCE, limit: UTXOS_PER_PAGE, startIndex: undefined, encoding: 'hex' },
    ]);
  });

  it('asks for fewer addresses where an answer is full, and continues only with a single one', async () => {
    const owned = new Map([3, 1, UTXOS_PER_PAGE + 5, 2, 0].map((count, i) => [addressOf(i), count]));
    const { avax, asked } = nodeWith(owned);
    const addresses = [...owned.keys()];
    const found = await avax.getAllUtxos({ addresses, sourceChain: SOURCE });
    expect(found).toHaveLength([...owned.values()].reduce((sum, count) => sum + count, 0));
    const continued = asked.filter(({ startIndex }) => startIndex !== undefined);
    expect(continued.map((params) => params.addresses)).toEqual([[addressOf(2)]]);
  });
});
