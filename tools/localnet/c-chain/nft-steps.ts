import type { PrivateKeyAccount } from 'viem/accounts';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { Gallery, Goods } from '../contracts/artifacts.js';
import { callsOf } from '../contracts/calls.js';
import type { EvmWallet, Order } from './evm-wallet.js';

/** A token, and what there is to be seen of its metadata. */
export interface Nft {
  readonly collection: Address;
  readonly tokenId: bigint;
  readonly what: string;
}

/** Arguments of a token's mint. */
interface NewNft {
  readonly tokenId: bigint;
  readonly uri: string;
  readonly what: string;
  /** Letters behind the URI. */
  readonly padding?: bigint;
}

interface Minting {
  readonly wallet: EvmWallet;
  /** Mints. */
  readonly from: PrivateKeyAccount;
  /** Has them. */
  readonly owner: Address;
}

const GALLERY = callsOf(Gallery.abi);
const GOODS = callsOf(Goods.abi);

/** A URI is stored word by word. */
const MINTING_GAS = 1_200_000n;

/** Beyond what is read of metadata. */
const MEBIBYTE = 1n << 20n;

const asJson = (metadata: object): string => `data:application/json,${JSON.stringify(metadata)}`;
const asBase64 = (metadata: object): string =>
  `data:application/json;base64,${Buffer.from(JSON.stringify(metadata)).toString('base64')}`;
const drawing = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path fill="${colour}" d="M0 0h1v1H0z"/></svg>`;

/** Good ones are in their URIs: these need no server. Of both kinds of collections. */
const BAD_URIS: readonly Omit<NewNft, 'tokenId'>[] = [
  { what: 'no JSON in its URI', uri: 'data:application/json,{"name":' },
  { what: 'a list instead of metadata', uri: 'data:application/json,["name"]' },
  { what: 'metadata nested too deeply', uri: `data:application/json,{"attributes":${nested(40)}}` },
  { what: 'a data URI without data', uri: 'data:application/json' },
  { what: 'a URI with an unknown scheme', uri: 'ftp://example.org/1.json' },
  { what: 'a URI on this very machine', uri: 'http://127.0.0.1/1.json' },
  { what: 'a URI of a private network', uri: 'https://10.0.0.1/1.json' },
  { what: 'a URI of a metadata service', uri: 'http://169.254.169.254/latest/meta-data/' },
  { what: 'a port that nobody is asked at', uri: 'https://example.org:22/1.json' },
  { what: 'more than a megabyte of metadata', uri: 'data:application/json,', padding: MEBIBYTE + 1n },
];

const WORKS: readonly NewNft[] = numbered([
  {
    what: 'metadata in base64',
    uri: asBase64({
      name: 'Red',
      description: 'A red square',
      image_data: drawing('red'),
      attributes: [{ trait_type: 'colour', value: 'red' }],
    }),
  },
  {
    what: 'metadata as it is, with an id to be filled in',
    uri: asJson({ name: 'Work {id}', image: 'ipfs://image/{id}', external_url: 'https://example.org/2' }),
  },
  { what: 'an empty URI', uri: '' },
  ...BAD_URIS,
]);

const WARES: readonly NewNft[] = numbered([
  {
    what: 'metadata in base64',
    uri: asBase64({ name: 'Sword', decimals: 0, properties: { damage: 7 }, image_data: drawing('grey') }),
  },
  {
    what: 'metadata as it is, with an id to be filled in',
    uri: asJson({ name: 'Ware {id}', image: 'ipfs://image/{id}.png' }),
  },
  { what: 'no URI at all', uri: '' },
  ...BAD_URIS,
]);

/** A collection of each kind, with good and bad metadata, some of which changes. */
export async function mintNfts({ wallet, from, owner }: Minting): Promise<Nft[]> {
  const [gallery, goods] = await Promise.all([
    wallet.deploy({ from, data: Gallery.bytecode }),
    wallet.deploy({ from, data: Goods.bytecode }),
  ]);
  const order = (to: Address, data: Hex): Order => ({ from, to, data, gas: MINTING_GAS });
  await wallet.runAll([
    ...WORKS.map(({ tokenId, uri, padding = 0n }) =>
      order(gallery, GALLERY.mint(owner, tokenId, uri, padding)),
    ),
    ...WARES.map(({ tokenId, uri, padding = 0n }) => order(goods, GOODS.mint(owner, tokenId, uri, padding))),
  ]);
  return [
    ...WORKS.map(({ tokenId, what }) => ({ collection: gallery, tokenId, what })),
    ...(await changeWorks({ wallet, from, owner, gallery })),
    ...WARES.map(({ tokenId, what }) => ({ collection: goods, tokenId, what })),
    ...(await changeWares({ wallet, from, owner, goods })),
  ];
}

async function changeWorks(given: Minting & { gallery: Address }): Promise<Nft[]> {
  const { wallet, from, owner, gallery: collection } = given;
  const run = (data: Hex) => wallet.run({ from, to: collection, data, gas: MINTING_GAS });
  const mint = (tokenId: bigint, uri: string): Hex => GALLERY.mint(owner, tokenId, uri, 0n);
  await Promise.all([run(mint(100n, '')), run(mint(101n, asJson({ name: 'Ashes' }))), run(mint(102n, ''))]);
  await Promise.all([
    run(GALLERY.setTokenURI(100n, asJson({ name: 'As it is now' }))),
    run(GALLERY.burn(101n)),
    run(GALLERY.burn(102n)),
  ]);
  return [
    { collection, tokenId: 100n, what: 'metadata that came later' },
    { collection, tokenId: 101n, what: 'metadata of what was burnt' },
    { collection, tokenId: 102n, what: 'nothing left of it' },
  ];
}

async function changeWares({ wallet, from, goods }: Minting & { goods: Address }): Promise<Nft[]> {
  const data = GOODS.setURI(100n, asJson({ name: 'As it is now' }));
  await wallet.run({ from, to: goods, data, gas: MINTING_GAS });
  return [{ collection: goods, tokenId: 100n, what: 'metadata that came later' }];
}

function numbered(tokens: readonly Omit<NewNft, 'tokenId'>[]): NewNft[] {
  return tokens.map((token, index) => ({ ...token, tokenId: BigInt(index + 1) }));
}

/** JSON of lists within lists. */
function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}
