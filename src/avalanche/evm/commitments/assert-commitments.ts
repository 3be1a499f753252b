import { BoundedMap } from '../../bounded-map.js';
import { EvmError } from '../evm.error.js';
import { asObject, type Hash, type Hex, readHash } from '../rpc/hex-values.js';
import { encodeExtraData, encodeHeader, encodeTransaction } from './encodings.js';
import { keccak256, toHash } from './keccak.js';
import { listRoot } from './list-root.js';

/** From before Apricot Phase 1, when headers did not commit to the extra data. */
const NO_HASH: Hash = `0x${'0'.repeat(64)}`;

/** A chain has some ten; a node may print whatever fields it likes, and these are remembered. */
const MAX_FORMS = 64;
const MAX_FORM_LENGTH = 4_096;

/**
 * Transactions as the node printed them against their header's root, and the hash of each. Who sent it is not checked: recovering
 * that from a signature takes longer than all the rest of a block. Nothing is, where there is one of a type that is not known.
 *
 * Throws EvmError `ROOT_MISMATCH`.
 */
export function assertTransactions(
  height: bigint,
  transactions: readonly unknown[],
  { hashes, root }: { readonly hashes: readonly Hash[]; readonly root: Hash },
): void {
  const encoded: Uint8Array[] = [];
  for (const [index, transaction] of transactions.entries()) {
    const bytes = encodeTransaction(transaction);
    if (bytes === undefined) return;
    if (hashOf(bytes) !== hashes[index]) {
      throw mismatch(height, `transaction ${index} is not that of its hash`);
    }
    encoded.push(bytes);
  }
  if (listRoot(encoded) !== root) {
    throw mismatch(height, 'its transactions are not those of its transactionsRoot');
  }
}

/**
 * Headers of one chain against their hashes. Which fields a header has depends on the chain's virtual machine and upgrades, and is
 * called its form here: a hash is proof only where another header of the same form was hashed in the same way.
 */
export class HeaderForms {
  private readonly known = new BoundedMap<string, true>(MAX_FORMS);

  /** Throws EvmError `ROOT_MISMATCH`. */
  assertHash(
    { height, hash, blockExtraData }: { height: bigint; hash: Hash; blockExtraData: Hex | null },
    value: unknown,
  ): void {
    const header = asObject(value, 'block');
    const form = Object.keys(header).join();
    const encoded = encodeHeader(header);
    if (encoded === undefined || hashOf(encoded) !== hash) {
      if (this.known.has(form)) throw mismatch(height, 'its header is not that of its hash');
    } else if (form.length <= MAX_FORM_LENGTH) {
      this.known.set(form, true);
    }
    const { extDataHash = NO_HASH } = header;
    if (extDataHash === NO_HASH) return;
    const committed = readHash(extDataHash, 'hash of the extra data');
    if (hashOf(encodeExtraData(blockExtraData ?? '0x')) === committed) return;
    throw mismatch(height, 'its extra data is not that of its extDataHash');
  }
}

function hashOf(bytes: Uint8Array): Hash {
  return toHash(keccak256(bytes));
}

function mismatch(height: bigint, what: string): EvmError {
  return new EvmError('ROOT_MISMATCH', `block ${height}: ${what}`);
}
