import type { AvalanchegoBinaries } from '../binaries.js';
import type { LocalNode } from '../local-node.js';
import { knowsHelicon } from '../staking-flags.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { PChainOwner } from '../../../src/avalanche/platformvm/output.js';
import { poll } from '../../../sandbox/local/processes/poll.js';
import {
  addAndLeave,
  changeRenewal,
  isHeliconActive,
  keepRenewing,
  startRenewing,
  type RenewalTimes,
  type Renewing,
} from './current-renewals.js';
import { FEE, trioOwners, type Scenario } from './context.js';
import type { Identity } from './identities.js';
import {
  convertToL1,
  disable,
  registerL1Validator,
  setL1ValidatorWeight,
  topUp,
  waitUntilInactive,
  type NewL1Validator,
} from './l1.js';
import { ownedBy } from './signing-key.js';
import { toText } from './wallet.js';
import { addDelegator, addValidator, issueDelegator } from './staking.js';
import {
  addSubnetValidator,
  binaryGenesis,
  createChain,
  createSubnet,
  evmGenesis,
  FX_IDS,
  OTHER_VM_ID,
  removeSubnetValidator,
  SUBNET_EVM_ID,
  transferOwnership,
} from './subnets.js';
import { nowSeconds } from './spend.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

const DAY = 86_400;
const REWARD_TIMEOUT_MS = 240_000;

/** How many the scenarios need: one more for a validator that renews itself, where the network may know Helicon. */
export function guestsNeeded({ version }: AvalanchegoBinaries): number {
  return knowsHelicon(version) ? 3 : 2;
}

/** AVAX. Large ones, so that many transactions can be on their way at once, and small ones to spend together. */
const SPARE_COINS = [...Array.from({ length: 8 }, () => 100_000n), 50n, 60n, 70n, 80n];

/** nAVAX that an active L1 validator of the local network pays per second, with as few of them as here. */
const L1_PRICE = 1n;

/** Seconds that the first stakings take; at least the network's minimum, and some for getting into a block. */
interface StakingTimes {
  readonly rewarded: number;
  readonly absent: number;
  readonly stopped: number;
  /** Delegations to the rewarded validator, the last one from locked coins. */
  readonly delegations: readonly [number, number, number];
  readonly absentDelegations: number;
  readonly firstDelegation: number;
  readonly lastDelegation: number;
  readonly renewal: RenewalTimes;
}

const LONG_TIMES: StakingTimes = {
  rewarded: 120,
  absent: 90,
  stopped: 150,
  delegations: [30, 60, 80],
  absentDelegations: 40,
  firstDelegation: 25,
  lastDelegation: 140,
  renewal: { period: 50, delegation: 30 },
};

const SHORT_TIMES: StakingTimes = {
  rewarded: 100,
  absent: 50,
  stopped: 110,
  delegations: [25, 35, 45],
  absentDelegations: 30,
  firstDelegation: 25,
  lastDelegation: 40,
  renewal: { period: 35, delegation: 20 },
};

/**
 * Every kind of transaction that avalanchego accepts under today's rules, most of them in more than one way. Needs a
 * network with short stakings and two guests, or three where Helicon is active; the second guest's node is stopped on
 * the way.
 */
export async function runCurrentScenario(
  scenario: Scenario,
  guestNodes: readonly LocalNode[],
): Promise<void> {
  await run(scenario, LONG_TIMES, {
    onceStaking: async ({ delegationToStopped }) => {
      scenario.step('a guest stops validating');
      await waitForReward(scenario, delegationToStopped);
      await guestNodes[1]?.stop();
    },
    afterwards: () => validateAgain(scenario),
  });
}

/**
 * The same in about two minutes, which leave a busy machine some time: nobody stops and hardly anybody validates twice. Needs a network with two
 * guests, or three where Helicon is active, and stakings of ten seconds. What is to happen meanwhile does so while stakers stake.
 */
export function runShortScenario(scenario: Scenario, meanwhile?: () => Promise<void>): Promise<void> {
  return run(scenario, SHORT_TIMES, { beforeTheEnd: meanwhile });
}

async function run(
  scenario: Scenario,
  times: StakingTimes,
  more: {
    onceStaking?: (stakers: Stakers) => Promise<void>;
    beforeTheEnd?: (() => Promise<void>) | undefined;
    afterwards?: () => Promise<void>;
  },
): Promise<void> {
  await distributeFunds(scenario);
  const stakers = await startStaking(scenario, times);
  const renewals = await startRenewals(scenario, times);
  await moveBetweenChains(scenario);
  const subnets = await makeSubnets(scenario);
  if (renewals !== null) await changeRenewal(scenario, renewals.renewing);
  await more.onceStaking?.(stakers);
  await transferSubnets(scenario, subnets);
  await makeL1(scenario, subnets.l1);
  await makeL1OfTrio(scenario, subnets.trios);
  await spendTogether(scenario);
  await more.beforeTheEnd?.();
  scenario.step('all stakings end');
  for (const txId of stakers.all) await waitForEnd(scenario, txId);
  if (renewals !== null) await waitForEnd(scenario, await addAndLeave(scenario, ...renewals.leaving));
  await more.afterwards?.();
  if (renewals !== null) await endRenewals(scenario, renewals);
}

/** Outputs of all kinds: with several owners, locked for spending, locked for anything but staking. */
async function distributeFunds(scenario: Scenario): Promise<void> {
  const { wallet, people } = scenario;
  const funded = ownedBy([people.funded]);
  const hour = nowSeconds() + 3_600n;
  scenario.step('outputs of all kinds');
  await wallet.run(
    {
      burn: FEE,
      outputs: [
        ...SPARE_COINS.map((amount) => wallet.output(amount * AVAX, funded)),
        wallet.output(100n * AVAX, trioOwners(scenario)),
        wallet.output(40n * AVAX, trioOwners(scenario)),
        wallet.output(3n * AVAX, ownedBy([people.receiver], { locktime: hour })),
        wallet.output(30n * AVAX, funded, { stakeableLocktime: hour }),
        wallet.output(35n * AVAX, trioOwners(scenario), { stakeableLocktime: hour }),
        wallet.output(1n, ownedBy([people.otherReceiver, people.receiver])),
      ],
    },
    ({ base }) => ({ type: 'Base', ...base }),
  );
}

interface Stakers {
  readonly all: readonly Id[];
  readonly delegationToStopped: Id;
}

/** One validation that is rewarded, one that is not, one that is not although its first delegation was. */
async function startStaking(scenario: Scenario, times: StakingTimes): Promise<Stakers> {
  const { people, guests, wallet } = scenario;
  const [rewarded, stopped] = guests;
  if (rewarded === undefined || stopped === undefined) throw new Error('the scenario needs two guests');
  const absent = scenario.absentee('absent validator');
  const locked = (await wallet.utxos()).filter(({ output }) => output.stakeableLocktime !== null);
  scenario.step('validators');
  const validators = [
    await addValidator(scenario, stopped, { seconds: times.stopped, stake: 2_500n * AVAX, shares: 100_000 }),
    await addValidator(scenario, rewarded, {
      seconds: times.rewarded,
      validationRewardsOwner: trioOwners(scenario),
      delegationRewardsOwner: ownedBy([people.receiver], { locktime: nowSeconds() + BigInt(DAY) }),
      shares: 200_000,
    }),
    await addValidator(scenario, absent, { seconds: times.absent, shares: 1_000_000 }),
  ];
  scenario.step('delegators, several in a block');
  const delegationToStopped = await issueDelegator(scenario, stopped.nodeId, {
    seconds: times.firstDelegation,
    stake: 1_000n * AVAX,
    rewardsOwner: ownedBy([people.otherReceiver]),
  });
  const others = [
    await issueDelegator(scenario, rewarded.nodeId, { seconds: times.delegations[0], stake: 500n * AVAX }),
    await issueDelegator(scenario, rewarded.nodeId, {
      seconds: times.delegations[1],
      stake: 1_000n * AVAX,
      rewardsOwner: trioOwners(scenario),
    }),
    await issueDelegator(scenario, rewarded.nodeId, {
      seconds: times.delegations[2],
      stake: 30n * AVAX,
      lockedStake: locked[0],
    }),
    await issueDelegator(scenario, absent.nodeId, { seconds: times.absentDelegations, stake: 25n * AVAX }),
    await issueDelegator(scenario, absent.nodeId, { seconds: times.absentDelegations, stake: 27n * AVAX }),
    await issueDelegator(scenario, stopped.nodeId, { seconds: times.lastDelegation, stake: 100n * AVAX }),
  ];
  for (const txId of [delegationToStopped, ...others]) await wallet.decided(txId);
  return { all: [delegationToStopped, ...others, ...validators], delegationToStopped };
}

interface Renewals {
  readonly renewing: Renewing;
  readonly absent: Id;
  /** For a validator that comes and leaves once the first guest's first validation is over. */
  readonly leaving: readonly [Identity, RenewalTimes];
}

/** Validators that renew themselves; null on networks without Helicon, which do not know any. */
async function startRenewals(scenario: Scenario, { renewal }: StakingTimes): Promise<Renewals | null> {
  if (!(await isHeliconActive(scenario))) return null;
  const [guest] = scenario.guests;
  if (guest === undefined) throw new Error('the scenario needs a guest');
  return { ...(await startRenewing(scenario, renewal)), leaving: [guest, renewal] };
}

async function endRenewals(scenario: Scenario, { renewing, absent }: Renewals): Promise<void> {
  await waitForEnd(scenario, absent);
  await keepRenewing(scenario, renewing);
}

/** In both directions with both chains, and something left waiting in each. */
async function moveBetweenChains(scenario: Scenario): Promise<void> {
  const { people, wallet, x, c, xChainId, cChainId } = scenario;
  const funded = ownedBy([people.funded]);
  const exportTo = async (destinationChain: Id, amounts: readonly bigint[]): Promise<Id> => {
    const exportedOutputs = amounts.map((amount) => wallet.output(amount * AVAX, funded));
    return wallet.run({ burn: FEE, covered: exportedOutputs }, ({ base }) => ({
      type: 'Export',
      ...base,
      destinationChain,
      exportedOutputs,
    }));
  };
  scenario.step('to the X-chain and back');
  await exportTo(xChainId, [5n, 6n]);
  await x.importFromP();
  await x.exportToP([wallet.output(7n * AVAX, funded), wallet.output(8n * AVAX, funded)]);
  await wallet.importFrom('X', xChainId, FEE);
  await x.exportToP([wallet.output(2n * AVAX, trioOwners(scenario)), wallet.output(AVAX, funded)]);
  scenario.step('to the C-chain and back');
  await exportTo(cChainId, [9n]);
  await c.importFromP();
  await c.exportToP([wallet.output(10n * AVAX, funded)]);
  await wallet.importFrom('C', cChainId, FEE);
  await c.exportToP([wallet.output(3n * AVAX, funded)]);
  scenario.step('exports that nobody imports');
  await exportTo(xChainId, [1n, 2n]);
  await exportTo(cChainId, [3n]);
}

interface Subnets {
  readonly permissioned: Id;
  readonly trios: Id;
  readonly l1: Id;
}

async function makeSubnets(scenario: Scenario): Promise<Subnets> {
  const { people, guests, genesisNodeIds } = scenario;
  const owner = ownedBy([people.funded]);
  scenario.step('subnets and chains');
  const permissioned = await createSubnet(scenario, owner);
  const trios = await createSubnet(scenario, trioOwners(scenario));
  const l1 = await createSubnet(scenario, owner);
  await createSubnet(scenario, ownedBy([people.otherReceiver], { locktime: nowSeconds() + BigInt(DAY) }));
  await createChain(scenario, {
    subnetId: permissioned,
    owner,
    name: 'EVM chain',
    vmId: SUBNET_EVM_ID,
    genesisData: evmGenesis(99_001),
  });
  await createChain(scenario, {
    subnetId: trios,
    owner: trioOwners(scenario),
    name: 'Other chain',
    vmId: OTHER_VM_ID,
    fxIds: FX_IDS,
    genesisData: binaryGenesis(),
  });
  await createChain(scenario, {
    subnetId: l1,
    owner,
    name: 'L1 chain',
    vmId: SUBNET_EVM_ID,
    genesisData: evmGenesis(99_002),
  });
  scenario.step('validators of subnets');
  const [first, second, third, fourth] = genesisNodeIds;
  const guest = guests[0];
  if (!first || !second || !third || !fourth || !guest) throw new Error('five genesis validators needed');
  const permanent = { seconds: DAY, weight: 200n };
  await addSubnetValidator(scenario, {
    subnetId: permissioned,
    owner,
    nodeId: first,
    seconds: 25,
    weight: 100n,
  });
  await addSubnetValidator(scenario, { subnetId: permissioned, owner, nodeId: second, ...permanent });
  await addSubnetValidator(scenario, { subnetId: permissioned, owner, nodeId: third, ...permanent });
  await addSubnetValidator(scenario, {
    subnetId: permissioned,
    owner,
    nodeId: guest.nodeId,
    seconds: 30,
    weight: 7n,
  });
  await addSubnetValidator(scenario, { subnetId: l1, owner, nodeId: fourth, seconds: DAY, weight: 20n });
  await addSubnetValidator(scenario, {
    subnetId: l1,
    owner,
    nodeId: second,
    seconds: 2 * DAY,
    weight: 21n,
  });
  return { permissioned, trios, l1 };
}

/** To new owners, who then use their rights. */
async function transferSubnets(scenario: Scenario, { permissioned }: Subnets): Promise<void> {
  const [, second] = scenario.genesisNodeIds;
  if (second === undefined) throw new Error('two genesis validators needed');
  const trio = trioOwners(scenario);
  scenario.step('a subnet changes hands');
  await transferOwnership(scenario, {
    subnetId: permissioned,
    owner: ownedBy([scenario.people.funded]),
    newOwner: trio,
  });
  await removeSubnetValidator(scenario, { subnetId: permissioned, owner: trio, nodeId: second });
}

/** All that can happen to L1 validators: active, inactive, run dry, topped up, disabled, reweighted, removed. */
async function makeL1(scenario: Scenario, subnetId: Id): Promise<void> {
  const { people, cChainId, genesisNodeIds } = scenario;
  const owner = ownedBy([people.funded]);
  const trio = trioOwners(scenario);
  const make = (name: string, balance: bigint, weight: bigint): NewL1Validator => ({
    identity: scenario.absentee(`L1 ${name}`),
    balance,
    weight,
    remainingBalanceOwner: ownedBy([people.receiver, people.funded]),
    deactivationOwner: owner,
  });
  scenario.step('a subnet becomes an L1');
  const {
    validationIds: [rich, poor, short, disabled],
  } = await convertToL1(scenario, {
    subnetId,
    owner,
    managerChainId: cChainId,
    validators: [
      make('rich', AVAX, 100n),
      make('without balance', 0n, 50n),
      make('short', 20n * L1_PRICE, 60n),
      { ...make('disabled', AVAX / 2n, 70n), deactivationOwner: trio },
    ],
  });
  if (!rich || !poor || !short || !disabled) throw new Error('four validations expected');
  const [, , , fourth] = genesisNodeIds;
  if (fourth === undefined) throw new Error('four genesis validators needed');
  await removeSubnetValidator(scenario, { subnetId, owner, nodeId: fourth });
  scenario.step('L1 validators register');
  const registered = await registerL1Validator(scenario, subnetId, make('registered', AVAX / 10n, 10n));
  const sleeping = await registerL1Validator(scenario, subnetId, {
    ...make('registered without balance', 0n, 11n),
    deactivationOwner: trio,
  });
  const leaving = await registerL1Validator(scenario, subnetId, make('leaving', AVAX / 20n, 12n));
  scenario.step('L1 validators change weight');
  await setL1ValidatorWeight(scenario, { validationId: registered, nonce: 0n, weight: 15n });
  await setL1ValidatorWeight(scenario, { validationId: registered, nonce: 5n, weight: 16n });
  await setL1ValidatorWeight(scenario, { validationId: rich, nonce: 1n, weight: 90n });
  scenario.step('an L1 validator runs dry');
  await waitUntilInactive(scenario, short);
  scenario.step('L1 validators are topped up');
  await topUp(scenario, short, 5_000n);
  await topUp(scenario, rich, AVAX / 4n);
  await topUp(scenario, poor, 777n);
  scenario.step('L1 validators are disabled');
  await disable(scenario, disabled, trio);
  await disable(scenario, sleeping, trio);
  await topUp(scenario, disabled, AVAX / 8n);
  await disable(scenario, disabled, trio);
  scenario.step('L1 validators are removed');
  await setL1ValidatorWeight(scenario, { validationId: leaving, nonce: 3n, weight: 0n });
  await setL1ValidatorWeight(scenario, { validationId: sleeping, nonce: 0n, weight: 0n });
  // Runs dry once more, with nothing but time passing.
  await topUp(scenario, disabled, 6n * L1_PRICE);
  await waitUntilInactive(scenario, disabled);
}

async function makeL1OfTrio(scenario: Scenario, subnetId: Id): Promise<void> {
  const { cChainId, people } = scenario;
  const nobody: PChainOwner = { threshold: 0, addresses: [] };
  const trio = trioOwners(scenario);
  scenario.step('a subnet with several owners becomes an L1');
  await convertToL1(scenario, {
    subnetId,
    owner: trio,
    managerChainId: cChainId,
    validators: [
      {
        identity: scenario.absentee('other L1 first'),
        weight: 1n,
        balance: AVAX,
        remainingBalanceOwner: trio,
        deactivationOwner: nobody,
      },
      {
        identity: scenario.absentee('other L1 second'),
        weight: 2n,
        balance: 2n * AVAX,
        remainingBalanceOwner: ownedBy([people.otherReceiver]),
        deactivationOwner: trio,
      },
    ],
  });
}

/** Many inputs in one transaction, outputs that need two signatures, and many transactions in one block. */
async function spendTogether(scenario: Scenario): Promise<void> {
  const { wallet, people } = scenario;
  const funded = ownedBy([people.funded]);
  scenario.step('outputs are spent together');
  const [member] = people.trio;
  const shared = (await wallet.utxos(member)).filter(
    ({ output }) => output.owners.threshold === 2 && output.stakeableLocktime === null,
  );
  const small = (await wallet.utxos()).filter(
    ({ output }) =>
      output.amount < 100n * AVAX && output.owners.threshold === 1 && output.stakeableLocktime === null,
  );
  await wallet.run({ burn: FEE, mustSpend: [...shared.slice(0, 1), ...small.slice(0, 4)] }, ({ base }) => ({
    type: 'Base',
    ...base,
  }));
  const issued: Id[] = [];
  for (let number = 1n; number <= 6n; number += 1n) {
    const outputs = [wallet.output(number, ownedBy([people.receiver])), wallet.output(AVAX, funded)];
    issued.push(await wallet.issue({ burn: FEE, outputs }, ({ base }) => ({ type: 'Base', ...base })));
  }
  for (const txId of issued) await wallet.decided(txId);
}

/** A second validation of the same node, whose end leaves the network with its genesis validators. */
async function validateAgain(scenario: Scenario): Promise<void> {
  const [guest] = scenario.guests;
  if (guest === undefined) throw new Error('the scenario needs a guest');
  scenario.step('a second validation of the same node');
  const txId = await addValidator(scenario, guest, { seconds: 45, stake: 2_001n * AVAX });
  const delegation = await addDelegator(scenario, guest.nodeId, { seconds: 22, stake: 333n * AVAX });
  await waitForEnd(scenario, delegation);
  await waitForEnd(scenario, txId);
  scenario.step('stakers that are still there at the end');
  await addValidator(scenario, guest, { seconds: 30 * DAY, stake: 2_002n * AVAX, shares: 50_000 });
  await addDelegator(scenario, guest.nodeId, { seconds: 10 * DAY, stake: 100n * AVAX });
  await addDelegator(scenario, guest.nodeId, { seconds: 20 * DAY, stake: 200n * AVAX });
}

async function waitForReward({ node }: Scenario, txId: Id): Promise<void> {
  await poll({
    what: `reward of ${txId}`,
    timeoutMs: REWARD_TIMEOUT_MS,
    intervalMs: 500,
    ask: async () => ((await node.countRewards(toText(txId))) > 0 ? true : undefined),
  });
}

/** Until no validator and no delegator of the primary network has this transaction any more. */
async function waitForEnd({ platform }: Scenario, txId: Id): Promise<void> {
  const text = toText(txId);
  await poll({
    what: `end of staking ${txId}`,
    timeoutMs: REWARD_TIMEOUT_MS,
    intervalMs: 500,
    ask: async () => {
      const validators = await platform.getCurrentValidators();
      for (const { nodeId } of validators) {
        const [validator] = await platform.getCurrentValidators({ nodeIds: [nodeId] });
        // It may have ended since it was listed.
        if (validator !== undefined && JSON.stringify(validator, bigintToText).includes(text)) {
          return undefined;
        }
      }
      return true;
    },
  });
}

const bigintToText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;
