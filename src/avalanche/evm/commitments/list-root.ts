import { malformed } from '../evm.error.js';
import type { Hash } from '../rpc/hex-values.js';
import { keccak256, toHash } from './keccak.js';
import { RlpWriter } from './rlp.js';

/**
 * The root under which a header commits to a list: that of a Merkle Patricia trie from each position's RLP to the item's bytes
 * (Ethereum yellow paper, 4.3.2 and appendix D; libevm core/types/hashing.go, DeriveSha).
 * Throws EvmError `MALFORMED`.
 */
export function listRoot(items: readonly Uint8Array[]): Hash {
  if (items.length > MAX_ITEMS) throw malformed(`${items.length} transactions, which no block has`);
  if (items.length === 0) return EMPTY_ROOT;
  writeNode(items, 0, items.length, 0);
  return toHash(keccak256(rlp.written));
}

interface Key {
  /** RLP of an item's position, and how many half-bytes that has. No key is the beginning of another one. */
  readonly value: number;
  readonly length: number;
}

const MAX_ITEMS = 0x1_0000;
const EMPTY = Uint8Array.of(0x80);
const EMPTY_ROOT = toHash(keccak256(EMPTY));
const HASH_BYTES = 32;

const rlp = new RlpWriter();

/** The position of an item by its place in the order of keys: that of 0 is greater than those of one byte. */
function positionAt(place: number, count: number): number {
  const small = Math.min(count, 0x80) - 1;
  if (place < small) return place + 1;
  return place === small ? 0 : place;
}

function keyOf(position: number): Key {
  if (position === 0) return { value: 0x80, length: 2 };
  if (position < 0x80) return { value: position, length: 2 };
  if (position < 0x100) return { value: 0x81_00 + position, length: 4 };
  return { value: 0x82_00_00 + position, length: 6 };
}

function digitAt({ value, length }: Key, depth: number): number {
  return (value >> (4 * (length - 1 - depth))) & 15;
}

/** The node of the items from one place to before another one, whose keys agree up to `depth`; in place of what was written before. */
function writeNode(items: readonly Uint8Array[], start: number, end: number, depth: number): void {
  const position = positionAt(start, items.length);
  const first = keyOf(position);
  if (end === start + 1) {
    rlp.clear();
    writePath(first, depth, first.length, 2);
    rlp.bytes(items[position] ?? EMPTY);
    rlp.wrap(0);
    return;
  }
  const last = keyOf(positionAt(end - 1, items.length));
  let shared = depth;
  while (digitAt(first, shared) === digitAt(last, shared)) shared += 1;
  writeBranch(items, start, end, shared);
  if (shared === depth) return;
  const branch = reference();
  rlp.clear();
  writePath(first, depth, shared, 0);
  rlp.raw(branch);
  rlp.wrap(0);
}

function writeBranch(items: readonly Uint8Array[], start: number, end: number, depth: number): void {
  const children = Array<Uint8Array>(16).fill(EMPTY);
  for (let from = start; from < end;) {
    const digit = digitAt(keyOf(positionAt(from, items.length)), depth);
    let to = from + 1;
    while (to < end && digitAt(keyOf(positionAt(to, items.length)), depth) === digit) to += 1;
    writeNode(items, from, to, depth + 1);
    children[digit] = reference();
    from = to;
  }
  rlp.clear();
  for (const child of children) rlp.raw(child);
  rlp.raw(EMPTY);
  rlp.wrap(0);
}

/** To the node that was written, in its parent: its hash, or itself when it is small. */
function reference(): Uint8Array {
  if (rlp.length < HASH_BYTES) return rlp.copy();
  const hash = keccak256(rlp.written);
  rlp.clear();
  rlp.bytes(hash);
  return rlp.copy();
}

/** A part of a key as whole bytes, with a flag in front. */
function writePath({ value, length }: Key, from: number, to: number, flag: 0 | 2): void {
  const count = to - from;
  const digits = (value >> (4 * (length - to))) & (2 ** (4 * count) - 1);
  const isOdd = count % 2 === 1;
  const rest = count >> 1;
  if (rest > 0) rlp.byte(0x80 + 1 + rest);
  rlp.byte(isOdd ? ((flag + 1) << 4) + (digits >> (8 * rest)) : flag << 4);
  for (let shift = 8 * (rest - 1); shift >= 0; shift -= 8) rlp.byte((digits >> shift) & 0xff);
}
