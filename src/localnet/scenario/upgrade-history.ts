import { createHash } from 'node:crypto';
import { toHex } from '../../avalanche/ids/hex.js';
import { idFromString } from '../../avalanche/ids/id.js';
import { packUtxo, type Utxo } from '../../avalanche/platformvm/codec/utxo.js';
import { PRIMARY_NETWORK, type Id, type ShortId } from '../../avalanche/platformvm/ids.js';
import type { OutputOwners, TransferableOutput } from '../../avalanche/platformvm/output.js';
import type {
  ProofOfPossession,
  Transaction,
  TransformSubnetTx,
  UnsignedTx,
} from '../../avalanche/platformvm/transaction.js';
import { utxoId } from '../../avalanche/platformvm/utxo-id.js';
import { AVAX, FEE, trioOwners, type Scenario } from './context.js';
import type { Decision } from './history-chain.js';
import { midnight, type History, type HistoryScenario } from './history.js';
import {
  convertSubnet,
  disable,
  registerL1Validator,
  setL1ValidatorWeight,
  topUp,
  type NewL1Validator,
} from './l1.js';
import { ownedBy } from './signing-key.js';
import { sortOutputs } from './spend.js';
import {
  binaryGenesis,
  createChain,
  evmGenesis,
  OTHER_VM_ID,
  removeSubnetValidator,
  SUBNET_EVM_ID,
  subnetValidator,
  transferOwnership,
} from './subnets.js';
import type { Order } from './wallet.js';

const DAY = 86_400;

/** Whole days of the year in which everything happens. */
const on = (monthAndDay: string): number => midnight(`2021-${monthAndDay}`);

const GENESIS_TIME = on('01-01');

/** All that mainnet has been through since Apricot Phase 5, in one year. */
const UPGRADES = {
  apricotPhase5Time: '2021-01-20T00:00:00Z',
  apricotPhasePre6Time: '2021-02-01T00:00:00Z',
  apricotPhase6Time: '2021-02-01T00:00:00Z',
  apricotPhasePost6Time: '2021-02-01T00:00:00Z',
  banffTime: '2021-03-01T00:00:00Z',
  cortinaTime: '2021-06-01T00:00:00Z',
  durangoTime: '2021-09-01T00:00:00Z',
  etnaTime: '2021-10-01T00:00:00Z',
  fortunaTime: '2021-10-05T00:00:00Z',
  graniteTime: '2021-11-01T00:00:00Z',
} as const;

/** UNIX seconds beyond any clock that this runs by: such coins can only be staked. */
const NEVER = BigInt(midnight('2999-01-01'));

/** An asset of the X-chain, and as much of it as the scenario needs. */
const ASSET_ID = digest('staking asset');
const ASSET_AMOUNT = 2_000_000n * AVAX;

interface StakerPlan {
  readonly nodeId: ShortId;
  readonly start: number;
  readonly end: number;
  readonly weight?: bigint;
  /** Stake outputs; the weight is spread over them unevenly. */
  readonly parts?: number;
  /** A UTXO that may only be staked, and is a part of the stake. */
  readonly lockedStake?: Utxo;
  /** Ordinary outputs besides the change, in front of the stake. */
  readonly outputs?: readonly TransferableOutput[];
  /** What becomes of the reward. */
  readonly reward: Decision;
  readonly rewardsOwner?: OutputOwners;
}

interface ValidatorPlan extends StakerPlan {
  readonly shares?: number;
  readonly signer?: ProofOfPossession;
  readonly delegationRewardsOwner?: OutputOwners;
  readonly subnetId?: Id;
}

interface DelegatorPlan extends StakerPlan {
  readonly subnetId?: Id;
}

interface Subnets {
  readonly permissioned: Id;
  readonly elastic: Id;
  readonly lateElastic: Id;
  readonly trios: Id;
}

/** A year on a P-chain that lives through every upgrade from Apricot Phase 5 on. */
export const upgradeHistory: History = {
  description: "avalanchego's P-chain VM through all upgrades from Apricot Phase 5 on, in one year",
  genesisTime: GENESIS_TIME,
  upgrades: UPGRADES,
  validatorFee: null,
  run: liveThroughUpgrades,
};

async function liveThroughUpgrades(scenario: HistoryScenario): Promise<void> {
  const { platform, chain } = scenario;
  const decisions: Decision[] = ['commit', 'abort', 'commit', 'commit', 'commit'];
  for (const [index, { txId, end }] of (await genesisValidators(platform)).entries()) {
    chain.expectStaker({ txId, end, decision: decisions[index] ?? 'commit' });
  }
  const subnets = await apricot(scenario);
  await apricotPhase5(scenario);
  await banff(scenario, subnets);
  await elasticSubnet(scenario, subnets.elastic);
  await cortina(scenario, subnets);
  await durango(scenario, subnets);
  await etna(scenario, subnets);
  await granite(scenario);
}

/** Stakers are proposed, chain time too; exports and imports have blocks of their own. */
async function apricot(scenario: HistoryScenario): Promise<Subnets> {
  const { chain, people, wallet, genesisNodeIds, xChainId, cChainId } = scenario;
  const funded = ownedBy([people.funded]);
  scenario.step('Apricot: subnets');
  const permissioned = await scenario.wallet.run(
    {
      burn: FEE,
      outputs: [
        ...Array.from({ length: 12 }, () => wallet.output(200_000n * AVAX, funded)),
        wallet.output(400n * AVAX, funded, { stakeableLocktime: NEVER }),
        wallet.output(90n * AVAX, trioOwners(scenario), { stakeableLocktime: NEVER }),
        wallet.output(80n * AVAX, trioOwners(scenario)),
        wallet.output(5n * AVAX, ownedBy([people.receiver], { locktime: NEVER })),
      ],
      memo: new TextEncoder().encode('memos were possible'),
    },
    ({ base }) => ({ type: 'CreateSubnet', ...base, owner: funded }),
  );
  const more = [
    await signCreateSubnet(scenario, funded),
    await signCreateSubnet(scenario, funded),
    await signCreateSubnet(scenario, trioOwners(scenario)),
  ] as const;
  await chain.standard(...more);
  const [elastic, lateElastic, trios] = more.map(({ id }) => id);
  if (!elastic || !lateElastic || !trios) throw new Error('three subnets expected');
  await createChain(scenario, {
    ...{ subnetId: permissioned, owner: funded, name: 'Old chain', vmId: SUBNET_EVM_ID },
    genesisData: evmGenesis(99_003),
  });
  await createChain(scenario, {
    ...{ subnetId: trios, owner: trioOwners(scenario), name: 'Old other chain', vmId: OTHER_VM_ID },
    genesisData: binaryGenesis(),
  });
  scenario.step('Apricot: atomic blocks');
  await chain.atomic(await signExport(scenario, xChainId, [5n, 6n]));
  await arrive(scenario, 'X', [7n * AVAX, 8n * AVAX]);
  await chain.atomic(await signImport(scenario, 'X', xChainId));
  await chain.atomic(await signExport(scenario, cChainId, [1n]));

  scenario.step('Apricot: stakers are proposed');
  const [first, second, , fourth] = genesisNodeIds;
  if (!first || !second || !fourth) throw new Error('five genesis validators needed');
  const old = scenario.absentee('old validator').nodeId;
  const unrewarded = scenario.absentee('old unrewarded validator').nodeId;
  await proposeValidator(scenario, 'commit', {
    ...{ nodeId: old, start: on('01-05'), end: on('03-20'), reward: 'commit', shares: 100_000, parts: 2 },
    ...{
      rewardsOwner: trioOwners(scenario),
      outputs: [wallet.output(AVAX, funded), wallet.output(1n, funded)],
    },
  });
  await proposeValidator(scenario, 'abort', {
    ...{ nodeId: unrewarded, start: on('01-05'), end: on('03-20'), reward: 'commit' },
  });
  await proposeValidator(scenario, 'commit', {
    ...{ nodeId: unrewarded, start: on('01-05'), end: on('02-20'), reward: 'abort', weight: 3_000n * AVAX },
  });
  const delegations: [Decision, DelegatorPlan][] = [
    ['commit', { nodeId: old, start: on('01-05'), end: on('02-10'), reward: 'commit', parts: 3 }],
    ['commit', { nodeId: old, start: on('01-06'), end: on('02-12'), reward: 'abort', weight: 700n * AVAX }],
    ['abort', { nodeId: old, start: on('01-06'), end: on('02-12'), reward: 'abort' }],
    [
      'commit',
      {
        ...{ nodeId: old, start: on('01-07'), end: on('03-10'), reward: 'commit', weight: 300n * AVAX },
        rewardsOwner: trioOwners(scenario),
      },
    ],
    ['commit', { nodeId: unrewarded, start: on('01-05'), end: on('02-15'), reward: 'commit' }],
  ];
  for (const [decision, plan] of delegations) await proposeDelegator(scenario, decision, plan);
  const validators: [Decision, ShortId, number, number][] = [
    ['commit', first, on('01-04'), on('01-30')],
    ['abort', second, on('01-04'), on('07-01')],
    ['commit', second, on('01-04'), on('07-01')],
    ['commit', fourth, on('01-05'), on('06-25')],
  ];
  for (const [decision, nodeId, start, end] of validators) {
    const { order, make } = subnetValidator(
      { subnetId: permissioned, owner: funded, nodeId, weight: 100n },
      { start: BigInt(start), end: BigInt(end) },
    );
    await chain.propose(await wallet.sign(order, make), decision);
    if (decision === 'abort') continue;
    chain.expectChange(start);
    chain.expectChange(end);
  }
  scenario.step('Apricot: time is proposed');
  await chain.failToAdvanceTo(on('01-04'));
  await chain.advanceTo(on('01-08'));
  const [locked] = (await wallet.utxos()).filter(({ output }) => output.stakeableLocktime === NEVER);
  await proposeDelegator(scenario, 'commit', {
    ...{ nodeId: old, start: on('01-09'), end: on('02-10'), reward: 'commit', weight: 400n * AVAX },
    lockedStake: locked,
  });
  await chain.advanceTo(on('01-10') + 12_345);
  return { permissioned, elastic, lateElastic, trios };
}

/** Exports and imports stand beside other transactions. */
async function apricotPhase5(scenario: HistoryScenario): Promise<void> {
  const { chain, xChainId, cChainId, people } = scenario;
  scenario.step('Apricot Phase 5');
  await chain.advanceTo(on('01-21'));
  await arrive(scenario, 'C', [3n * AVAX]);
  await chain.standard(
    await signImport(scenario, 'C', cChainId),
    await signExport(scenario, xChainId, [2n]),
    await signCreateSubnet(scenario, ownedBy([people.receiver])),
  );
  const old = scenario.absentee('old validator').nodeId;
  await proposeDelegator(scenario, 'commit', {
    ...{ nodeId: old, start: on('01-30'), end: on('03-20'), reward: 'commit', weight: 333n * AVAX },
  });
  await proposeDelegator(scenario, 'commit', {
    ...{ nodeId: old, start: on('02-03') + 7, end: on('03-20'), reward: 'abort', weight: 30n * AVAX },
  });
  scenario.step('Apricot: rewards');
  await chain.advanceTo(on('02-25'));
}

/** Blocks have a time, stakers are accepted at once and wait for their start. */
async function banff(scenario: HistoryScenario, { permissioned }: Subnets): Promise<void> {
  const { chain, people, wallet, genesisNodeIds } = scenario;
  const owner = ownedBy([people.funded]);
  const [, second, third, fourth] = genesisNodeIds;
  if (!second || !third || !fourth) throw new Error('five genesis validators needed');
  const oldForm = scenario.absentee('Banff validator of the old form').nodeId;
  const newForm = scenario.absentee('Banff validator of the new form');
  scenario.step('Banff: stakers wait for their start');
  await chain.advanceTo(on('03-01'), await signCreateSubnet(scenario, owner));
  await chain.standard(
    await signValidator(scenario, {
      ...{ nodeId: oldForm, start: on('03-05'), end: on('07-15'), reward: 'commit', shares: 50_000 },
    }),
    await signValidator(scenario, {
      ...{ nodeId: newForm.nodeId, start: on('03-05'), end: on('08-20'), reward: 'commit' },
      ...{ signer: newForm.signer, shares: 250_000, weight: 2_222n * AVAX },
      delegationRewardsOwner: ownedBy([people.otherReceiver]),
    }),
  );
  await chain.standard(
    await signDelegator(scenario, {
      ...{ nodeId: oldForm, start: on('03-08'), end: on('03-25'), reward: 'commit', weight: 100n * AVAX },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: oldForm, start: on('03-05'), end: on('06-15'), reward: 'commit', weight: 111n * AVAX },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: newForm.nodeId, start: on('03-05'), end: on('06-20'), reward: 'commit' },
      rewardsOwner: trioOwners(scenario),
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: newForm.nodeId, start: on('03-09') + 1, end: on('06-21'), reward: 'abort' },
    }),
  );
  const greedy = scenario.absentee('Banff validator that keeps everything');
  await chain.standard(
    await signValidator(scenario, {
      ...{ nodeId: greedy.nodeId, signer: greedy.signer, start: on('03-05'), end: on('05-10') },
      ...{ reward: 'commit', shares: 1_000_000, parts: 2 },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: greedy.nodeId, start: on('03-06'), end: on('05-01'), reward: 'commit', parts: 2 },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: greedy.nodeId, start: on('03-06'), end: on('05-10'), reward: 'abort' },
    }),
  );
  const waiting = { subnetId: permissioned, owner, nodeId: third };
  const pending = subnetValidator({ ...waiting, weight: 3n }, window(on('03-06'), on('03-30')));
  await wallet.run(pending.order, pending.make);
  const short = subnetValidator(
    { ...waiting, nodeId: genesisNodeIds[0] ?? third, weight: 4n },
    window(on('03-04'), on('03-12')),
  );
  await wallet.run(short.order, short.make);
  chain.expectChange(on('03-04'));
  chain.expectChange(on('03-12'));
  await removeSubnetValidator(scenario, waiting);
  scenario.step('Banff: stakers start, end and are removed');
  await chain.advanceTo(on('03-13'));
  await removeSubnetValidator(scenario, { subnetId: permissioned, owner, nodeId: second });
  chain.forgetChange(on('07-01'));
  await chain.advanceTo(on('03-26'));
}

/** A subnet with a staking asset of its own. */
async function elasticSubnet(scenario: HistoryScenario, subnetId: Id): Promise<void> {
  const { chain, wallet, people, genesisNodeIds, xChainId } = scenario;
  const [first, second] = genesisNodeIds;
  if (!first || !second) throw new Error('five genesis validators needed');
  scenario.step('Banff: an elastic subnet');
  const coin = wallet.output(20_000n * AVAX, ownedBy([people.funded]), { assetId: ASSET_ID });
  await arrive(scenario, 'X', [ASSET_AMOUNT / 2n, ASSET_AMOUNT / 2n], ASSET_ID);
  const coins = Array.from({ length: 10 }, () => coin);
  await chain.standard(await signImport(scenario, 'X', xChainId, coins));
  await chain.standard(await signTransform(scenario, subnetId));
  const plan = { subnetId, start: on('03-28'), weight: 1_000n * AVAX };
  await chain.standard(
    await signValidator(scenario, {
      ...plan,
      nodeId: first,
      end: on('04-20'),
      reward: 'commit',
      shares: 20_000,
    }),
    await signValidator(scenario, {
      ...plan,
      nodeId: second,
      end: on('04-15'),
      reward: 'abort',
      shares: 30_000,
    }),
    await signPermissionlessDelegator(scenario, {
      ...plan,
      nodeId: first,
      end: on('04-10'),
      reward: 'commit',
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ ...plan, nodeId: first, start: on('03-29'), end: on('04-11'), reward: 'abort' },
      rewardsOwner: trioOwners(scenario),
    }),
    await signPermissionlessDelegator(scenario, {
      ...plan,
      nodeId: second,
      end: on('04-10'),
      reward: 'commit',
    }),
  );
  await chain.advanceTo(on('05-25'));
}

/** The validators' part of delegations waits for the end of those that start from now on. */
async function cortina(scenario: HistoryScenario, { elastic }: Subnets): Promise<void> {
  const { chain, people, genesisNodeIds } = scenario;
  const owner = ownedBy([people.funded]);
  const [, , third, fourth] = genesisNodeIds;
  if (!third || !fourth) throw new Error('five genesis validators needed');
  const late = scenario.absentee('Cortina validator');
  const unrewarded = scenario.absentee('unrewarded Cortina validator').nodeId;
  const greedy = scenario.absentee('Banff validator that keeps everything');
  scenario.step('Cortina: stakers from before');
  const tokens = { subnetId: elastic, weight: 500n * AVAX };
  await chain.standard(
    await signValidator(scenario, {
      ...{ nodeId: late.nodeId, signer: late.signer, start: on('06-03'), end: on('08-01'), reward: 'commit' },
      ...{ shares: 300_000, delegationRewardsOwner: trioOwners(scenario) },
    }),
    await signValidator(scenario, {
      ...{
        ...tokens,
        nodeId: third,
        start: on('05-28'),
        end: on('06-25'),
        reward: 'commit',
        shares: 200_000,
      },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ ...tokens, nodeId: third, start: on('05-29'), end: on('06-10'), reward: 'commit' },
    }),
  );
  scenario.step('Cortina');
  await chain.advanceTo(on('06-01'), await signCreateSubnet(scenario, owner));
  await chain.standard(
    await signValidator(scenario, {
      ...{ nodeId: unrewarded, start: on('06-05'), end: on('07-10'), reward: 'abort', shares: 100_000 },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: late.nodeId, start: on('06-06'), end: on('07-01'), reward: 'commit' },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: late.nodeId, start: on('06-06'), end: on('07-02'), reward: 'abort', weight: 123n * AVAX },
    }),
  );
  await chain.standard(
    await signDelegator(scenario, {
      ...{ nodeId: unrewarded, start: on('06-07'), end: on('07-05'), reward: 'commit', weight: 99n * AVAX },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: late.nodeId, start: on('06-08'), end: on('08-01'), reward: 'commit', parts: 2 },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: unrewarded, start: on('06-08'), end: on('07-10'), reward: 'commit', weight: 31n * AVAX },
    }),
    await signValidator(scenario, {
      ...{ nodeId: greedy.nodeId, signer: greedy.signer, start: on('06-08'), end: on('07-12') },
      ...{ reward: 'commit', shares: 1_000_000 },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{
        nodeId: greedy.nodeId,
        start: on('06-08'),
        end: on('07-11'),
        reward: 'commit',
        weight: 66n * AVAX,
      },
    }),
    await signDelegator(scenario, {
      nodeId: late.nodeId,
      start: on('06-08'),
      end: on('07-05'),
      reward: 'commit',
    }),
    await signValidator(scenario, {
      ...{
        ...tokens,
        nodeId: fourth,
        start: on('06-05'),
        end: on('07-20'),
        reward: 'commit',
        shares: 150_000,
      },
      rewardsOwner: trioOwners(scenario),
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ ...tokens, nodeId: fourth, start: on('06-06'), end: on('07-01'), reward: 'commit' },
    }),
  );
  await chain.advanceTo(on('08-25'));
}

/** Stakers start at once. */
async function durango(
  scenario: HistoryScenario,
  { permissioned, elastic, lateElastic }: Subnets,
): Promise<void> {
  const { chain, wallet, people, genesisNodeIds, xChainId } = scenario;
  const owner = ownedBy([people.funded]);
  const [first, second, third] = genesisNodeIds;
  if (!first || !second || !third) throw new Error('five genesis validators needed');
  const waiting = scenario.absentee('validator that waits for Durango');
  const atOnce = scenario.absentee('Durango validator');
  scenario.step('Durango: stakers from before');
  await chain.standard(
    await signValidator(scenario, {
      ...{ nodeId: waiting.nodeId, signer: waiting.signer, start: on('09-03'), end: on('10-20') },
      ...{ reward: 'commit', shares: 400_000 },
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: waiting.nodeId, start: on('09-04'), end: on('09-20'), reward: 'commit' },
    }),
  );
  const subnetStart = on('09-03');
  const pending = subnetValidator(
    { subnetId: permissioned, owner, nodeId: third, weight: 33n },
    window(subnetStart, on('09-18')),
  );
  await wallet.run(pending.order, pending.make);
  chain.expectChange(subnetStart);
  chain.expectChange(on('09-18'));
  scenario.step('Durango');
  const base = await wallet.sign(
    { burn: FEE, outputs: [wallet.output(12n * AVAX, trioOwners(scenario))] },
    ({ base }) => ({ type: 'Base', ...base }),
  );
  await chain.advanceTo(on('09-01'), base);
  await transferOwnership(scenario, { subnetId: permissioned, owner, newOwner: trioOwners(scenario) });
  const start = chain.time;
  await chain.standard(
    await signValidator(scenario, {
      ...{ nodeId: atOnce.nodeId, signer: atOnce.signer, start, end: on('11-10'), reward: 'commit' },
      shares: 20_000,
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: atOnce.nodeId, start, end: on('09-15'), reward: 'commit', weight: 88n * AVAX },
    }),
    await signValidator(scenario, {
      ...{ nodeId: first, subnetId: elastic, start, end: on('09-25'), reward: 'abort', shares: 500_000 },
      weight: 1_500n * AVAX,
    }),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: first, subnetId: elastic, start, end: on('09-15'), reward: 'commit', weight: 444n * AVAX },
    }),
    await signValidator(scenario, {
      ...{ nodeId: second, subnetId: elastic, start, end: on('10-10'), reward: 'commit' },
      weight: 600n * AVAX,
    }),
  );
  const [locked] = (await wallet.utxos(people.trio[0])).filter(
    ({ output }) => output.stakeableLocktime === NEVER,
  );
  const mixed = scenario.absentee('validator with partly locked stake');
  await chain.standard(
    await signValidator(scenario, {
      ...{ nodeId: mixed.nodeId, signer: mixed.signer, start, end: on('09-20'), reward: 'commit' },
      ...{ lockedStake: locked, parts: 2, outputs: [wallet.output(2n, owner)] },
    }),
  );
  scenario.step('Durango: an elastic subnet with next to no rewards');
  await chain.standard(
    await signTransform(scenario, lateElastic, {
      ...{ maximumSupply: 500_000n * AVAX + 1_000n, minDelegationFee: 0 },
      ...{ minValidatorStake: 1n, minDelegatorStake: 1n },
    }),
  );
  const tiny = { subnetId: lateElastic, start, reward: 'commit' as const };
  await chain.standard(
    await signValidator(scenario, {
      ...tiny,
      nodeId: first,
      end: on('09-22'),
      shares: 0,
      weight: 5_000n * AVAX,
    }),
    await signPermissionlessDelegator(scenario, {
      ...tiny,
      nodeId: first,
      end: on('09-12'),
      weight: 3_000n * AVAX,
    }),
    await signValidator(scenario, {
      ...tiny,
      nodeId: second,
      end: on('09-23'),
      shares: 1_000_000,
      weight: 1n,
    }),
    await signPermissionlessDelegator(scenario, { ...tiny, nodeId: second, end: on('09-13'), weight: 2n }),
  );
  scenario.step('Durango: an asset leaves, and comes back beside an ordinary input');
  const token = wallet.output(9n * AVAX, owner, { assetId: ASSET_ID });
  await wallet.run({ burn: FEE, covered: [token] }, ({ base }) => ({
    ...{ type: 'Export', ...base, destinationChain: xChainId, exportedOutputs: [token] },
  }));
  await arrive(scenario, 'X', [9n * AVAX], ASSET_ID);
  await chain.standard(await signImport(scenario, 'X', xChainId));
  await chain.advanceTo(on('09-14'));
  scenario.step('Durango: a reward is proposed beside other transactions');
  chain.carryWithNextReward(
    await signCreateSubnet(scenario, owner),
    await signPermissionlessDelegator(scenario, {
      ...{ nodeId: atOnce.nodeId, start: on('09-15'), end: on('11-01'), reward: 'abort', weight: 77n * AVAX },
    }),
  );
  await chain.advanceTo(on('09-28'));
}

/** A subnet becomes an L1 whose validators pay as time passes. */
async function etna(scenario: HistoryScenario, { permissioned, trios }: Subnets): Promise<void> {
  const { chain, wallet, people, cChainId, genesisNodeIds } = scenario;
  const owner = ownedBy([people.funded]);
  const trio = trioOwners(scenario);
  const [, second] = genesisNodeIds;
  if (second === undefined) throw new Error('five genesis validators needed');
  scenario.step('Etna');
  await chain.advanceTo(on('10-01'), await signCreateSubnet(scenario, owner));
  const staying = subnetValidator(
    { subnetId: permissioned, owner: trio, nodeId: second, weight: 9n },
    window(chain.time, on('10-15')),
  );
  await wallet.run(staying.order, staying.make);
  chain.expectChange(on('10-15'));
  const make = (name: string, balance: bigint, weight: bigint): NewL1Validator => ({
    ...{ identity: scenario.absentee(`old L1 ${name}`), balance, weight },
    ...{ remainingBalanceOwner: ownedBy([people.receiver]), deactivationOwner: owner },
  });
  const start = chain.time;
  const threeDays = 3 * DAY;
  const [rich, short] = await convertSubnet(scenario, {
    ...{ subnetId: permissioned, owner: trio, managerChainId: cChainId },
    validators: [
      make('rich', 10n * AVAX, 100n),
      make('short', BigInt(threeDays), 50n),
      make('without balance', 0n, 25n),
      make('as short', BigInt(threeDays), 26n),
    ],
  });
  if (!rich || !short) throw new Error('three validations expected');
  chain.expectChange(start + threeDays);
  await chain.advanceTo(on('10-02'), await signCreateSubnet(scenario, owner));
  const registered = await registerL1Validator(scenario, permissioned, make('registered', 5n * AVAX, 7n));
  await setL1ValidatorWeight(scenario, { validationId: registered, nonce: 2n, weight: 8n });
  await chain.advanceTo(on('10-06'), await signCreateSubnet(scenario, trio));
  scenario.step('Etna: L1 validators end');
  await topUp(scenario, short, BigInt(2 * DAY));
  chain.expectChange(chain.time + 2 * DAY);
  await disable(scenario, rich, owner);
  await setL1ValidatorWeight(scenario, { validationId: registered, nonce: 3n, weight: 0n });
  await registerL1Validator(scenario, permissioned, make('registered', 50n, 9n));
  chain.expectChange(chain.time + 50);
  await convertSubnet(scenario, {
    ...{ subnetId: trios, owner: trio, managerChainId: cChainId },
    validators: [{ ...make('other', 20n * AVAX, 1n), deactivationOwner: trio }],
  });
  await chain.advanceTo(on('10-21'));
}

/** Today's rules, and the end of the genesis' validators. */
async function granite(scenario: HistoryScenario): Promise<void> {
  const { chain, wallet, xChainId } = scenario;
  scenario.step('Granite');
  await chain.advanceTo(on('11-01'));
  await chain.standard(await signExport(scenario, xChainId, [4n]));
  const [shared] = (await wallet.utxos(scenario.people.trio[0])).filter(
    ({ output }) => output.owners.threshold === 2 && output.stakeableLocktime === null,
  );
  if (shared === undefined) throw new Error('an output with two of three owners expected');
  await wallet.run({ burn: FEE, mustSpend: [shared] }, ({ base }) => ({ type: 'Base', ...base }));
  scenario.step('the validators of the genesis end');
  await chain.advanceTo(midnight('2022-01-01'));
}

async function genesisValidators(platform: Scenario['platform']): Promise<{ txId: Id; end: number }[]> {
  const validators = await platform.getCurrentValidators();
  return validators.flatMap((validator) =>
    validator.kind === 'staker'
      ? [{ txId: toHex(idFromString(validator.txId)), end: validator.endTimestampSeconds }]
      : [],
  );
}

async function proposeValidator(
  scenario: HistoryScenario,
  decision: Decision,
  plan: ValidatorPlan,
): Promise<void> {
  const transaction = await sign(scenario, ...validatorOrder(scenario, plan));
  await scenario.chain.propose(transaction, decision);
  if (decision === 'commit') expect(scenario, transaction, plan);
}

async function proposeDelegator(
  scenario: HistoryScenario,
  decision: Decision,
  plan: DelegatorPlan,
): Promise<void> {
  const transaction = await sign(scenario, ...delegatorOrder(scenario, plan, 'AddDelegator'));
  await scenario.chain.propose(transaction, decision);
  if (decision === 'commit') expect(scenario, transaction, plan);
}

/** Of the old form, unless it has a BLS key or a subnet. */
async function signValidator(scenario: HistoryScenario, plan: ValidatorPlan): Promise<Transaction> {
  const transaction = await sign(scenario, ...validatorOrder(scenario, plan));
  expect(scenario, transaction, plan);
  return transaction;
}

async function signDelegator(scenario: HistoryScenario, plan: DelegatorPlan): Promise<Transaction> {
  const transaction = await sign(scenario, ...delegatorOrder(scenario, plan, 'AddDelegator'));
  expect(scenario, transaction, plan);
  return transaction;
}

async function signPermissionlessDelegator(
  scenario: HistoryScenario,
  plan: DelegatorPlan,
): Promise<Transaction> {
  const transaction = await sign(scenario, ...delegatorOrder(scenario, plan, 'AddPermissionlessDelegator'));
  expect(scenario, transaction, plan);
  return transaction;
}

function expect({ chain }: HistoryScenario, { id: txId }: Transaction, plan: StakerPlan): void {
  chain.expectStaker({ txId, start: plan.start, end: plan.end, decision: plan.reward });
}

type OrderAndMaker = Parameters<Scenario['wallet']['sign']>;

async function sign({ wallet }: HistoryScenario, ...parts: OrderAndMaker): Promise<Transaction> {
  return wallet.sign(...parts);
}

function validatorOrder(scenario: HistoryScenario, plan: ValidatorPlan): OrderAndMaker {
  const { nodeId, start, end, weight = 2_000n * AVAX, subnetId, signer, shares = 20_000 } = plan;
  const funded = ownedBy([scenario.people.funded]);
  const rewardsOwner = plan.rewardsOwner ?? funded;
  const { order, stake } = stakeOrder(scenario, plan, weight);
  const validator = { nodeId, ...window(start, end), weight };
  return [
    order,
    ({ base }): UnsignedTx =>
      subnetId === undefined && signer === undefined
        ? { type: 'AddValidator', ...base, validator, stake, rewardsOwner, shares }
        : {
            type: 'AddPermissionlessValidator',
            ...{ ...base, validator, stake, shares, subnetId: subnetId ?? PRIMARY_NETWORK },
            signer: signer ?? null,
            validationRewardsOwner: rewardsOwner,
            delegationRewardsOwner: plan.delegationRewardsOwner ?? funded,
          },
  ];
}

function delegatorOrder(
  scenario: HistoryScenario,
  plan: DelegatorPlan,
  type: 'AddDelegator' | 'AddPermissionlessDelegator',
): OrderAndMaker {
  const { nodeId, start, end, weight = 50n * AVAX, subnetId } = plan;
  const rewardsOwner = plan.rewardsOwner ?? ownedBy([scenario.people.funded]);
  const { order, stake } = stakeOrder(scenario, plan, weight);
  const validator = { nodeId, ...window(start, end), weight };
  return [
    order,
    ({ base }): UnsignedTx =>
      type === 'AddDelegator'
        ? { type, ...base, validator, stake, rewardsOwner }
        : { type, ...base, validator, stake, rewardsOwner, subnetId: subnetId ?? PRIMARY_NETWORK },
  ];
}

function stakeOrder(
  { wallet, people }: HistoryScenario,
  plan: StakerPlan & { subnetId?: Id },
  weight: bigint,
): { order: Order; stake: TransferableOutput[] } {
  const { subnetId, lockedStake, parts = 1, outputs = [] } = plan;
  const funded = ownedBy([people.funded]);
  const kind = subnetId === undefined ? {} : { assetId: ASSET_ID };
  const stake: TransferableOutput[] = [];
  if (lockedStake !== undefined) {
    const { amount, owners, stakeableLocktime } = lockedStake.output;
    stake.push(wallet.output(amount, owners, { stakeableLocktime, ...kind }));
  }
  let rest = stake.reduce((sum, { amount }) => sum - amount, weight);
  for (let part = 1; part < parts; part += 1) {
    stake.push(wallet.output(rest / 3n, funded, kind));
    rest -= rest / 3n;
  }
  if (rest > 0n) stake.push(wallet.output(rest, funded, kind));
  const mustSpend = lockedStake === undefined ? [] : [lockedStake];
  return { order: { burn: FEE, outputs, covered: stake, mustSpend }, stake: sortOutputs(stake) };
}

async function signCreateSubnet({ wallet }: HistoryScenario, owner: OutputOwners): Promise<Transaction> {
  return wallet.sign({ burn: FEE }, ({ base }) => ({ type: 'CreateSubnet', ...base, owner }));
}

async function signExport(
  { wallet, people }: HistoryScenario,
  destinationChain: Id,
  amounts: readonly bigint[],
): Promise<Transaction> {
  const funded = ownedBy([people.funded]);
  const exportedOutputs = amounts.map((amount) => wallet.output(amount * AVAX, funded));
  return wallet.sign({ burn: FEE, covered: exportedOutputs }, ({ base }) => ({
    ...{ type: 'Export', ...base, destinationChain, exportedOutputs },
  }));
}

/** Takes all that waits. */
async function signImport(
  { wallet }: HistoryScenario,
  alias: 'X' | 'C',
  sourceChain: Id,
  outputs: readonly TransferableOutput[] = [],
): Promise<Transaction> {
  const { order, inputs } = await wallet.collect(alias, FEE);
  return wallet.sign({ ...order, outputs }, ({ base }) => ({
    ...{ type: 'Import', ...base, sourceChain, importedInputs: inputs },
  }));
}

async function signTransform(
  { wallet, people }: HistoryScenario,
  subnetId: Id,
  rules: Partial<TransformSubnetTx> = {},
): Promise<Transaction> {
  const owner = ownedBy([people.funded]);
  const initialSupply = 500_000n * AVAX;
  const { maximumSupply = 700_000n * AVAX } = rules;
  const pool = wallet.output(maximumSupply - initialSupply, owner, { assetId: ASSET_ID });
  return wallet.sign({ burn: FEE, covered: [pool], authorizedBy: owner }, ({ base, auth }) => ({
    type: 'TransformSubnet',
    ...base,
    ...{ subnetId, assetId: ASSET_ID, initialSupply, maximumSupply },
    ...{ minConsumptionRate: 50_000n, maxConsumptionRate: 170_000n },
    ...{ minValidatorStake: 100n * AVAX, maxValidatorStake: 10_000n * AVAX },
    ...{ minStakeDuration: 3_600, maxStakeDuration: 60 * DAY },
    ...{ minDelegationFee: 10_000, minDelegatorStake: 1n * AVAX },
    ...{ maxValidatorWeightFactor: 5, uptimeRequirement: 800_000 },
    ...rules,
    subnetAuth: auth,
  }));
}

/** Outputs that another chain has exported to the funded key. */
async function arrive(
  { vm, people, avaxAssetId }: HistoryScenario,
  chain: 'X' | 'C',
  amounts: readonly bigint[],
  assetId = avaxAssetId,
): Promise<void> {
  const owners = ownedBy([people.funded]);
  const txId = digest(`export of ${amounts.join(', ')} ${assetId} from ${chain}`);
  for (const [outputIndex, amount] of amounts.entries()) {
    const output = { amount, stakeableLocktime: null, owners };
    await vm.export({
      chain,
      utxoId: utxoId(txId, outputIndex),
      utxo: packUtxo({ txId, outputIndex, assetId, output }),
      addresses: owners.addresses,
    });
  }
}

function window(start: number, end: number): { start: bigint; end: bigint } {
  return { start: BigInt(start), end: BigInt(end) };
}

function digest(name: string): Id {
  return toHex(new Uint8Array(createHash('sha256').update(`scenario ${name}`).digest()));
}
