import { BinaryReader } from '@bufbuild/protobuf/wire';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { loadVectors } from '../../../../test/support/vectors.js';
import { fromHex, toHex } from '../../ids/hex.js';
import {
  APP_ERROR_CODES,
  packSignatureRequest,
  packSignatureResponse,
  SIGNATURE_REQUEST_HANDLER_ID,
  unpackSignatureRequest,
  unpackSignatureResponse,
} from './acp118.js';
import { P2pError } from '../p2p.error.js';

interface Vectors {
  genericErrorCodes: Record<string, number>;
  handlerID: number;
  requests: { appBytes: string; message: string; justification: string }[];
  responses: { appBytes: string; signature: string }[];
}

const vectors = loadVectors<Vectors>('acp118');

describe('the messages of ACP-118', () => {
  it('use the handler and the error codes of avalanchego', () => {
    expect(SIGNATURE_REQUEST_HANDLER_ID).toBe(vectors.handlerID);
    expect(APP_ERROR_CODES).toEqual(vectors.genericErrorCodes);
  });

  it.each(vectors.requests)('pack and unpack the request $appBytes', (vector) => {
    const request = { message: fromHex(vector.message), justification: fromHex(vector.justification) };
    expect(toHex(packSignatureRequest(request))).toBe(vector.appBytes);
    expect(unpackSignatureRequest(fromHex(vector.appBytes))).toEqual(request);
  });

  it.each(vectors.responses)('pack and unpack the response $appBytes', ({ appBytes, signature }) => {
    expect(toHex(packSignatureResponse(fromHex(signature)))).toBe(appBytes);
    expect(toHex(unpackSignatureResponse(fromHex(appBytes)))).toBe(signature);
  });

  it('are refused for another handler', () => {
    expect(() => unpackSignatureRequest(Uint8Array.of(1, 0x0a, 0))).toThrow(P2pError);
    expect(() => unpackSignatureRequest(new Uint8Array())).toThrow(P2pError);
  });

  it('are refused undecoded where no signature takes so many bytes', () => {
    const skip = jest.spyOn(BinaryReader.prototype, 'skip');
    expect(() => unpackSignatureResponse(new Uint8Array(2_000_000).fill(0x10))).toThrow(P2pError);
    expect(skip).not.toHaveBeenCalled();
    skip.mockRestore();
  });

  it('are made of any bytes, or refused with an error of their own', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        for (const unpack of [
          unpackSignatureResponse,
          (b: Uint8Array) => unpackSignatureRequest(Uint8Array.of(2, ...b)),
        ]) {
          try {
            unpack(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(P2pError);
          }
        }
      }),
    );
  });
});
