import { describe, expect, it } from '@jest/globals';
import { sha256 } from '@noble/hashes/sha2.js';
import { blst } from '../../src/avalanche/bls/blst.js';
import { unpackBlob } from '../../src/avalanche/codec/codec.js';
import type { Unpacker } from '../../src/avalanche/codec/unpacker.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { unpackL1Message } from '../peer/l1-message.js';
import { validationIdOfRegistration } from '../../src/avalanche/warp/message/register-l1-validator.js';
import { subnetToL1ConversionId } from '../../src/avalanche/warp/message/subnet-to-l1-conversion.js';
import { unpackMessage } from '../../src/avalanche/warp/message.js';
import { unpackAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { verifyMessage } from '../../src/avalanche/warp/verify-message.js';
import type { SandboxValidatorOptions } from '../options.js';
import { Epochs } from './epochs.js';
import { makeNodes } from './make-nodes.js';
import { PChainClock } from './p-chain-clock.js';
import { EMPTY_NODE_ID } from './world.js';

const nodesOf = (validators: readonly SandboxValidatorOptions[], seed = 'world') =>
  makeNodes({
    validators,
    seed,
    networkId: 12_345,
    recording: null,
    evmRecordings: [],
    xChainRecording: null,
    host: '127.0.0.1',
    publicIp: '127.0.0.1',
    baseHeight: 1_000n,
    blockIntervalMs: 0,
    ancestorsPerAnswer: 1,
  });

describe(PChainClock.name, () => {
  it('grows with time and on demand, and proposes three blocks behind', () => {
    let now = 1_000;
    const clock = new PChainClock({ baseHeight: 100n, blockIntervalMs: 10_000, now: () => now });
    expect([clock.height, clock.proposedHeight]).toEqual([100n, 97n]);
    now += 25_000;
    clock.advance(5);
    expect([clock.height, clock.proposedHeight]).toEqual([107n, 104n]);
    now -= 60_000; // a clock that is set back
    expect(clock.height).toBe(105n);
    expect(() => clock.advance(-1)).toThrow(RangeError);
  });

  it('stands still without an interval', () => {
    let now = 0;
    const clock = new PChainClock({ baseHeight: 1n, blockIntervalMs: 0, now: () => now });
    now += 1e9;
    expect([clock.height, clock.proposedHeight]).toEqual([1n, 0n]);
  });
});

describe(Epochs.name, () => {
  it('keep the proposed height that they began with until the next begins', () => {
    let now = 5_000;
    const clock = new PChainClock({ baseHeight: 100n, blockIntervalMs: 0, now: () => now });
    const epochs = new Epochs(clock);
    expect(epochs.current).toEqual({ number: 1, startTimeSeconds: 5, pChainHeight: 97n });
    clock.advance(10);
    now += 600_000; // no block, no end
    expect(epochs.current).toEqual({ number: 1, startTimeSeconds: 5, pChainHeight: 97n });
    expect(epochs.begin()).toEqual({ number: 2, startTimeSeconds: 605, pChainHeight: 107n });
    expect(epochs.current.pChainHeight).toBe(clock.proposedHeight);
  });
});

describe('the simulated world', () => {
  it('is the same for the same seed, and keeps the nodes when there are more', async () => {
    const [three, again, five, other] = await Promise.all([
      nodesOf([{}, {}, {}]),
      nodesOf([{}, {}, {}]),
      nodesOf([{}, {}, {}, {}, {}]),
      nodesOf([{}, {}, {}], 'other'),
    ]);
    const ids = ({ validators }: typeof three) => validators.map(({ nodeId }) => nodeId);
    expect(ids(again)).toEqual(ids(three));
    expect(ids(five).slice(0, 3)).toEqual(ids(three));
    expect(ids(other).some((id) => ids(three).includes(id))).toBe(false);
    expect([...again.transactions.all()]).toEqual([...three.transactions.all()]);
    expect(again.world.l1.conversionId).toEqual(three.world.l1.conversionId);
  });

  it('lists keyless validators and inactive ones as the P-chain does, and merges shared keys', async () => {
    const { world, validators } = await nodesOf([
      { weight: 5n, l1Balance: 0n, l1Weight: 7n },
      { weight: 6n, keyless: true, l1Balance: 0n, l1Weight: 8n },
      { weight: 7n, sharesKeyWith: 0, l1Weight: 9n },
    ]);
    const primary = world.validatorsAt(PRIMARY_NETWORK_ID, 1_000n);
    expect(primary.map(({ weight, publicKey }) => [weight, publicKey?.length])).toEqual([
      [5n, 48],
      [6n, undefined],
      [7n, 48],
    ]);
    const { validators: canonical, totalWeight } = makeCanonicalValidatorSet(primary);
    expect([canonical.length, canonical[0]?.weight, totalWeight]).toEqual([1, 12n, 18n]);
    expect(world.validatorsAt(world.subnetId, 1_000n)).toEqual([
      { nodeId: validators[2]?.nodeId, publicKey: canonical[0]?.publicKeyBytes, weight: 9n },
      { nodeId: EMPTY_NODE_ID, publicKey: null, weight: 15n },
    ]);
  });

  it('keeps the validator sets of earlier heights', async () => {
    const { world, validators } = await nodesOf([{}, {}, {}]);
    const [a, b, c] = validators.map(({ nodeId }) => nodeId) as [string, string, string];
    const before = world.validatorsAt(PRIMARY_NETWORK_ID, world.clock.height);
    const height = world.setValidators(PRIMARY_NETWORK_ID, [{ nodeId: a, weight: 1n }]);
    expect(height).toBe(1_001n);
    expect(world.clock.proposedHeight).toBe(height);
    expect(world.validatorsAt(PRIMARY_NETWORK_ID, height - 1n)).toEqual(before);
    expect(world.validatorsAt(PRIMARY_NETWORK_ID, height).map(({ nodeId }) => nodeId)).toEqual([a]);

    const l1Before = world.currentL1();
    world.setValidators(world.subnetId, [
      { nodeId: a, weight: 5n },
      { nodeId: b, weight: 100n },
    ]);
    const [changed, same] = world.currentL1();
    expect(changed).toMatchObject({ nodeId: a, weight: 5n, minNonce: 1n });
    expect(same).toEqual(l1Before.find(({ nodeId }) => nodeId === b));
    world.setValidators(world.subnetId, [{ nodeId: c, weight: 100n }]);
    const [returned] = world.currentL1();
    expect(returned?.origin.kind).toBe('registration');
    expect(l1Before.map(({ validationId }) => validationId)).not.toContainEqual(returned?.validationId);
    expect(world.validatorsAt(world.subnetId, 5n)).toEqual([]);
    expect(world.validatorsAt(world.subnetId, 10n)).toHaveLength(3);
  });

  it.each([
    { id: 'weight 0', weights: [0n] },
    { id: 'more than 64 bits together', weights: [2n ** 64n - 1n, 1n] },
  ])('refuses validator sets with $id', async ({ weights }) => {
    const { world, validators } = await nodesOf([{}, {}]);
    const set = weights.map((weight, i) => ({ nodeId: validators[i]?.nodeId ?? '', weight }));
    expect(() => world.setValidators(PRIMARY_NETWORK_ID, set)).toThrow(RangeError);
  });

  it('refuses unknown nodes, the same node twice, and other subnets', async () => {
    const { world, validators } = await nodesOf([{}]);
    const known = { nodeId: validators[0]?.nodeId ?? '', weight: 1n };
    expect(() => world.setValidators(PRIMARY_NETWORK_ID, [known, known])).toThrow(RangeError);
    expect(() => world.setValidators(PRIMARY_NETWORK_ID, [{ ...known, nodeId: EMPTY_NODE_ID }])).toThrow(
      RangeError,
    );
    expect(() => world.setValidators(idToString(world.cChainId), [known])).toThrow(RangeError);
  });
});

describe('the transactions of the L1', () => {
  it('commit to its conversion', async () => {
    const { world, transactions } = await nodesOf([{}, {}, {}]);
    const conversion = transactions.all().get('convertSubnetToL1');
    expect(conversion?.txId).toBe(idToString(sha256(conversion?.bytes ?? new Uint8Array())));
    const read = unpackBlob(conversion?.bytes ?? new Uint8Array(), readConversion);
    expect(idToString(subnetToL1ConversionId(read.data))).toBe(idToString(world.l1.conversionId));
    expect(read.credentials).toBe(2);
  });

  it.each([
    'registerL1Validator',
    'setL1ValidatorWeight',
    'removeL1Validator',
    'registerL1ValidatorAgain',
    'removeL1ValidatorAgain',
  ] as const)('carry an order that the L1 signed: %s', async (name) => {
    const { world, transactions } = await nodesOf([{}, {}, {}]);
    const { history, l1 } = world;
    const bytes = transactions.all().get(name)?.bytes ?? new Uint8Array();
    const message = unpackBlob(bytes, (unpacker) => readOrder(unpacker, name.startsWith('register')));
    const { unsignedMessage, signature } = unpackMessage(message);
    expect(unsignedMessage.sourceChainId).toEqual(l1.blockchainId);
    const validatorSet = makeCanonicalValidatorSet(world.validatorsAt(world.subnetId, 10n));
    verifyMessage({
      message: { unsignedMessage, signature },
      networkId: 12_345,
      validatorSet,
      quorumNumerator: 100n,
      quorumDenominator: 100n,
      bls: blst,
    });
    const call = unpackAddressedCall(unsignedMessage.payload);
    expect(call.sourceAddress).toEqual(l1.managerAddress);
    const order = unpackL1Message(call.payload);
    const expected = {
      registerL1Validator: history.joined,
      setL1ValidatorWeight: history.weightChanged,
      removeL1Validator: { ...history.retired, weight: 0n },
      registerL1ValidatorAgain: history.returned,
      removeL1ValidatorAgain: { ...history.returned, weight: 0n },
    } as const;
    const changed = expected[name];
    if (order.kind === 'registerL1Validator') {
      expect(validationIdOfRegistration(call.payload)).toEqual(changed.validationId);
    } else {
      expect(order).toMatchObject({
        validationId: changed.validationId,
        nonce: 0n,
        weight: changed.weight,
      });
    }
  });
});

/** Field by field, as the facts about P-chain transactions have it; the writer is not asked. */
function skipBase(unpacker: Unpacker): void {
  unpacker.unpackInt(); // type id
  expect(unpacker.unpackInt()).toBe(12_345);
  unpacker.unpackFixedBytes(32);
  unpacker.unpackList(1, () => unpacker.unpackFixedBytes(32 + 4 + 8 + 8 + 4 + 4 + 20));
  unpacker.unpackList(1, () => unpacker.unpackFixedBytes(32 + 4 + 32 + 4 + 8 + 4 + 4));
  unpacker.unpackBytes();
}

function readCredentials(unpacker: Unpacker): number {
  return unpacker.unpackList(1, () => unpacker.unpackFixedBytes(4 + 4 + 65)).length;
}

function readConversion(unpacker: Unpacker) {
  skipBase(unpacker);
  const data = {
    subnetId: unpacker.unpackFixedBytes(32),
    managerChainId: unpacker.unpackFixedBytes(32),
    managerAddress: unpacker.unpackBytes(),
    validators: unpacker.unpackList(1, () => {
      const nodeId = unpacker.unpackBytes();
      const weight = unpacker.unpackLong();
      unpacker.unpackLong();
      const blsPublicKey = unpacker.unpackFixedBytes(48);
      unpacker.unpackFixedBytes(96 + 8 + 8);
      return { nodeId, weight, blsPublicKey };
    }),
  };
  expect(unpacker.unpackInt()).toBe(10);
  unpacker.unpackList(4, () => unpacker.unpackInt());
  return { data, credentials: readCredentials(unpacker) };
}

function readOrder(unpacker: Unpacker, isRegistration: boolean): Uint8Array {
  skipBase(unpacker);
  if (isRegistration) unpacker.unpackFixedBytes(8 + 96);
  const message = unpacker.unpackBytes();
  expect(readCredentials(unpacker)).toBe(1);
  return message;
}
