import { bls } from '../../../src/avalanche/bls/bls.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { packBitSet } from '../../../src/avalanche/warp/bit-set.js';
import { packMessage } from '../../../src/avalanche/warp/message.js';
import { unpackUnsignedMessage } from '../../../src/avalanche/warp/unsigned-message.js';
import type { Identity } from '../scenario/identities.js';
import type { Aggregate } from './relay.js';

/** Signatures of all of a subnet's validators, of whom there are no others: so their order makes no difference. */
export function signAs(validators: readonly Identity[]): Aggregate {
  const signers = packBitSet(validators.keys());
  return ({ message }) => {
    const bytes = fromHex(message);
    const signatures = validators.map(({ blsKey }) => bls.sign(bytes, blsKey));
    const signature = bls.aggregateSignatures(signatures).toBytes();
    return Promise.resolve(
      packMessage({ unsignedMessage: unpackUnsignedMessage(bytes), signature: { signers, signature } }),
    );
  };
}
