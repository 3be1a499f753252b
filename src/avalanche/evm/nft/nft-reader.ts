import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { ContractCalls } from '../rpc/evm-client.js';
import type { ContractAnswer } from '../rpc/contract-call.js';
import { type Address, type Hex, ZERO_ADDRESS } from '../rpc/hex-values.js';
import {
  abiStringBytes,
  dataOf,
  firstWord,
  MAX_TOKEN_NAME_LENGTH,
  MAX_TOKEN_SYMBOL_LENGTH,
  NAME_QUESTIONS,
  readTokenText,
} from '../transfers/token-metadata.js';

export const ERC_TYPES = ['ERC-721', 'ERC-1155'] as const;
export type ErcType = (typeof ERC_TYPES)[number];

/** The methods of EvmClient that are needed. */
export interface NftCaller {
  blockNumber(options: { signal?: AbortSignal }): Promise<bigint>;
  callContracts(query: ContractCalls): Promise<ContractAnswer[]>;
}

/** Where a contract reports that a token's metadata is. */
type TokenUri =
  | { readonly status: 'given'; readonly uri: string }
  /** It reverts, or returns nothing. */
  | { readonly status: 'missing' }
  /** No ABI string of UTF-8. */
  | { readonly status: 'unreadable' }
  | { readonly status: 'tooLarge' };

/** One token as reported by its contract at one block. */
export interface NftToken {
  readonly ercType: ErcType;
  readonly name: string | null;
  readonly symbol: string | null;
  /** null when it has none, and for ERC-1155, of which many may have some. */
  readonly owner: Address | null;
  readonly uri: TokenUri;
  readonly height: bigint;
}

/**
 * Longest URI that is kept. Most are short; those that hold the metadata itself may be as large as that, in base64, and the text before it.
 */
export const MAX_TOKEN_URI_BYTES = 1_500_000;

const NFT_ABI = parseAbi([
  'function ownerOf(uint256) view returns (address)',
  'function tokenURI(uint256) view returns (string)',
  'function uri(uint256) view returns (string)',
  'function supportsInterface(bytes4) view returns (bool)',
]);

const ERC165 = '0x01ffc9a7';
/** A contract that supports this one claims to support everything, and so proves nothing. */
const INVALID_INTERFACE = '0xffffffff';
const ERC721 = '0x80ac58cd';
const ERC1155 = '0xd9b67a26';

const INTERFACES: readonly Hex[] = [ERC165, INVALID_INTERFACE, ERC721, ERC1155];

/** In the order of `ercTypeOf`. */
const INTERFACE_QUESTIONS: readonly Hex[] = INTERFACES.map((interfaceId) =>
  encodeFunctionData({ abi: NFT_ABI, functionName: 'supportsInterface', args: [interfaceId] }),
);

const ADDRESS_ANSWER = /^0x0{24}([0-9a-f]{40})$/;

/**
 * Asks a contract about a token, all in one batch and at one block: the newest. undefined when the contract is none of NFTs: where there is
 * no code, every call succeeds with an empty answer. Older contracts that do not report their standard (ERC-165) count as ERC-721 when they
 * have an owner and a URI for the token. Rejects with RpcError when no node can answer.
 */
export async function readNft({
  client,
  contract,
  tokenId,
  signal,
}: {
  client: NftCaller;
  contract: Address;
  tokenId: bigint;
  signal?: AbortSignal;
}): Promise<NftToken | undefined> {
  const options = signal === undefined ? {} : { signal };
  const height = await client.blockNumber(options);
  const calls = questionsAbout(tokenId).map((data) => ({ to: contract, data }));
  const answers = await client.callContracts({ calls, blockTag: height, ...options });
  return toNft(answers, height);
}

function questionsAbout(tokenId: bigint): Hex[] {
  return [
    ...INTERFACE_QUESTIONS,
    ...NAME_QUESTIONS,
    ...(['ownerOf', 'tokenURI', 'uri'] as const).map((functionName) =>
      encodeFunctionData({ abi: NFT_ABI, functionName, args: [tokenId] }),
    ),
  ];
}

function toNft(answers: readonly ContractAnswer[], height: bigint): NftToken | undefined {
  const about = answers.slice(INTERFACE_QUESTIONS.length);
  const [name = '0x', symbol = '0x', ownerAnswer = '0x'] = about.map(dataOf);
  const [tokenUri, uri] = about.slice(NAME_QUESTIONS.length + 1).map(readUri);
  const owner = readOwner(ownerAnswer);
  const common = {
    name: readTokenText(name, MAX_TOKEN_NAME_LENGTH),
    symbol: readTokenText(symbol, MAX_TOKEN_SYMBOL_LENGTH),
    height,
  };
  const erc721 = { ...common, ercType: 'ERC-721', owner, uri: tokenUri ?? { status: 'missing' } } as const;
  switch (ercTypeOf(answers.slice(0, INTERFACE_QUESTIONS.length).map(dataOf))) {
    case 'ERC-721':
      return erc721;
    case 'ERC-1155':
      return { ...common, ercType: 'ERC-1155', owner: null, uri: uri ?? { status: 'missing' } };
    case undefined:
      return owner !== null && erc721.uri.status === 'given' ? erc721 : undefined;
  }
}

/** Interfaces that a contract reports (ERC-165). */
function ercTypeOf(answers: readonly Hex[]): ErcType | undefined {
  const [erc165, invalid, erc721, erc1155] = answers.map(isTrue);
  if (erc165 !== true || invalid === true) return undefined;
  return erc721 === true ? 'ERC-721' : erc1155 === true ? 'ERC-1155' : undefined;
}

function isTrue(data: Hex): boolean {
  return firstWord(data) === 1n;
}

function readOwner(data: Hex): Address | null {
  const [, digits] = ADDRESS_ANSWER.exec(data) ?? [];
  const owner: Address = digits === undefined ? ZERO_ADDRESS : `0x${digits}`;
  return owner === ZERO_ADDRESS ? null : owner;
}

function readUri(answer: ContractAnswer): TokenUri {
  if (answer.status === 'failed') return { status: answer.isTooLarge === true ? 'tooLarge' : 'missing' };
  if (answer.data === '0x') return { status: 'missing' };
  const bytes = abiStringBytes(answer.data);
  if (bytes === undefined) return { status: 'unreadable' };
  if (bytes.length > MAX_TOKEN_URI_BYTES) return { status: 'tooLarge' };
  try {
    const uri = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Postgres has no text with it, and no URI has it either.
    return uri.includes('\0') ? { status: 'unreadable' } : { status: 'given', uri };
  } catch {
    return { status: 'unreadable' };
  }
}
