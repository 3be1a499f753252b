import { decodeFunctionData, encodeAbiParameters, parseAbi } from 'viem/utils';
import type { Address, Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { EvmContract } from '../evm-chains/served-evm-chain.js';

const ABI = parseAbi([
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function ownerOf(uint256 id) view returns (address)',
  'function tokenURI(uint256 id) view returns (string)',
  'function uri(uint256 id) view returns (string)',
]);

/** In place of a text: bytes that are none, or the whole answer as it is. */
type Text = string | Buffer | { readonly raw: Hex };

/** Answers of a token or NFT; methods that are left out revert. */
export interface ContractAnswers {
  readonly interfaces?: readonly Hex[];
  readonly name?: Text | undefined;
  readonly symbol?: Text | undefined;
  readonly decimals?: bigint | undefined;
  readonly ownerOf?: (tokenId: bigint) => Address | undefined;
  readonly tokenURI?: (tokenId: bigint) => Text | undefined;
  readonly uri?: (tokenId: bigint) => Text | undefined;
}

/** A contract that is nothing but its answers. */
export function contractOf(answers: ContractAnswers): EvmContract {
  return (data) => {
    const { functionName, args } = decodeFunctionData({ abi: ABI, data });
    switch (functionName) {
      case 'supportsInterface':
        return answers.interfaces && encode('bool', answers.interfaces.includes(args[0]));
      case 'name':
      case 'symbol':
        return encodeText(answers[functionName]);
      case 'decimals':
        return answers.decimals === undefined ? undefined : encode('uint256', answers.decimals);
      case 'ownerOf': {
        const owner = answers.ownerOf?.(args[0]);
        return owner && encode('address', owner);
      }
      case 'tokenURI':
      case 'uri':
        return encodeText(answers[functionName]?.(args[0]));
    }
  };
}

function encode(type: 'bool' | 'uint256' | 'address', value: boolean | bigint | Address): Hex {
  return encodeAbiParameters([{ type }], [value]);
}

const LARGE_BYTES = 1_000_000;
/** The last large text: a node is asked for the same again in smaller batches. */
let encoded: { readonly text: string | Buffer; readonly hex: Hex } | undefined;

/** Also what is no text, and so large that a library would take seconds. */
function encodeText(text: Text | undefined): Hex | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'object' && 'raw' in text) return text.raw;
  if (encoded?.text === text) return encoded.hex;
  const bytes = Buffer.from(text);
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const padding = '0'.repeat((64 - ((2 * bytes.length) % 64)) % 64);
  const hex: Hex = `0x${word(32)}${word(bytes.length)}${bytes.toString('hex')}${padding}`;
  if (bytes.length > LARGE_BYTES) encoded = { text, hex };
  return hex;
}
