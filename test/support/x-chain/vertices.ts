import fc from 'fast-check';
import type { Vertex } from '../../../src/avalanche/avm/codec/vertex.js';
import { Packer } from '../../../src/avalanche/codec/packer.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { sha256Id } from '../../../src/avalanche/platformvm/codec/sha256.js';
import { field } from '../codec-properties.js';

export type VertexFields = Omit<Vertex, 'id'> & {
  /** Whether it is the stop vertex: where there are no transactions, when left out. */
  readonly isStop?: boolean;
  readonly epoch?: number;
};

/** A vertex for `parseVertex`, with its parts in any order. */
export function packVertex(fields: VertexFields): Uint8Array {
  const { chainId, height, parentIds, transactions, epoch = 0 } = fields;
  const isStop = fields.isStop ?? transactions.length === 0;
  const packer = new Packer(4 * 1024 * 1024).packShort(isStop ? 1 : 0);
  packer.packFixedBytes(fromHex(chainId), 32).packLong(height);
  if (!isStop) packer.packInt(epoch);
  packer.packInt(parentIds.length);
  for (const id of parentIds) packer.packFixedBytes(fromHex(id), 32);
  if (!isStop) {
    packer.packInt(transactions.length);
    for (const bytes of transactions) packer.packBytes(bytes);
  }
  return packer.toBytes();
}

/** In the order in which a vertex has them. */
export function sortByHash(transactions: readonly Uint8Array[]): Uint8Array[] {
  return [...transactions].sort((a, b) => (sha256Id(a) < sha256Id(b) ? -1 : 1));
}

const id = field.id.map(toHex);
const parentIds = fc.uniqueArray(id, { maxLength: 5 }).map((ids) => ids.sort());
const transactions = fc
  .uniqueArray(field.blob(60), { minLength: 1, maxLength: 4, selector: toHex })
  .map(sortByHash);

export const anyVertex: fc.Arbitrary<VertexFields> = fc.record({
  chainId: id,
  height: field.uint64,
  parentIds,
  transactions: fc.oneof(transactions, fc.constant<Uint8Array[]>([])),
});
