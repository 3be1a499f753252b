import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters, keccak256 } from 'viem/utils';
import type { Hex } from '../evm/rpc/hex-values.js';
import { messageIdOf } from './message-id.js';

const bytes = (length: number): fc.Arbitrary<Hex> =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((array): Hex => `0x${Buffer.from(array).toString('hex')}`);

describe(messageIdOf.name, () => {
  it('hashes contract, source, destination and nonce as Solidity encodes them', () => {
    fc.assert(
      fc.property(
        bytes(20),
        bytes(32),
        bytes(32),
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        (contract, sourceBlockchainId, destinationBlockchainId, nonce) => {
          const types = [
            { type: 'address' },
            { type: 'bytes32' },
            { type: 'bytes32' },
            { type: 'uint256' },
          ] as const;
          const values = [contract, sourceBlockchainId, destinationBlockchainId, nonce] as const;
          expect(messageIdOf({ contract, sourceBlockchainId, destinationBlockchainId, nonce })).toBe(
            keccak256(encodeAbiParameters(types, values)),
          );
        },
      ),
    );
  });
});
