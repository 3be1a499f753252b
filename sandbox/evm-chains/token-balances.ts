import { joinReceipts, parseBlock, parseReceipts } from '../../src/avalanche/evm/blocks/block.js';
import type { Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import { recogniseMovements } from '../../src/avalanche/evm/transfers/transfers.js';
import type { EvmRecording } from '../recording/evm-recording.js';

/** Of `balanceOf(address)` and `balanceOf(address,uint256)`. */
const SELECTORS = ['0x70a08231', '0x00fdd58e'];
const WORD = 64;
const UINT256 = 2n ** 256n;

/** Answers of a chain's tokens to `balanceOf`, added up from their logs. */
export class TokenBalances {
  /** By contract, and by the data of the call; ascending by height. */
  private readonly balances = new Map<string, { height: number; amount: bigint }[]>();
  private readonly tokens = new Set<string>();

  constructor({ blocks }: Pick<EvmRecording, 'blocks'>) {
    for (const [height, { block, receipts }] of blocks.entries()) {
      const read = joinReceipts(parseBlock(block, BigInt(height)), parseReceipts(receipts));
      for (const { kind, contract, from, to, tokenId, amount } of recogniseMovements(read).movements) {
        if (contract === null || !kind.startsWith('ERC')) continue;
        this.tokens.add(contract);
        const id = kind === 'ERC1155' ? tokenId : null;
        this.add(`${contract} ${dataOf(from, id)}`, height, -amount);
        this.add(`${contract} ${dataOf(to, id)}`, height, amount);
      }
    }
  }

  /** undefined for any other call, and of contracts that are no tokens. */
  answer(contract: string, data: Hex, height: number): Hex | undefined {
    if (!this.tokens.has(contract) || !SELECTORS.includes(data.slice(0, 10))) return undefined;
    const known = this.balances.get(`${contract} ${data}`) ?? [];
    const amount = known.findLast((each) => each.height <= height)?.amount ?? 0n;
    return `0x${word(((amount % UINT256) + UINT256) % UINT256)}`;
  }

  private add(key: string, height: number, amount: bigint): void {
    const known = this.balances.get(key) ?? [];
    known.push({ height, amount: (known.at(-1)?.amount ?? 0n) + amount });
    this.balances.set(key, known);
  }
}

function dataOf(account: string, id: bigint | null): string {
  const owner = word(BigInt(account));
  return id === null ? `${SELECTORS[0]}${owner}` : `${SELECTORS[1]}${owner}${word(id)}`;
}

function word(value: bigint): string {
  return value.toString(16).padStart(WORD, '0');
}
