import { describe, expect, it } from '@jest/globals';
import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils';
import type { ContractCalls } from '../rpc/evm-client.js';
import type { ContractAnswer } from '../rpc/contract-call.js';
import type { Address, Hex } from '../rpc/hex-values.js';
import { MAX_TOKEN_URI_BYTES, type NftToken, readNft } from './nft-reader.js';

const ABI = parseAbi([
  'function supportsInterface(bytes4)',
  'function name()',
  'function symbol()',
  'function ownerOf(uint256)',
  'function tokenURI(uint256)',
  'function uri(uint256)',
]);
const CONTRACT: Address = `0x${'11'.repeat(20)}`;
const OWNER: Address = `0x${'ab'.repeat(20)}`;
const TOKEN_ID = 5n;

const yes = encodeAbiParameters([{ type: 'bool' }], [true]);
const address = (value: Address): Hex => encodeAbiParameters([{ type: 'address' }], [value]);
const text = (value: string | Buffer): Hex =>
  encodeAbiParameters([{ type: 'bytes' }], [`0x${Buffer.from(value).toString('hex')}`]);

const supports = (id: Hex): Hex =>
  encodeFunctionData({ abi: ABI, functionName: 'supportsInterface', args: [id] });
const [ERC165, INVALID, ERC721, ERC1155] = ['0x01ffc9a7', '0xffffffff', '0x80ac58cd', '0xd9b67a26'].map(
  (id) => supports(`0x${id.slice(2)}`),
);
const NAME = encodeFunctionData({ abi: ABI, functionName: 'name' });
const OWNER_OF = encodeFunctionData({ abi: ABI, functionName: 'ownerOf', args: [TOKEN_ID] });
const TOKEN_URI = encodeFunctionData({ abi: ABI, functionName: 'tokenURI', args: [TOKEN_ID] });
const URI = encodeFunctionData({ abi: ABI, functionName: 'uri', args: [TOKEN_ID] });

type Answers = readonly (readonly [Hex | undefined, Hex | 'tooLarge'])[];

const IS_721: Answers = [
  [ERC165, yes],
  [ERC721, yes],
];
const IS_1155: Answers = [
  [ERC165, yes],
  [ERC1155, yes],
];

/** Reads the token of a contract that answers so, and reverts when it is asked anything else. */
async function read(answers: Answers, otherwise?: Hex): Promise<NftToken | undefined> {
  const known = new Map(answers);
  const queries: ContractCalls[] = [];
  const found = await readNft({
    contract: CONTRACT,
    tokenId: TOKEN_ID,
    client: {
      blockNumber: () => Promise.resolve(77n),
      callContracts: (query) => {
        queries.push(query);
        return Promise.resolve(
          query.calls.map(({ data }): ContractAnswer => {
            const answer = known.get(data) ?? otherwise;
            if (answer === undefined) return { status: 'failed', reason: 'execution reverted' };
            if (answer === 'tooLarge') return { status: 'failed', reason: 'too large', isTooLarge: true };
            return { status: 'returned', data: answer };
          }),
        );
      },
    },
  });
  expect(queries).toMatchObject([{ blockTag: 77n, calls: expect.any(Array) }]);
  return found;
}

describe(readNft.name, () => {
  it('reads an ERC-721 token with its owner', async () => {
    const answers: Answers = [
      ...IS_721,
      [NAME, text('Works')],
      [OWNER_OF, address(OWNER)],
      [TOKEN_URI, text('ipfs://x')],
    ];
    expect(await read(answers)).toEqual({
      ercType: 'ERC-721',
      name: 'Works',
      symbol: null,
      owner: OWNER,
      uri: { status: 'given', uri: 'ipfs://x' },
      height: 77n,
    });
  });

  it('reads an ERC-1155 token, which has no owner, whatever it returns', async () => {
    expect(
      await read([...IS_1155, [OWNER_OF, address(OWNER)], [URI, text('u')], [TOKEN_URI, text('t')]]),
    ).toMatchObject({
      ercType: 'ERC-1155',
      owner: null,
      uri: { status: 'given', uri: 'u' },
    });
  });

  it('takes an older contract for ERC-721 when it has owner and URI for the token', async () => {
    const owned = [OWNER_OF, address(OWNER)] as const;
    const located = [TOKEN_URI, text('u')] as const;
    expect(await read([owned, located])).toMatchObject({ ercType: 'ERC-721', owner: OWNER });
    expect(await read([owned])).toBeUndefined();
    expect(await read([located])).toBeUndefined();
  });

  it.each<[string, Answers, Hex | undefined]>([
    ['reverts at everything', [], undefined],
    ['has no code', [], '0x'],
    ['says yes to everything', [], yes],
    ['tells its standard, but not that it tells standards', [[ERC721, yes]], undefined],
    ['supports what nobody can', [...IS_721, [INVALID, yes]], undefined],
    ['is money', [[NAME, text('Money')]], undefined],
  ])('takes a contract that %s for none of NFTs', async (_, answers, otherwise) => {
    expect(await read(answers, otherwise)).toBeUndefined();
  });

  it.each<[string, Hex, Address | null]>([
    ['the zero address', address(`0x${'00'.repeat(20)}`), null],
    ['more than an address', `0x01${'ab'.repeat(31)}`, null],
    ['too little', `0x${'ab'.repeat(20)}`, null],
    ['two words', `${address(OWNER)}${'00'.repeat(32)}`, null],
    ['nothing', '0x', null],
    ['an address', address(OWNER), OWNER],
  ])('reads an owner who is %s', async (_, answer, owner) => {
    expect(await read([...IS_721, [OWNER_OF, answer]])).toMatchObject({ owner });
  });

  it.each<[string, Hex | 'tooLarge', NftToken['uri']['status']]>([
    ['nothing', '0x', 'missing'],
    ['no text', yes, 'unreadable'],
    [
      'a text that leads out of the answer',
      `0x${'20'.padStart(64, '0')}${'ff'.padStart(64, '0')}`,
      'unreadable',
    ],
    ['an offset that leads out of the answer', `0x${'ff'.repeat(32)}${'00'.repeat(32)}`, 'unreadable'],
    ['text that is no UTF-8', text(Buffer.from([0x61, 0xff])), 'unreadable'],
    ['text with a zero in it', text('a\0b'), 'unreadable'],
    ['more than is kept', text('a'.repeat(MAX_TOKEN_URI_BYTES + 1)), 'tooLarge'],
    ['more than is read', 'tooLarge', 'tooLarge'],
    ['an empty text', text(''), 'given'],
    ['text', text('https://example.org/ä'), 'given'],
  ])('reads a URI that is %s', async (_, answer, status) => {
    expect((await read([...IS_721, [TOKEN_URI, answer]]))?.uri.status).toBe(status);
  });
});
