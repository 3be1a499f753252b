import type { Packer } from '../../codec/packer.js';
import { BLOCK_TYPE_IDS, type Block, type BlockType } from '../block.js';
import type { Id } from '../ids.js';
import { constant, id, list, struct, uint64, unknownTypeId, type Field } from './field.js';
import { packWith, parseWith } from './parse.js';
import { sha256Id } from './sha256.js';
import { transaction } from './transaction.js';

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** A block as it is packed; its id follows from the bytes. */
export type BlockFields = WithoutId<Block>;

type BlockByType = { readonly [B in BlockFields as B['type']]: B };

const common = { parentId: id, height: uint64 };
const transactions = list(transaction);

/** avalanchego v1.14.2 vms/platformvm/block/*_block.go; Banff puts its time before everything else. */
const BODIES: { readonly [K in BlockType]: Field<BlockByType[K]> } = {
  ApricotProposal: struct<BlockByType['ApricotProposal']>({
    type: constant('ApricotProposal'),
    ...common,
    transaction,
  }),
  ApricotAbort: struct<BlockByType['ApricotAbort']>({ type: constant('ApricotAbort'), ...common }),
  ApricotCommit: struct<BlockByType['ApricotCommit']>({ type: constant('ApricotCommit'), ...common }),
  ApricotStandard: struct<BlockByType['ApricotStandard']>({
    type: constant('ApricotStandard'),
    ...common,
    transactions,
  }),
  ApricotAtomic: struct<BlockByType['ApricotAtomic']>({
    type: constant('ApricotAtomic'),
    ...common,
    transaction,
  }),
  BanffProposal: struct<BlockByType['BanffProposal']>({
    type: constant('BanffProposal'),
    time: uint64,
    transactions,
    ...common,
    transaction,
  }),
  BanffAbort: struct<BlockByType['BanffAbort']>({ type: constant('BanffAbort'), time: uint64, ...common }),
  BanffCommit: struct<BlockByType['BanffCommit']>({
    type: constant('BanffCommit'),
    time: uint64,
    ...common,
  }),
  BanffStandard: struct<BlockByType['BanffStandard']>({
    type: constant('BanffStandard'),
    time: uint64,
    ...common,
    transactions,
  }),
};

const BY_TYPE_ID: ReadonlyMap<number, Field<BlockFields>> = new Map(
  Object.entries(BLOCK_TYPE_IDS).map(([type, typeId]) => [
    typeId,
    BODIES[type as BlockType] as Field<BlockFields>,
  ]),
);

const blockFields: Field<BlockFields> = {
  minBytes: 4,
  unpack: (unpacker) => {
    const { offset } = unpacker;
    const typeId = unpacker.unpackInt();
    const body = BY_TYPE_ID.get(typeId);
    if (!body) throw unknownTypeId('block', typeId, offset);
    return body.unpack(unpacker);
  },
  pack: (packer, value) => packBody(packer.packInt(BLOCK_TYPE_IDS[value.type]), value.type, value),
};

function packBody<K extends BlockType>(packer: Packer, type: K, value: BlockByType[K]): void {
  BODIES[type].pack(packer, value);
}

/**
 * A P-chain block without its proposervm envelope, and with everything in it.
 * The input is untrusted. Throws PlatformVmError MALFORMED and UNKNOWN_TYPE_ID.
 */
export function parseBlock(bytes: Uint8Array): Block {
  return { id: blockId(bytes), ...parseWith('block', bytes, blockFields.unpack) };
}

/** What `parseBlock` reads. Throws CodecError when a value does not fit its field. */
export function packBlock(block: BlockFields): Uint8Array {
  return packWith(blockFields, block);
}

/** sha256 of a block's bytes without an envelope. */
export function blockId(bytes: Uint8Array): Id {
  return sha256Id(bytes);
}
