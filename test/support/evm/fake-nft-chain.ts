import { decodeFunctionData, encodeAbiParameters, numberToHex, parseAbi } from 'viem/utils';
import type { Address, Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { type FakeEvmNode, FakeRpcError, startFakeEvmNode } from './fake-evm-node.js';

const NFT_ABI = parseAbi([
  'function supportsInterface(bytes4 id) view returns (bool)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function ownerOf(uint256 id) view returns (address)',
  'function tokenURI(uint256 id) view returns (string)',
  'function uri(uint256 id) view returns (string)',
]);

/** What a contract answers; what is left out reverts. A URI of bytes is no text. */
export interface FakeNftContract {
  readonly interfaces?: readonly Hex[];
  readonly name?: string;
  readonly symbol?: string;
  readonly ownerOf?: (tokenId: bigint) => Address | undefined;
  readonly tokenURI?: (tokenId: bigint) => string | Buffer | undefined;
  readonly uri?: (tokenId: bigint) => string | Buffer | undefined;
}

export const ERC721_INTERFACES: readonly Hex[] = ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f'];
export const ERC1155_INTERFACES: readonly Hex[] = ['0x01ffc9a7', '0xd9b67a26', '0x0e89341c'];

/** A chain of which only its contracts' answers matter. */
export class FakeNftChain {
  readonly contracts = new Map<Address, FakeNftContract>();
  height = 100n;
  /** Block tags of the calls. */
  readonly tags = new Set<unknown>();
  private node: FakeEvmNode | undefined;

  static async start(): Promise<FakeNftChain> {
    const chain = new FakeNftChain();
    chain.node = await startFakeEvmNode({
      eth_chainId: () => '0xa869',
      eth_blockNumber: () => numberToHex(chain.height),
      eth_call: ([call, tag]) => {
        chain.tags.add(tag);
        return chain.answer(call as { to: Address; data: Hex });
      },
    });
    return chain;
  }

  get url(): string {
    return this.node?.url ?? '';
  }

  /** How many calls contracts got. */
  get calls(): number {
    return this.node?.methods.filter((method) => method === 'eth_call').length ?? 0;
  }

  /** How many batches of calls contracts got. */
  get batches(): number {
    return this.node?.batchSizes.filter((size) => size > 1).length ?? 0;
  }

  /** Answers nothing but 503, or works again. */
  set isDown(isDown: boolean) {
    if (this.node === undefined) return;
    this.node.misbehave = isDown ? (_, response) => (response.writeHead(503).end(), true) : undefined;
  }

  stop(): void {
    this.node?.close();
  }

  private answer({ to, data }: { to: Address; data: Hex }): Hex {
    const contract = this.contracts.get(to);
    if (contract === undefined) return '0x';
    const { functionName, args } = decodeFunctionData({ abi: NFT_ABI, data });
    switch (functionName) {
      case 'supportsInterface':
        if (contract.interfaces === undefined) return revert();
        return encodeAbiParameters([{ type: 'bool' }], [contract.interfaces.includes(args[0])]);
      case 'name':
      case 'symbol':
        return encodeText(contract[functionName]);
      case 'ownerOf': {
        const owner = contract.ownerOf?.(args[0]);
        return owner === undefined ? revert() : encodeAbiParameters([{ type: 'address' }], [owner]);
      }
      case 'tokenURI':
      case 'uri':
        return encodeText(contract[functionName]?.(args[0]));
    }
  }
}

const LARGE_BYTES = 1_000_000;
/** The last large text: a node is asked for the same again in smaller batches. */
let encoded: { readonly text: string | Buffer; readonly hex: Hex } | undefined;

/** Also what is no text, and so large that a library would take seconds. */
function encodeText(text: string | Buffer | undefined): Hex {
  if (text === undefined) return revert();
  if (encoded?.text === text) return encoded.hex;
  const bytes = Buffer.from(text);
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const padding = '0'.repeat((64 - ((2 * bytes.length) % 64)) % 64);
  const hex: Hex = `0x${word(32)}${word(bytes.length)}${bytes.toString('hex')}${padding}`;
  if (bytes.length > LARGE_BYTES) encoded = { text, hex };
  return hex;
}

function revert(): never {
  throw new FakeRpcError(3, 'execution reverted');
}
