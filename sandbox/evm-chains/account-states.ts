import type { Address } from '../../src/avalanche/evm/rpc/hex-values.js';
import { parseAtomicTransactions } from '../../src/avalanche/evm/blocks/atomic-transactions.js';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import type { EvmRecording, RecordedEvmBlock } from '../recording/evm-recording.js';

/** Balance of each account at the start of a generated chain, so that nobody ever lacks anything. */
const FIRST_BALANCE = 2n ** 200n;

interface StateAt {
  readonly height: number;
  readonly nonce: bigint;
  readonly balance: bigint;
}

const NOBODY: Omit<StateAt, 'height'> = { nonce: 0n, balance: 0n };

/**
 * Nonces of a chain's accounts after each block, and balances where nobody wrote them down: worked out from transactions, receipts and
 * traces. Of a generated chain accounts begin with more than they can spend.
 */
export class AccountStates {
  /** Ascending by height. */
  private readonly states = new Map<string, StateAt[]>();

  private readonly first: bigint;

  /** `given`: amounts that are in no transaction; then nobody has anything else to begin with. */
  constructor({ blocks, atomic: given }: Pick<EvmRecording, 'blocks' | 'atomic'>) {
    this.first = given.length === 0 ? FIRST_BALANCE : 0n;
    for (const [height, block] of blocks.entries()) {
      for (const { address, amount } of given.filter((each) => each.height === height)) {
        this.change(address, { height, nonce: 0n, balance: BigInt(amount) });
      }
      this.apply(height, block);
    }
  }

  nonce(address: Address, height: number): bigint {
    return this.at(address, height).nonce;
  }

  balance(address: Address, height: number): bigint {
    return this.first + this.at(address, height).balance;
  }

  private at(address: Address, height: number): Omit<StateAt, 'height'> {
    const states = this.states.get(address) ?? [];
    let [low, high] = [0, states.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((states[middle]?.height ?? 0) <= height) low = middle + 1;
      else high = middle;
    }
    return states[low - 1] ?? NOBODY;
  }

  private apply(height: number, { block, receipts, traces }: RecordedEvmBlock): void {
    const change = (address: unknown, nonce: bigint, balance: bigint): void =>
      this.change(String(address), { height, nonce, balance });
    const move = (from: unknown, to: unknown, amount: bigint): void => {
      change(from, 0n, -amount);
      change(to, 0n, amount);
    };
    for (const [index, { from, to, value, gasPrice }] of block.transactions.entries()) {
      const receipt = receipts[index];
      const isSuccess = receipt?.['status'] !== '0x0';
      const created = isSuccess ? receipt?.['contractAddress'] : null;
      change(from, 1n, 0n);
      move(
        from,
        block['miner'],
        quantity(receipt?.['gasUsed']) * quantity(receipt?.['effectiveGasPrice'] ?? gasPrice),
      );
      if (isSuccess) move(from, to ?? created, quantity(value));
      if (isSuccess && to === null) change(created, 1n, 0n);
      if (isSuccess) applyCalls(traces?.[index]?.result['calls'], { change, move });
    }
    for (const address of exporters(block['blockExtraData'])) change(address, 1n, 0n);
  }

  private change(address: string, { height, nonce, balance }: StateAt): void {
    const states = this.states.get(address) ?? [];
    const last = states.at(-1) ?? { height: -1, ...NOBODY };
    const next = { height, nonce: last.nonce + nonce, balance: last.balance + balance };
    if (last.height === height) states[states.length - 1] = next;
    else states.push(next);
    this.states.set(address, states);
  }
}

interface Effects {
  readonly change: (address: unknown, nonce: bigint, balance: bigint) => void;
  readonly move: (from: unknown, to: unknown, amount: bigint) => void;
}

/** A call that failed has no effect, and neither have its own calls. */
function applyCalls(calls: unknown, effects: Effects): void {
  if (!Array.isArray(calls)) return;
  for (const call of calls as readonly Readonly<Record<string, unknown>>[]) {
    const { type, from, to, value, error } = call;
    if (error !== undefined) continue;
    const isCreation = type === 'CREATE' || type === 'CREATE2';
    if (isCreation) {
      effects.change(from, 1n, 0n);
      effects.change(to, 1n, 0n);
    }
    if (isCreation || type === 'CALL' || type === 'SELFDESTRUCT') effects.move(from, to, quantity(value));
    applyCalls(call['calls'], effects);
  }
}

/** Each once for each export that takes something from it. */
function exporters(extraData: unknown): Address[] {
  if (typeof extraData !== 'string' || extraData === '0x') return [];
  return parseAtomicTransactions(fromHex(extraData)).flatMap(({ unsigned }): Address[] =>
    unsigned.type === 'Import'
      ? []
      : [...new Set(unsigned.inputs.map(({ address }): Address => `0x${address}`))],
  );
}

function quantity(value: unknown): bigint {
  return typeof value === 'string' ? BigInt(value) : 0n;
}
