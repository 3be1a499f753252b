import { WireType } from '@bufbuild/protobuf/wire';
import { AppRequestSchema, MessageSchema } from '../../proto/generated/p2p_pb.js';

const ENVELOPE_TAG = tagOf(MessageSchema.field.appRequest.number, WireType.LengthDelimited);
const CHAIN_ID_TAG = tagOf(AppRequestSchema.field.chainId.number, WireType.LengthDelimited);
const REQUEST_ID_TAG = tagOf(AppRequestSchema.field.requestId.number, WireType.Varint);
const DEADLINE_TAG = tagOf(AppRequestSchema.field.deadline.number, WireType.Varint);
const APP_BYTES_TAG = tagOf(AppRequestSchema.field.appBytes.number, WireType.LengthDelimited);

/** Bounds of what stands around the bytes: six tags and five numbers of at most eight bytes each. */
const MAX_VARINT_BYTES = 8;
const MAX_HEADER_BYTES = 2 * MAX_VARINT_BYTES;
const MAX_OVERHEAD_BYTES = 11 * MAX_VARINT_BYTES;

/**
 * The bytes that `encodeMessage` makes of an app request, without an object per field: one collection sends a thousand of them.
 * No field is empty or zero; the deadline is in nanoseconds and a safe integer.
 */
export function encodeAppRequest(request: {
  chainId: Uint8Array;
  requestId: number;
  deadline: number;
  appBytes: Uint8Array;
}): Uint8Array {
  const { chainId, requestId, deadline, appBytes } = request;
  const message = Buffer.allocUnsafe(MAX_OVERHEAD_BYTES + chainId.length + appBytes.length);
  let end = writeBytes(message, MAX_HEADER_BYTES, CHAIN_ID_TAG, chainId);
  end = writeVarint(message, writeVarint(message, end, REQUEST_ID_TAG), requestId);
  end = writeVarint(message, writeVarint(message, end, DEADLINE_TAG), deadline);
  end = writeBytes(message, end, APP_BYTES_TAG, appBytes);
  // The envelope has the body's length, which is known only now, so it is put right in front of it.
  const bodyBytes = end - MAX_HEADER_BYTES;
  const start = MAX_HEADER_BYTES - varintLength(ENVELOPE_TAG) - varintLength(bodyBytes);
  writeVarint(message, writeVarint(message, start, ENVELOPE_TAG), bodyBytes);
  return message.subarray(start, end);
}

function tagOf(fieldNumber: number, wireType: WireType): number {
  return fieldNumber * 8 + wireType;
}

/** These return where they ended. */
function writeBytes(target: Uint8Array, offset: number, tag: number, bytes: Uint8Array): number {
  const start = writeVarint(target, writeVarint(target, offset, tag), bytes.length);
  target.set(bytes, start);
  return start + bytes.length;
}

/** Seven bits a byte, the lowest first; the highest bit marks that more follow. */
function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let rest = value;
  let end = offset;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    target[end] = (rest % 0x80) + 0x80;
    end += 1;
  }
  target[end] = rest;
  return end + 1;
}

function varintLength(value: number): number {
  return value < 0x80 ? 1 : 1 + varintLength(Math.floor(value / 0x80));
}
