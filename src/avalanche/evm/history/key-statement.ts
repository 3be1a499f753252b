import { secp256k1 } from '@noble/curves/secp256k1.js';
import { fromHex } from '../../ids/hex.js';
import { keccak256 } from '../commitments/keccak.js';
import type { Address, Hex } from '../rpc/hex-values.js';

/**
 * The owner of an address signs it (EIP-191, `personal_sign`) to show that it has a key, and is no contract to be: then whatever takes
 * from it raises its nonce, though it has never signed a transaction.
 */
export const KEY_STATEMENT = 'I hold the key of this address.';

const SIGNATURE_BYTES = 65;
const ADDRESS_BYTES = 20;
/** Wallets write it into v, nodes of other makers do not. */
const V_OF_WALLETS = 27;

/** Whose key has signed the statement: of r, s and v, 65 bytes. undefined when these are no signature. */
export function signerOfStatement(signature: Hex): Address | undefined {
  const bytes = fromHex(signature.slice(2));
  const v = bytes[SIGNATURE_BYTES - 1] ?? 0;
  const recovery = v >= V_OF_WALLETS ? v - V_OF_WALLETS : v;
  if (bytes.length !== SIGNATURE_BYTES || recovery > 1) return undefined;
  try {
    const compact = bytes.subarray(0, SIGNATURE_BYTES - 1);
    const point = secp256k1.Signature.fromBytes(compact, 'compact')
      .addRecoveryBit(recovery)
      .recoverPublicKey(DIGEST);
    const hash = keccak256(point.toBytes(false).subarray(1));
    return `0x${Buffer.from(hash.subarray(hash.length - ADDRESS_BYTES)).toString('hex')}`;
  } catch {
    return undefined; // r or s out of range, or no point of the curve
  }
}

const DIGEST = keccak256(
  Buffer.from(`\x19Ethereum Signed Message:\n${KEY_STATEMENT.length}${KEY_STATEMENT}`),
);
