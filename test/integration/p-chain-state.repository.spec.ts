import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import type { StateChanges } from '../../src/avalanche/platformvm/state/changes.js';
import type { StateSnapshot } from '../../src/avalanche/platformvm/state/p-chain-state.js';
import type {
  Delegator,
  L1Validator,
  Staker,
  Subnet,
  SubnetStake,
  Validator,
} from '../../src/avalanche/platformvm/state/records.js';
import { unsignedTransaction } from '../../src/avalanche/platformvm/codec/unsigned-transaction.js';
import type { TxType } from '../../src/avalanche/platformvm/transaction.js';
import { NEVER } from '../../src/avalanche/platformvm/state/upgrade-times.js';
import { PChainStateRepository } from '../../src/indexes/p-chain/p-chain-state.repository.js';
import { PChainWriter } from '../../src/indexes/p-chain/p-chain-writer.js';
import { createMigratedDatabase } from '../support/harness/database.js';

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'));
const id = hex(32);
const shortId = hex(20);
const uint64 = fc.oneof(
  fc.constantFrom(0n, 1n, 2n ** 63n, 2n ** 64n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const height = fc.bigInt({ min: 0n, max: 2n ** 40n });
const time = fc.nat({ max: 4_000_000_000 });
const count = fc.nat({ max: 100_000 });
const shares = fc.nat({ max: 1_000_000 });
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const owners = fc.record({
  locktime: uint64,
  threshold: fc.nat({ max: 5 }),
  addresses: fc.array(shortId, { maxLength: 4 }),
});
const pChainOwner = fc.record({
  threshold: fc.nat({ max: 5 }),
  addresses: fc.array(shortId, { maxLength: 3 }),
});
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const txTypes = Object.keys(unsignedTransaction.bodies) as TxType[];

const stakerFields = {
  txId: id,
  subnetId: fc.oneof(id, fc.constant(PRIMARY_NETWORK)),
  nodeId: shortId,
  status: fc.constantFrom<Staker['status']>('pending', 'active', 'completed', 'removed'),
  weight: uint64,
  start: time,
  end: time,
  blockHeight: height,
  blockTime: time,
  potentialReward: uint64,
  stakeAssetId: id,
  outputCount: count,
  stakeOutputCount: count,
  endTxId: optional(id),
  endedAt: optional(time),
  txType: fc.constantFrom(...txTypes),
};

const validator: fc.Arbitrary<Validator> = fc.record({
  ...stakerFields,
  kind: fc.constant('validator'),
  isPermissioned: fc.boolean(),
  signer: optional(fc.record({ publicKey: bytes(48), proofOfPossession: bytes(96) })),
  validationRewardsOwner: optional(owners),
  delegationRewardsOwner: optional(owners),
  shares: optional(shares),
  delegateeReward: uint64,
  paidValidationReward: uint64,
  paidDelegationReward: uint64,
  delegatedWeight: uint64,
  delegatorCount: count,
  totalDelegatedWeight: uint64,
  totalDelegatorCount: count,
  autoRenewal: optional(
    fc.record({
      authority: owners,
      nextPeriod: time,
      autoCompoundShares: shares,
      accruedValidationRewards: uint64,
      accruedDelegateeRewards: uint64,
      cycleIndex: count,
      earlierDelegatorCount: count,
      earlierDelegatedWeight: uint64,
      isAborted: fc.boolean(),
    }),
  ),
});

const delegator: fc.Arbitrary<Delegator> = fc.record({
  ...stakerFields,
  kind: fc.constant('delegator'),
  validatorTxId: id,
  shares,
  // One row per address: the chain accepts no owner with the same address twice.
  rewardsOwner: owners.map((owner) => ({ ...owner, addresses: [...new Set(owner.addresses)] })),
  paidReward: uint64,
  isRewarded: optional(fc.boolean()),
});

const subnet: fc.Arbitrary<Subnet> = fc.record({
  subnetId: id,
  blockHeight: height,
  blockTime: time,
  owner: optional(owners),
  transformation: optional(
    fc.record({
      txId: id,
      assetId: id,
      maximumSupply: uint64,
      minConsumptionRate: uint64,
      maxConsumptionRate: uint64,
      maxValidatorStake: uint64,
      maxValidatorWeightFactor: fc.nat({ max: 255 }),
    }),
  ),
  conversion: optional(
    fc.record({
      txId: id,
      conversionId: id,
      managerChainId: id,
      managerAddress: fc.nat({ max: 64 }).chain((length) => hex(length)),
    }),
  ),
});

const stake: fc.Arbitrary<SubnetStake> = fc.record({
  subnetId: id,
  supply: optional(uint64),
  // More than any one weight: a subnet's owner may add as many of the largest as there are node ids.
  totalWeight: fc.bigInt({ min: 0n, max: 2n ** 80n }),
});

const l1Validator: fc.Arbitrary<L1Validator> = fc.record({
  validationId: id,
  subnetId: id,
  nodeId: shortId,
  publicKey: bytes(48),
  proofOfPossession: bytes(96),
  remainingBalanceOwner: pChainOwner,
  deactivationOwner: pChainOwner,
  start: time,
  weight: uint64,
  minNonce: uint64,
  endAccumulatedFee: uint64,
  txId: id,
});

const changes: fc.Arbitrary<StateChanges> = fc.record({
  tip: fc.record({ height, blockId: id, time, accruedFees: uint64, validatorExcess: uint64 }),
  stakers: mapBy(fc.oneof(validator, delegator), ({ txId }) => txId),
  stakes: mapBy(stake, ({ subnetId }) => subnetId),
  subnets: mapBy(subnet, ({ subnetId }) => subnetId),
  l1Validators: mapBy(l1Validator, ({ validationId }) => validationId),
  blockchains: fc.constant([]),
  settledCycles: fc.constant([]),
  createdUtxos: fc.constant([]),
  consumedUtxos: fc.constant([]),
  validatorSetChanges: fc.constant([]),
  stakingTransactions: fc.constant(new Map()),
  stakeWindows: fc.constant(new Map()),
  transactions: fc.constant(new Map()),
});

function mapBy<T>(value: fc.Arbitrary<T>, key: (value: T) => string): fc.Arbitrary<ReadonlyMap<string, T>> {
  return fc.array(value, { maxLength: 12 }).map((values) => new Map(values.map((one) => [key(one), one])));
}

/** In an order of its own, so that two of them can be compared. */
function ordered(snapshot: StateSnapshot) {
  const by = <T>(values: Iterable<T>, key: (value: T) => string): T[] =>
    [...values].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return {
    tip: snapshot.tip,
    stakers: by(snapshot.stakers, ({ txId }) => txId),
    stakes: by(snapshot.stakes, ({ subnetId }) => subnetId),
    subnets: by(snapshot.subnets, ({ subnetId }) => subnetId),
    l1Validators: by(snapshot.l1Validators, ({ validationId }) => validationId),
  };
}

describe(PChainStateRepository.name, () => {
  let database: DataSource;
  let writer: PChainWriter;
  let repository: PChainStateRepository;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    writer = new PChainWriter(new Database(database));
    repository = new PChainStateRepository(new Database(database));
  });

  const identity = { networkId: 12345, genesisId: 'ab'.repeat(32) };
  const upgrades = { banff: 1, cortina: 2, durango: 3, etna: 4, helicon: NEVER };
  const common = {
    network: 'fuji',
    identity,
    upgrades,
    avaxAssetId: 'cd'.repeat(32),
    recentBlocks: [],
    aliases: new Map<string, 'P'>([[PRIMARY_NETWORK, 'P']]),
    getSubnet: () => undefined,
  } as const;

  it('reads back exactly what was written, and the newest of it', async () => {
    await fc.assert(
      fc.asyncProperty(changes, changes, async (first, second) => {
        await writer.reset('fuji');
        await writer.write({ ...common, after: undefined, changes: first });
        // The same records again, as other versions, and some new ones.
        const keys = [...first.stakers.values()];
        const rewritten = [...second.stakers.values()].map((staker, i) => {
          const known = keys[i];
          return known?.kind === staker.kind ? { ...staker, txId: known.txId } : staker;
        });
        const next = { ...second, stakers: new Map(rewritten.map((staker) => [staker.txId, staker])) };
        await writer.write({ ...common, after: first.tip, changes: next });
        const loaded = await repository.load('fuji');
        if (loaded === undefined) throw new Error('nothing was written');
        expect(loaded.checkpoint).toEqual({ tip: second.tip, identity, upgrades, recentBlocks: [] });
        const stakers = new Map([...first.stakers, ...next.stakers]);
        const expected: StateSnapshot = {
          tip: second.tip,
          stakers: [...stakers.values()].filter(({ status }) => status === 'pending' || status === 'active'),
          stakes: new Map([...first.stakes, ...second.stakes]).values(),
          subnets: new Map([...first.subnets, ...second.subnets]).values(),
          l1Validators: [...new Map([...first.l1Validators, ...second.l1Validators]).values()].filter(
            ({ weight }) => weight > 0n,
          ),
        };
        expect(ordered(loaded.snapshot)).toEqual(ordered(expected));
      }),
      { numRuns: 40 },
    );
  });

  it('writes nothing of a batch that does not follow the checkpoint', async () => {
    await writer.reset('fuji');
    const [first, second] = fc.sample(changes, { numRuns: 2, seed: 7 });
    if (first === undefined || second === undefined) throw new Error('two samples');
    await writer.write({ ...common, after: undefined, changes: first });
    await expect(writer.write({ ...common, after: undefined, changes: second })).rejects.toMatchObject({
      code: 'CHECKPOINT_MOVED',
    });
    const elsewhere = { height: first.tip.height, blockId: 'ef'.repeat(32) };
    await expect(writer.write({ ...common, after: elsewhere, changes: second })).rejects.toMatchObject({
      code: 'CHECKPOINT_MOVED',
    });
    expect((await repository.load('fuji'))?.checkpoint.tip).toEqual(first.tip);
    expect(await repository.findCheckpoint('mainnet')).toBeUndefined();
  });

  it('gives way while another process writes', async () => {
    await writer.reset('fuji');
    const runner = database.createQueryRunner();
    await runner.connect();
    await runner.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', ['index:fuji:p-chain']);
    try {
      const [first] = fc.sample(changes, { numRuns: 1, seed: 8 });
      if (first === undefined) throw new Error('a sample');
      await expect(writer.write({ ...common, after: undefined, changes: first })).rejects.toMatchObject({
        code: 'OTHER_WRITER',
      });
    } finally {
      await runner.query('SELECT pg_advisory_unlock_all()');
      await runner.release();
    }
    expect(await repository.findCheckpoint('fuji')).toBeUndefined();
  });
});
