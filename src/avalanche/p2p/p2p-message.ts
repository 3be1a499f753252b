import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MessageSchema, type Message } from '../proto/generated/p2p_pb.js';
import { MAX_MESSAGE_BYTES } from './message-framing.js';
import { P2pError } from './p2p.error.js';
import { decompressZstd, packStoredZstd } from './zstd/zstd.js';

/** One message of a peer, unwrapped. `unknown` is one of the kinds that only nodes need. */
export type P2pMessage =
  | Exclude<Message['message'], { case: undefined } | { case: 'compressedZstd' }>
  | { case: 'unknown'; fieldNumber: number };

/** What `encodeMessage` takes: the kind and its fields; fields left out are zero. */
export type P2pMessageInit = Exclude<
  NonNullable<MessageInitShape<typeof MessageSchema>['message']>,
  { case?: undefined } | { case: 'compressedZstd' }
>;

const { field } = MessageSchema;

/**
 * Bodies of these kinds become one object per few bytes when decoded, so they are held far below the frame limit.
 * An honest peer list has at most 15 entries of about 3 kB; a handshake may carry a Bloom filter of all known peers.
 */
const MAX_BODY_BYTES: ReadonlyMap<number, number> = new Map([
  [field.ping.number, 1024],
  [field.pong.number, 1024],
  [field.handshake.number, 128 * 1024],
  [field.peerList.number, 128 * 1024],
  [field.getPeerList.number, 128 * 1024],
]);

const KNOWN_KINDS: ReadonlySet<number> = new Set(MessageSchema.fields.map(({ number }) => number));

/** Bytes of a p2p.Message without its frame. Never compressed: nodes accept every kind uncompressed. */
export function encodeMessage(message: P2pMessageInit): Uint8Array {
  return toBinary(MessageSchema, create(MessageSchema, { message }));
}

/**
 * The same message the way nodes send bulky kinds, inside `compressed_zstd`. The zstd frame is valid but stores its
 * content as it is: this exists to behave like a node, not to save bytes.
 */
export function encodeCompressedMessage(message: P2pMessageInit): Uint8Array {
  const value = packStoredZstd(encodeMessage(message));
  return toBinary(MessageSchema, create(MessageSchema, { message: { case: 'compressedZstd', value } }));
}

/**
 * Decodes one p2p.Message, compressed or not. Byte fields of the result may share memory with `bytes`.
 * @throws {P2pError} whatever the bytes are; nothing else is thrown. Nodes skip such messages and stay connected.
 */
export function decodeMessage(bytes: Uint8Array): P2pMessage {
  const outer = decodeOnce(bytes);
  if (outer.case !== 'compressedZstd') {
    return outer;
  }
  const inner = decodeOnce(decompressZstd(outer.value, MAX_MESSAGE_BYTES));
  if (inner.case === 'compressedZstd') {
    throw new P2pError('NESTED_COMPRESSION', 'a compressed message holds a compressed message');
  }
  return inner;
}

function decodeOnce(bytes: Uint8Array): P2pMessage | Extract<Message['message'], { case: 'compressedZstd' }> {
  const { fieldNumber, length } = readEnvelope(bytes);
  if (!KNOWN_KINDS.has(fieldNumber)) {
    return { case: 'unknown', fieldNumber };
  }
  if (length > (MAX_BODY_BYTES.get(fieldNumber) ?? MAX_MESSAGE_BYTES)) {
    throw new P2pError('MESSAGE_TOO_LARGE', `field ${fieldNumber} holds ${length} bytes`);
  }
  const { message } = parse(bytes);
  if (message.case === undefined) {
    throw new P2pError('MALFORMED_MESSAGE', 'the message holds nothing');
  }
  return message;
}

/** Reads which kind a message is. Every kind is a length-delimited field, and nodes write exactly one. */
function readEnvelope(bytes: Uint8Array): { fieldNumber: number; length: number } {
  try {
    const reader = new BinaryReader(bytes);
    const [fieldNumber, wireType] = reader.tag();
    const length = reader.uint32();
    if (wireType === WireType.LengthDelimited && length === reader.len - reader.pos) {
      return { fieldNumber, length };
    }
  } catch (cause) {
    throw new P2pError('MALFORMED_MESSAGE', 'not a p2p message', { cause });
  }
  throw new P2pError('MALFORMED_MESSAGE', 'a message is not one length-delimited field');
}

function parse(bytes: Uint8Array): Message {
  try {
    return fromBinary(MessageSchema, bytes, { readUnknownFields: false });
  } catch (cause) {
    throw new P2pError('MALFORMED_MESSAGE', 'not a p2p message', { cause });
  }
}
