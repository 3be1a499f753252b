import { CodecError } from '../../codec/codec.error.js';
import { Unpacker } from '../../codec/unpacker.js';
import { sha256Id } from '../../platformvm/codec/sha256.js';
import type { Id } from '../../platformvm/ids.js';
import { AvmError } from '../avm.error.js';
import { ID_LENGTH } from '../../ids/id.js';

/** avalanchego v1.15.0 snow/engine/avalanche/vertex, stateless_vertex.go and codec.go. */
const VERSION = 0;
const STOP_VERTEX_VERSION = 1;
const MAX_BYTES = 1024 * 1024;
const MAX_PARENTS = 128;
const MAX_TRANSACTIONS = 128;

const LENGTH_BYTES = 4;

/** A vertex of the X-chain from the time before it was a line of blocks. Only the last of all, the stop vertex, has no transaction. */
export interface Vertex {
  /** sha256 of its bytes. */
  readonly id: Id;
  readonly chainId: Id;
  readonly height: bigint;
  /** Ascending. */
  readonly parentIds: readonly Id[];
  /** Each whole, with its codec version; ascending by the sha256 of their bytes, which is their id. */
  readonly transactions: readonly Uint8Array[];
}

/** The input is untrusted. Throws AvmError MALFORMED. */
export function parseVertex(bytes: Uint8Array): Vertex {
  try {
    if (bytes.length > MAX_BYTES) throw tooMany('bytes', bytes.length, MAX_BYTES);
    const unpacker = new Unpacker(bytes);
    const fields = unpackVertex(unpacker);
    unpacker.finish();
    expectAscending('parents', fields.parentIds, MAX_PARENTS);
    expectAscending('transactions', fields.transactions.map(sha256Id), MAX_TRANSACTIONS);
    return { id: sha256Id(bytes), ...fields };
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause;
    throw new AvmError('MALFORMED', `not a vertex of the X-chain: ${cause.message}`, { cause });
  }
}

function unpackVertex(unpacker: Unpacker): Omit<Vertex, 'id'> {
  const version = unpacker.unpackShort();
  const isStop = version === STOP_VERTEX_VERSION;
  if (!isStop && version !== VERSION) {
    throw new CodecError('UNKNOWN_CODEC_VERSION', `codec version ${version} is not known`);
  }
  const chainId = unpacker.unpackHex(ID_LENGTH);
  const height = unpacker.unpackLong();
  if (!isStop && unpacker.unpackInt() !== 0) throw new CodecError('INVALID_VALUE', 'an epoch other than 0');
  const parentIds = unpacker.unpackList(ID_LENGTH, () => unpacker.unpackHex(ID_LENGTH));
  if (isStop) return { chainId, height, parentIds, transactions: [] };
  const transactions = unpacker.unpackList(LENGTH_BYTES, () => unpacker.unpackBytes());
  if (transactions.length === 0) throw new CodecError('INVALID_VALUE', 'no transactions');
  return { chainId, height, parentIds, transactions };
}

function expectAscending(what: string, ids: readonly Id[], max: number): void {
  if (ids.length > max) throw tooMany(what, ids.length, max);
  const isAscending = ids.every((id, i) => i === 0 || (ids[i - 1] ?? id) < id);
  if (!isAscending) throw new CodecError('INVALID_VALUE', `${what} out of order, or twice`);
}

function tooMany(what: string, count: number, max: number): CodecError {
  return new CodecError('LENGTH_OUT_OF_RANGE', `${count} ${what}, at most ${max} allowed`);
}
