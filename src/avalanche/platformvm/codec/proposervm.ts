import { CodecError } from '../../codec/codec.error.js';
import { packTypedBlob, unpackAnyTypedBlob } from '../../codec/codec.js';
import type { Id } from '../ids.js';
import { bytes, constant, id, struct, uint64, type Field, type ValueOf } from './field.js';
import { MAX_BYTES } from './bounded-blob.js';
import { sha256Id } from './sha256.js';

/** Type ids of the proposervm's own codec (avalanchego v1.14.2 vms/proposervm/block/codec.go). */
const TYPE_IDS = { block: 0, option: 1, graniteBlock: 2 } as const;

const LENGTH_BYTES = 4;

/** Around blocks since Apricot Phase 4. */
const proposal = {
  type: constant('block'),
  parentId: id, // the container before this one
  timestamp: uint64, // UNIX seconds at which it was built; not the P-chain's time
  pChainHeight: uint64,
  certificate: bytes, // the proposer's, DER; empty when anybody might propose
  inner: bytes,
};

const epoch = struct({ pChainHeight: uint64, number: uint64, startTime: uint64 });

export type Epoch = ValueOf<typeof epoch>;

/** avalanchego v1.14.2 vms/proposervm/block/block.go and option.go. */
const block = struct({ ...proposal, epoch: constant(null), signature: bytes });
const graniteBlock = struct({ ...proposal, epoch, signature: bytes });

/** Around the block that decides about a proposal. */
const option = struct({ type: constant('option'), parentId: id, inner: bytes });

export type Envelope = ValueOf<typeof block | typeof graniteBlock | typeof option>;

const UNPACK_BY_TYPE_ID: ReadonlyMap<number, Field<Envelope>['unpack']> = new Map<
  number,
  Field<Envelope>['unpack']
>([
  [TYPE_IDS.block, block.unpack],
  [TYPE_IDS.option, option.unpack],
  [TYPE_IDS.graniteBlock, graniteBlock.unpack],
]);

/**
 * The block itself, without what the proposervm puts around it; `envelope` is null for blocks from before Apricot
 * Phase 4, and for what getBlock gives. An Apricot block's type id may be that of an envelope, so it is decided as
 * nodes do (avalanchego v1.14.2 vms/proposervm/vm.go, parseBlock): an envelope is what can be read as one from the
 * first to the last byte. Certificate and signature are not checked. Throws nothing.
 */
export function unwrapBlock(container: Uint8Array): {
  readonly inner: Uint8Array;
  readonly envelope: Envelope | null;
} {
  const envelope = parseEnvelope(container);
  return { inner: envelope?.inner ?? container, envelope };
}

/** The container that `unwrapBlock` opens. Throws CodecError when a value does not fit its field. */
export function wrapBlock(envelope: Envelope): Uint8Array {
  if (envelope.type === 'option') {
    return packTypedBlob(TYPE_IDS.option, (packer) => option.pack(packer, envelope), MAX_BYTES);
  }
  const { epoch } = envelope;
  return epoch === null
    ? packTypedBlob(TYPE_IDS.block, (packer) => block.pack(packer, { ...envelope, epoch }), MAX_BYTES)
    : packTypedBlob(
        TYPE_IDS.graniteBlock,
        (packer) => graniteBlock.pack(packer, { ...envelope, epoch }),
        MAX_BYTES,
      );
}

/**
 * Id of a container, by which other containers and the index API name it; a block without an envelope has its own.
 * It covers everything but the signature, which is of this id.
 */
export function containerId(container: Uint8Array): Id {
  const envelope = parseEnvelope(container);
  const signatureBytes = envelope?.type === 'block' ? LENGTH_BYTES + envelope.signature.length : 0;
  return sha256Id(container.subarray(0, container.length - signatureBytes));
}

function parseEnvelope(container: Uint8Array): Envelope | null {
  try {
    const envelope = unpackAnyTypedBlob(container, UNPACK_BY_TYPE_ID, MAX_BYTES);
    return envelope.inner.length > 0 ? envelope : null;
  } catch (error) {
    if (error instanceof CodecError) return null;
    throw error;
  }
}
