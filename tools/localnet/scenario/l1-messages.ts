import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bls, type BlsSecretKey } from '../../../src/avalanche/bls/bls.js';
import { packBitSet } from '../../../src/avalanche/warp/bit-set.js';
import { packMessage } from '../../../src/avalanche/warp/message.js';
import { packAddressedCall } from '../../../src/avalanche/warp/payload/addressed-call.js';
import { packUnsignedMessage } from '../../../src/avalanche/warp/unsigned-message.js';
import { compareText } from './spend.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';

/** The BLS keys of the first validators of the local networks' genesis, which are no secret. */
export function readGenesisSigners(stakingFolder: string, count: number): BlsSecretKey[] {
  return Array.from({ length: count }, (_, index) =>
    bls.secretKeyFromBytes(new Uint8Array(readFileSync(join(stakingFolder, `signer${index + 1}.key`)))),
  );
}

/**
 * Signs messages of an L1's manager on a primary network chain to the P-chain, for validators that must be the first ones of the canonical
 * set: the others' keys have to be made with `makeLateBlsKey`. The network's nodes would sign the same if a contract had sent the message;
 * for the P-chain there is no difference.
 */
export function signManagerMessage(message: {
  networkId: number;
  sourceChainId: Uint8Array;
  managerAddress: Uint8Array;
  payload: Uint8Array;
  signers: readonly BlsSecretKey[];
}): Uint8Array {
  const { networkId, sourceChainId, managerAddress, payload, signers } = message;
  const call = packAddressedCall({ sourceAddress: managerAddress, payload });
  const unsignedMessage = { networkId, sourceChainId, payload: call };
  const bytes = packUnsignedMessage(unsignedMessage);
  const signature = bls.aggregateSignatures(signers.map((key) => bls.sign(bytes, key))).toBytes();
  return packMessage({
    unsignedMessage,
    signature: { signers: packBitSet(signers.keys()), signature },
  });
}

/** A BLS key that stands behind all the others in canonical order, which is that of the uncompressed public keys. */
export function makeLateBlsKey(
  name: string,
  others: readonly BlsSecretKey[],
  derive: (word: string) => Uint8Array,
): BlsSecretKey {
  const last = others.map(sortKey).sort(compareText).at(-1) ?? '';
  for (let attempt = 0; ; attempt += 1) {
    const secret = derive(`${name} ${attempt}`);
    secret[0] = (secret[0] ?? 0) & 0x3f; // below the order of the group
    const key = bls.secretKeyFromBytes(secret);
    if (sortKey(key) > last) return key;
  }
}

function sortKey(key: BlsSecretKey): string {
  return toHex(bls.publicKeyOf(key).toUncompressed());
}
