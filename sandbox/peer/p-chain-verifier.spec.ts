import { describe, expect, it } from '@jest/globals';
import { fromHex } from '../../src/avalanche/ids/hex.js';
import { packJustification } from '../../src/avalanche/warp/justification.js';
import { packL1ValidatorRegistration } from '../../src/avalanche/warp/message/l1-validator-registration.js';
import { packL1ValidatorWeight } from '../../src/avalanche/warp/message/l1-validator-weight.js';
import {
  packRegisterL1Validator,
  validationIdOfRegistration,
} from '../../src/avalanche/warp/message/register-l1-validator.js';
import { packSubnetToL1Conversion } from '../../src/avalanche/warp/message/subnet-to-l1-conversion.js';
import { packAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { unpackUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { makeExamples } from '../world/examples.js';
import { makeNodes } from '../world/make-nodes.js';
import { AppRefusal } from './app-refusal.js';
import { P_CHAIN_REFUSALS, verifyPChainMessage } from './p-chain-verifier.js';

const { world } = await makeNodes({
  validators: [{}, {}, {}],
  seed: 'verifier',
  networkId: 12_345,
  recording: null,
  evmRecordings: [],
  xChainRecording: null,
  host: '127.0.0.1',
  publicIp: '127.0.0.1',
  baseHeight: 1_000n,
  ancestorsPerAnswer: 1,
  blockIntervalMs: 0,
});

const { l1, history } = world;
const NOTHING = new Uint8Array();

const fromPChain = (l1Message: Uint8Array) =>
  packAddressedCall({ sourceAddress: NOTHING, payload: l1Message });
const removal = (validationId: Uint8Array) =>
  fromPChain(packL1ValidatorRegistration({ validationId, registered: false }));
const weight = (nonce: bigint, value: bigint, validationId = history.joined.validationId) =>
  fromPChain(packL1ValidatorWeight({ validationId, nonce, weight: value }));
const founderIndex = (index: number, subnetId = l1.subnetId) =>
  packJustification({ kind: 'convertSubnetToL1Tx', subnetId, index });
const registration = (expiry: bigint) =>
  packRegisterL1Validator({
    subnetId: l1.subnetId,
    nodeId: new Uint8Array(20),
    blsPublicKey: history.joined.publicKey,
    expiry,
    remainingBalanceOwner: { threshold: 0, addresses: [] },
    disableOwner: { threshold: 0, addresses: [] },
    weight: 1n,
  });
const preimage = (message: Uint8Array) => packJustification({ kind: 'registerL1ValidatorMessage', message });

function codeOf(payload: Uint8Array, justification: Uint8Array): number | undefined {
  try {
    verifyPChainMessage(world, payload, justification);
    return undefined;
  } catch (error) {
    if (error instanceof AppRefusal) return error.code;
    throw error;
  }
}

describe(verifyPChainMessage.name, () => {
  const remaining = l1.founders.findIndex(({ nodeId }) => nodeId !== history.retired.nodeId);
  const remainingId = l1.founders[remaining]?.validationId ?? NOTHING;
  const future = registration(4_000_000_000n);
  const unknownId = new Uint8Array(32).fill(9);

  it.each<{
    id: string;
    payload: Uint8Array;
    justification?: Uint8Array;
    code: keyof typeof P_CHAIN_REFUSALS;
  }>([
    { id: 'a hash', payload: packHash({ hash: unknownId }), code: 'notAddressedCall' },
    {
      id: 'a source address',
      payload: packAddressedCall({ sourceAddress: Uint8Array.of(1), payload: NOTHING }),
      code: 'hasSourceAddress',
    },
    { id: 'no payload', payload: fromPChain(NOTHING), code: 'unparsablePayload' },
    { id: 'a registration order', payload: fromPChain(future), code: 'unsupportedPayload' },
    {
      id: 'a conversion without its subnet',
      payload: fromPChain(packSubnetToL1Conversion({ id: l1.conversionId })),
      code: 'unparsableJustification',
    },
    {
      id: 'a conversion of another subnet',
      payload: fromPChain(packSubnetToL1Conversion({ id: l1.conversionId })),
      justification: unknownId,
      code: 'conversionDoesNotExist',
    },
    {
      id: 'another conversion id',
      payload: fromPChain(packSubnetToL1Conversion({ id: unknownId })),
      justification: l1.subnetId,
      code: 'mismatchedConversionId',
    },
    {
      id: 'an unknown registration',
      payload: fromPChain(packL1ValidatorRegistration({ validationId: unknownId, registered: true })),
      code: 'validationDoesNotExist',
    },
    {
      id: 'a removal without justification',
      payload: removal(remainingId),
      code: 'invalidJustificationType',
    },
    {
      id: 'a removal with garbage',
      payload: removal(remainingId),
      justification: Uint8Array.of(0xff),
      code: 'unparsableJustification',
    },
    {
      id: 'a removal with half a subnet id',
      payload: removal(remainingId),
      justification: founderIndex(remaining, new Uint8Array(16)),
      code: 'unparsableSubnetId',
    },
    {
      id: 'a removal with another index',
      payload: removal(remainingId),
      justification: founderIndex(77),
      code: 'mismatchedValidationId',
    },
    {
      id: 'a removal of one that is there',
      payload: removal(remainingId),
      justification: founderIndex(remaining),
      code: 'validationExists',
    },
    {
      id: 'a removal of a registered one that is there',
      payload: removal(history.joined.validationId),
      justification: preimage(history.joined.origin.message),
      code: 'validationExists',
    },
    {
      id: 'a removal whose preimage is no registration',
      payload: removal(unknownId),
      justification: preimage(Uint8Array.of(1)),
      code: 'unparsableRegistration',
    },
    {
      id: 'a removal of one that may still come',
      payload: removal(validationIdOfRegistration(future)),
      justification: preimage(future),
      code: 'validationCouldBeRegistered',
    },
    { id: 'the last nonce there is', payload: weight(2n ** 64n - 1n, 1n), code: 'impossibleNonce' },
    { id: 'the weight of nobody', payload: weight(0n, 1n, unknownId), code: 'validationDoesNotExist' },
    { id: 'a nonce too high', payload: weight(1n, history.weightChanged.weight), code: 'wrongNonce' },
    { id: 'another weight', payload: weight(0n, history.weightChanged.weight + 1n), code: 'wrongWeight' },
  ])('refuses $id: $code', ({ payload, justification = NOTHING, code }) => {
    expect(codeOf(payload, justification)).toBe(P_CHAIN_REFUSALS[code]);
  });

  it('signs the example of every kind', () => {
    const { cChainCall: _call, cChainBlockHash: _hash, l1Call: _l1, ...fromP } = makeExamples(world);
    for (const { message, justification } of Object.values(fromP)) {
      expect(codeOf(unpackUnsignedMessage(fromHex(message)).payload, fromHex(justification))).toBeUndefined();
    }
  });

  it('signs the removal of one that was registered and left, though its registration has not expired', async () => {
    const { validationId, origin } = history.joined;
    const rest = world.currentL1().filter(({ nodeId }) => nodeId !== history.joined.nodeId);
    world.setValidators(world.subnetId, rest);
    expect(codeOf(removal(validationId), preimage(origin.message))).toBeUndefined();
    const registered = fromPChain(packL1ValidatorRegistration({ validationId, registered: true }));
    expect(codeOf(registered, NOTHING)).toBe(P_CHAIN_REFUSALS.validationDoesNotExist);
  });
});
