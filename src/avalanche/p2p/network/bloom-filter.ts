import { createHash, randomBytes } from 'node:crypto';
import { P2pError } from '../p2p.error.js';

/** Limits of a filter and of its salt, beyond which nodes close the connection (avalanchego v1.15.0 utils/bloom). */
const MAX_BLOOM_HASHES = 16;
export const MAX_BLOOM_SALT_BYTES = 32;

const SEED_BYTES = 8;
const MIN_HASHES = 1;
const MIN_ENTRY_BYTES = 1;
const HASH_ROTATION = 17n;
const UINT64_MASK = 2n ** 64n - 1n;

/** Smallest legal filter: one seed, one byte of bits, contains nothing. */
export const EMPTY_BLOOM_FILTER: Uint8Array = new Uint8Array([
  1,
  ...new Uint8Array(SEED_BYTES + MIN_ENTRY_BYTES),
]);

/**
 * The set of known addresses that a node is asked not to send again: count of seeds (one byte), the seeds of 8 bytes,
 * then the bits, lowest first in each byte (avalanchego v1.15.0 utils/bloom/{filter,read_filter}.go).
 */
export class BloomFilter {
  private constructor(
    private readonly seeds: readonly bigint[],
    private readonly entries: Uint8Array,
  ) {}

  /** An empty filter of `entryBytes` bytes of bits with these seeds of 64 bits. */
  static withSeeds(seeds: readonly bigint[], entryBytes: number): BloomFilter {
    return new BloomFilter(seeds, new Uint8Array(entryBytes));
  }

  /** An empty filter with random seeds, sized for `count` keys. */
  static forCount(count: number, falsePositiveProbability: number): BloomFilter {
    const { hashes, entryBytes } = optimalBloomParameters(count, falsePositiveProbability);
    const seeds = Array.from({ length: hashes }, () => randomBytes(SEED_BYTES).readBigUInt64BE());
    return BloomFilter.withSeeds(seeds, entryBytes);
  }

  /** Throws P2pError `INVALID_BLOOM_FILTER`. */
  static fromBytes(bytes: Uint8Array): BloomFilter {
    const hashes = bytes[0] ?? 0;
    const entriesOffset = 1 + hashes * SEED_BYTES;
    if (hashes < MIN_HASHES || hashes > MAX_BLOOM_HASHES || bytes.length < entriesOffset + MIN_ENTRY_BYTES) {
      throw new P2pError('INVALID_BLOOM_FILTER', `a filter of ${bytes.length} bytes with ${hashes} hashes`);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const seeds = Array.from({ length: hashes }, (_, i) => view.getBigUint64(1 + i * SEED_BYTES));
    return new BloomFilter(seeds, bytes.slice(entriesOffset));
  }

  add(hash: bigint): void {
    for (const bit of this.bitsOf(hash)) {
      this.entries[bit >>> 3] = (this.entries[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  has(hash: bigint): boolean {
    return this.bitsOf(hash).every((bit) => (((this.entries[bit >>> 3] ?? 0) >> (bit & 7)) & 1) === 1);
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(1 + this.seeds.length * SEED_BYTES + this.entries.length);
    const view = new DataView(bytes.buffer);
    view.setUint8(0, this.seeds.length);
    this.seeds.forEach((seed, i) => view.setBigUint64(1 + i * SEED_BYTES, seed));
    bytes.set(this.entries, 1 + this.seeds.length * SEED_BYTES);
    return bytes;
  }

  private bitsOf(hash: bigint): number[] {
    const bitCount = BigInt(this.entries.length * 8);
    let current = hash;
    return this.seeds.map((seed) => {
      current = (((current << HASH_ROTATION) | (current >> (64n - HASH_ROTATION))) & UINT64_MASK) ^ seed;
      return Number(current % bitCount);
    });
  }
}

/** Entry of a filter for a key: the first eight bytes of sha256 of key and salt. */
export function bloomHash(key: Uint8Array, salt: Uint8Array): bigint {
  return createHash('sha256').update(key).update(salt).digest().readBigUInt64BE();
}

/** Size and number of hashes for `count` keys at a probability of false positives (utils/bloom/optimal.go). */
export function optimalBloomParameters(
  count: number,
  falsePositiveProbability: number,
): { hashes: number; entryBytes: number } {
  const bits = (-count * Math.log(falsePositiveProbability)) / Math.LN2 ** 2;
  const entryBytes = Math.max(MIN_ENTRY_BYTES, Math.floor((bits + 7) / 8));
  const hashes = Math.ceil(((entryBytes * 8) / Math.max(count, 1)) * Math.LN2);
  return { hashes: Math.min(MAX_BLOOM_HASHES, Math.max(MIN_HASHES, hashes)), entryBytes };
}
