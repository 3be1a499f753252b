import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { SignatureRequestSchema, SignatureResponseSchema } from '../../proto/generated/sdk_pb.js';
import { P2pError } from '../p2p.error.js';

/** Handler id of signature requests; a uvarint in front of the body of every app request to an SDK handler. */
export const SIGNATURE_REQUEST_HANDLER_ID = 2;

/** Error codes that any virtual machine may answer with (avalanchego network/p2p/error.go); its own are positive. */
export const APP_ERROR_CODES = {
  unexpected: -1,
  unregisteredHandler: -2,
  notValidator: -3,
  throttled: -4,
} as const;

/** A signature has 96. A longer answer is not even decoded: it may be a million fields. */
const MAX_RESPONSE_BYTES = 1024;

export interface SignatureRequest {
  /** Bytes of the unsigned warp message. */
  message: Uint8Array;
  /** Only P-chain messages need one; empty otherwise. */
  justification: Uint8Array;
}

/** Body of an ACP-118 app request: handler id, then the protobuf SignatureRequest. */
export function packSignatureRequest(request: SignatureRequest): Uint8Array {
  const body = toBinary(SignatureRequestSchema, create(SignatureRequestSchema, request));
  const appBytes = new Uint8Array(1 + body.length);
  appBytes[0] = SIGNATURE_REQUEST_HANDLER_ID;
  appBytes.set(body, 1);
  return appBytes;
}

/**
 * Reverse of `packSignatureRequest`. Neither field is checked.
 * Throws P2pError `MALFORMED_APP_BYTES` for another handler or for bytes that are no protobuf.
 */
export function unpackSignatureRequest(appBytes: Uint8Array): SignatureRequest {
  if (appBytes[0] !== SIGNATURE_REQUEST_HANDLER_ID) {
    throw new P2pError(
      'MALFORMED_APP_BYTES',
      `handler ${appBytes[0] ?? 'none'} is not the one for signatures`,
    );
  }
  return parse(() => {
    const { message, justification } = fromBinary(SignatureRequestSchema, appBytes.subarray(1));
    return { message, justification };
  });
}

/** Body of an ACP-118 app response: the protobuf SignatureResponse, without a prefix. */
export function packSignatureResponse(signature: Uint8Array): Uint8Array {
  return toBinary(SignatureResponseSchema, create(SignatureResponseSchema, { signature }));
}

/**
 * The signature bytes of an app response, of any length (none at all means "not available"): checking the length, the
 * point and the signature is the caller's task.
 * Throws P2pError `MALFORMED_APP_BYTES`.
 */
export function unpackSignatureResponse(appBytes: Uint8Array): Uint8Array {
  if (appBytes.length > MAX_RESPONSE_BYTES) {
    throw new P2pError('MALFORMED_APP_BYTES', `${appBytes.length} bytes are no signature`);
  }
  return parse(() => fromBinary(SignatureResponseSchema, appBytes).signature);
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new P2pError('MALFORMED_APP_BYTES', 'not a protobuf message', { cause });
  }
}
