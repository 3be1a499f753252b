import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { hrpOfNetwork, packAddress } from '../../../src/avalanche/ids/address.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import type { ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners } from '../../../src/avalanche/platformvm/output.js';

/** The key that the genesis of every local network funds, on all three chains; public on purpose. */
export const FUNDED_SECRET = '56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027';

/** A secp256k1 key of the X- and P-chain. */
export class SigningKey {
  readonly address: ShortId;

  constructor(private readonly secret: Uint8Array) {
    this.address = toHex(ripemd160(sha256(secp256k1.getPublicKey(secret, true))));
  }

  static funded(): SigningKey {
    return new SigningKey(fromHex(FUNDED_SECRET));
  }

  /** The same key for the same name, so that two runs of a scenario have the same addresses. */
  static named(name: string): SigningKey {
    return new SigningKey(new Uint8Array(createHash('sha256').update(`scenario ${name}`).digest()));
  }

  /** Recoverable signature r ‖ s ‖ v of the sha256 of the bytes. */
  sign(bytes: Uint8Array): Uint8Array {
    const signature = secp256k1.sign(sha256(bytes), this.secret, { prehash: false, format: 'recovered' });
    return new Uint8Array([...signature.subarray(1), ...signature.subarray(0, 1)]);
  }

  /** `P-local1…` */
  toText(networkId: number, chainAlias = 'P'): string {
    return packAddress({ chainAlias, hrp: hrpOfNetwork(networkId), bytes: fromHex(this.address) });
  }
}

/** Owners in the order that the codec demands; `threshold` of them have to sign. */
export function ownedBy(
  keys: readonly SigningKey[],
  { threshold = 1, locktime = 0n }: { threshold?: number; locktime?: bigint } = {},
): OutputOwners {
  return { locktime, threshold, addresses: keys.map(({ address }) => address).sort() };
}

/** Which of the owners sign, by their place among the addresses; undefined when too few of the keys are there. */
export function selectSigners(
  owners: Pick<OutputOwners, 'threshold' | 'addresses'>,
  keys: ReadonlyMap<ShortId, SigningKey>,
): { indices: number[]; signers: SigningKey[] } | undefined {
  const known = owners.addresses.flatMap((address, index) => {
    const key = keys.get(address);
    return key === undefined ? [] : [{ index, key }];
  });
  if (known.length < owners.threshold) return undefined;
  const chosen = known.slice(0, owners.threshold);
  return { indices: chosen.map(({ index }) => index), signers: chosen.map(({ key }) => key) };
}
