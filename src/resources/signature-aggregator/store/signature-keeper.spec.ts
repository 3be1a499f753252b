import { describe, expect, it } from '@jest/globals';
import { bls } from '../../../avalanche/bls/bls.js';
import { unsignedMessageId } from '../../../avalanche/warp/unsigned-message.js';
import { testSecretKey } from '../../../../test/support/signatures/in-memory-network.js';
import { KeptSignatures } from './kept-signatures.js';
import { type ProvedSignatures, SignatureKeeper } from './signature-keeper.js';
import type { KnownSignature, SignatureRepository } from './signature.repository.js';

describe(SignatureKeeper.name, () => {
  const claimOf = (index: number, signed: Uint8Array) => ({
    index,
    publicKey: bls.publicKeyOf(testSecretKey(index)),
    signature: bls.sign(signed, testSecretKey(index)),
  });
  const message = (byte: number) => new Uint8Array(50).fill(byte);

  /** Resolves with what was stored once that of the last message was. */
  const storeUntil = (last: Uint8Array) => {
    const stored = new Map<string, readonly KnownSignature[]>();
    let done: (value: typeof stored) => void;
    const all = new Promise<typeof stored>((resolve) => (done = resolve));
    const repository = {
      saveSignatures: async (messageId: Buffer, rows: readonly KnownSignature[]) => {
        stored.set(messageId.toString('hex'), rows);
        if (messageId.equals(unsignedMessageId(last))) done(stored);
      },
    };
    return {
      all,
      keeper: new SignatureKeeper(new KeptSignatures(repository as unknown as SignatureRepository)),
    };
  };
  const idOf = (of: Uint8Array) => Buffer.from(unsignedMessageId(of)).toString('hex');

  it('stores each signature that is right by itself, by whole key, reports the others, and stores none of them', async () => {
    const { all, keeper } = storeUntil(message(1));
    const claims = [0, 1, 2].map((index) => claimOf(index, message(index === 1 ? 9 : 1)));
    const proved: ProvedSignatures[] = [];
    keeper.keep({
      message: message(1),
      caller: 'caller',
      claims,
      onProved: (signatures) => void proved.push(signatures),
    });
    expect((await all).get(idOf(message(1)))).toEqual(
      [0, 2].map((index) => ({
        publicKey: Buffer.from(bls.publicKeyOf(testSecretKey(index)).toCompressed()),
        signature: Buffer.from(bls.sign(message(1), testSecretKey(index)).toUncompressed()),
      })),
    );
    expect(proved).toEqual([{ valid: [claims[0], claims[2]], invalid: [claims[1]] }]);
  });

  it('drops messages of a caller who has many, not those of another', async () => {
    const last = message(255);
    const { all, keeper } = storeUntil(last);
    const keep = (of: Uint8Array, caller: string): void =>
      keeper.keep({ message: of, caller, claims: [claimOf(0, of)], onProved: () => undefined });
    for (let byte = 0; byte < 200; byte++) keep(message(byte), 'many');
    keep(last, 'other');
    const stored = await all;
    // The first is taken at once, and 128 wait.
    expect(stored.size).toBe(1 + 128 + 1);
    expect(stored.has(idOf(message(199)))).toBe(false);
  });
});
