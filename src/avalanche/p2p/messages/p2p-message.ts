import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MessageSchema, type Message } from '../../proto/generated/p2p_pb.js';
import { MAX_MESSAGE_BYTES } from './message-framing.js';
import { P2pError } from '../p2p.error.js';
import { decompressZstd, packStoredZstd } from '../zstd/zstd.js';

/** One message of a peer, unwrapped. `unknown` is one of the kinds that only nodes need. */
export type P2pMessage =
  | Exclude<Message['message'], { case: undefined } | { case: 'compressedZstd' }>
  | { case: 'unknown'; fieldNumber: number };

/** Argument of `encodeMessage`: the kind and its fields; fields left out are zero. */
export type P2pMessageInit = Exclude<
  NonNullable<MessageInitShape<typeof MessageSchema>['message']>,
  { case?: undefined } | { case: 'compressedZstd' }
>;

/** The kinds by name. */
export type P2pMessageKind = P2pMessage['case'];

/** A message whose kind is known and whose body has not been read: most can be ignored at this point. */
export interface OpenedMessage {
  readonly kind: P2pMessageKind;
  readonly fieldNumber: number;
  /** The whole message, expanded. */
  readonly bytes: Uint8Array;
}

const { field } = MessageSchema;

const KIND_BY_FIELD: ReadonlyMap<number, Exclude<P2pMessageKind, 'unknown'>> = new Map([
  [field.ping.number, 'ping'],
  [field.pong.number, 'pong'],
  [field.handshake.number, 'handshake'],
  [field.peerList.number, 'peerList'],
  [field.getAccepted.number, 'getAccepted'],
  [field.accepted.number, 'accepted'],
  [field.getAncestors.number, 'getAncestors'],
  [field.ancestors.number, 'ancestors'],
  [field.get.number, 'get'],
  [field.put.number, 'put'],
  [field.pullQuery.number, 'pullQuery'],
  [field.chits.number, 'chits'],
  [field.appRequest.number, 'appRequest'],
  [field.appResponse.number, 'appResponse'],
  [field.appGossip.number, 'appGossip'],
  [field.appError.number, 'appError'],
  [field.getPeerList.number, 'getPeerList'],
]);

/** Nodes put no more into an answer (avalanchego v1.15.0 snow/engine/snowman/bootstrap, AncestorsMaxContainersSent). */
export const MAX_ANCESTORS = 2_000;

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
  [field.getAccepted.number, 16 * 1024],
  [field.accepted.number, 16 * 1024],
  [field.getAncestors.number, 1024],
  [field.get.number, 1024],
  [field.pullQuery.number, 1024],
  [field.chits.number, 1024],
]);

/** A million small fields take a million steps to decode. No other body than that of ancestors has so many, lists included. */
const MAX_FIELDS = 64;

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
 * Throws P2pError whatever the bytes are; nothing else is thrown. Nodes skip such messages and stay connected.
 */
export function decodeMessage(bytes: Uint8Array): P2pMessage {
  return readMessage(openMessage(bytes));
}

/**
 * Expands a message and finds its kind, which costs little more than its expanded length. That length is passed to `onExpanded` also when
 * the message turns out to be malformed.
 * Throws P2pError.
 */
export function openMessage(bytes: Uint8Array, onExpanded?: (byteCount: number) => void): OpenedMessage {
  const outer = readEnvelope(bytes);
  if (outer.fieldNumber !== field.compressedZstd.number) {
    return nameKind(outer.fieldNumber, bytes);
  }
  const expanded = decompressZstd(outer.body, MAX_MESSAGE_BYTES, onExpanded);
  const inner = readEnvelope(expanded);
  if (inner.fieldNumber === field.compressedZstd.number) {
    throw new P2pError('NESTED_COMPRESSION', 'a compressed message holds a compressed message');
  }
  return nameKind(inner.fieldNumber, expanded);
}

/**
 * Reads the body of an opened message.
 * Throws P2pError.
 */
export function readMessage({ kind, fieldNumber, bytes }: OpenedMessage): P2pMessage {
  if (kind === 'unknown') {
    return { case: kind, fieldNumber };
  }
  if (bytes.length > (MAX_BODY_BYTES.get(fieldNumber) ?? MAX_MESSAGE_BYTES)) {
    throw new P2pError('MESSAGE_TOO_LARGE', `a ${kind} of ${bytes.length} bytes`);
  }
  // The containers, the chain and the request.
  assertFewFields(kind, bytes, kind === 'ancestors' ? MAX_ANCESTORS + 2 : MAX_FIELDS);
  const { message } = parse(bytes);
  if (message.case === undefined || message.case === 'compressedZstd') {
    throw new P2pError('MALFORMED_MESSAGE', 'the message holds nothing');
  }
  return message;
}

function nameKind(fieldNumber: number, bytes: Uint8Array): OpenedMessage {
  return { kind: KIND_BY_FIELD.get(fieldNumber) ?? 'unknown', fieldNumber, bytes };
}

/** Reads which kind a message is. Every kind is a length-delimited field, and nodes write exactly one. */
function readEnvelope(bytes: Uint8Array): { fieldNumber: number; body: Uint8Array } {
  try {
    const reader = new BinaryReader(bytes);
    const [fieldNumber, wireType] = reader.tag();
    const body = reader.bytes();
    if (wireType === WireType.LengthDelimited && reader.pos === reader.len) {
      return { fieldNumber, body };
    }
  } catch (cause) {
    throw new P2pError('MALFORMED_MESSAGE', 'not a p2p message', { cause });
  }
  throw new P2pError('MALFORMED_MESSAGE', 'a message is not one length-delimited field');
}

/** Looks no further than the limit. A group, which no message has, may hold any number. */
function assertFewFields(kind: P2pMessageKind, bytes: Uint8Array, max: number): void {
  let fields = 0;
  try {
    const reader = new BinaryReader(bytes);
    reader.tag();
    for (reader.uint32(); reader.pos < reader.len && fields <= max; fields += 1) {
      const [fieldNumber, wireType] = reader.tag();
      if (wireType === WireType.StartGroup) throw new P2pError('MALFORMED_MESSAGE', 'a group');
      reader.skip(wireType, fieldNumber);
    }
  } catch (cause) {
    throw new P2pError('MALFORMED_MESSAGE', 'not a p2p message', { cause });
  }
  if (fields > max) throw new P2pError('MESSAGE_TOO_LARGE', `a ${kind} of more than ${max} fields`);
}

function parse(bytes: Uint8Array): Message {
  try {
    return fromBinary(MessageSchema, bytes, { readUnknownFields: false });
  } catch (cause) {
    throw new P2pError('MALFORMED_MESSAGE', 'not a p2p message', { cause });
  }
}
