import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { Transaction } from '../../../src/avalanche/platformvm/transaction.js';
import type { RenewalConfig } from './auto-renewed.js';
import { FEE, trioOwners } from './context.js';
import { NEVER, signDelegation, signValidation, window } from './history-orders.js';
import { addRenewing, reconfigure, signConfig, signRenewing, type Renewing } from './history-renewals.js';
import { midnight, type History, type HistoryScenario } from './history.js';
import type { Identity } from './identities.js';
import { ownedBy } from './signing-key.js';
import { createSubnet, subnetValidator } from './subnets.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const HELICON = midnight('2022-02-01');
const MILLION = 1_000_000;

/** UNIX seconds, so long after Helicon. */
const day = (days: number, seconds = 0): number => HELICON + days * DAY + seconds;

/** Two for stakes of nearly all that a validator may have, and one for each other transaction of a block. */
const COINS = [3_200_000n, 3_200_000n, ...Array.from({ length: 20 }, () => 200_000n)];

/** A P-chain that lives through Helicon and beyond the 90 days in which the lowest consumption rate falls. */
export const heliconHistory: History = {
  description: "avalanchego's P-chain VM through Helicon and the half year around it",
  genesisTime: midnight('2022-01-01'),
  upgrades: { heliconTime: new Date(HELICON * 1000).toISOString() },
  validatorFee: null,
  run: liveThroughHelicon,
};

async function liveThroughHelicon(scenario: HistoryScenario): Promise<void> {
  const subnetId = await beforeHelicon(scenario);
  const validators = await activation(scenario);
  await shortStakings(scenario);
  const large = await stakesNearTheLimit(scenario);
  await renewals(scenario, validators);
  await endTogether(scenario, validators, subnetId);
  await comeBack(scenario, validators);
  await theRateFalls(scenario, large);
  await afterTheFall(scenario, { ...validators, large });
}

/** Takes delegations all the time, and does not renew itself. */
const steady = (scenario: HistoryScenario): Identity => scenario.absentee('steady validator');

/** An ordinary validator and a delegator like those of other days, so that only the day makes the difference. */
async function stakeAsEver(scenario: HistoryScenario, label: string): Promise<void> {
  const { chain } = scenario;
  scenario.step(`ordinary stakes ${label}`);
  const end = chain.time + 30 * DAY;
  await chain.standard(
    await signValidation(scenario, scenario.absentee(`ordinary validator ${label}`), { end }),
    await signDelegation(scenario, steady(scenario), { end, weight: 1_000n * AVAX }),
  );
}

async function beforeHelicon(scenario: HistoryScenario): Promise<Id> {
  const { chain, wallet, people } = scenario;
  const owner = ownedBy([people.funded]);
  scenario.step('before Helicon');
  // A chain that starts after Etna has to save up gas before any transaction.
  await chain.advanceTo(chain.time + HOUR);
  const outputs = [
    ...COINS.map((amount) => wallet.output(amount * AVAX, owner)),
    wallet.output(700n * AVAX, trioOwners(scenario), { stakeableLocktime: NEVER }),
  ];
  await wallet.run({ burn: FEE, outputs }, ({ base }) => ({ type: 'Base', ...base }));
  const subnetId = await createSubnet(scenario, owner);
  await chain.advanceTo(day(-25));
  await chain.standard(
    await signValidation(scenario, steady(scenario), {
      end: day(200),
      weight: 100_000n * AVAX,
      shares: 150_000,
    }),
    await signValidation(scenario, scenario.absentee('validator across Helicon'), { end: day(45) }),
  );
  await chain.advanceTo(day(-10));
  await stakeAsEver(scenario, 'ten days before Helicon');
  await chain.advanceTo(day(0, -1));
  await stakeAsEver(scenario, 'in the last second before Helicon');
  return subnetId;
}

interface Validators {
  /** Stakes all its rewards again. */
  readonly keeping: Renewing;
  /** Stakes none of them again, and belongs to several. */
  readonly takingOut: Renewing;
  readonly sharing: Renewing;
  readonly leaving: Renewing;
  readonly aborted: Renewing;
}

async function activation(scenario: HistoryScenario): Promise<Validators> {
  const { chain, people, wallet } = scenario;
  await chain.advanceTo(day(0));
  await stakeAsEver(scenario, 'in the first second of Helicon');
  scenario.step('validators that renew themselves');
  const keeping = await signRenewing(scenario, scenario.absentee('keeping'), {
    period: 10 * DAY,
    autoCompoundShares: MILLION,
    stake: 50_000n * AVAX,
    shares: 100_000,
  });
  const [lockedStake] = (await wallet.utxos(people.trio[0])).filter(
    ({ output }) => output.stakeableLocktime === NEVER,
  );
  const takingOut = await signRenewing(scenario, scenario.absentee('taking out'), {
    period: 14 * DAY,
    autoCompoundShares: 0,
    stake: 3_000n * AVAX,
    lockedStake,
    shares: 500_000,
    authority: trioOwners(scenario),
    validationRewardsOwner: ownedBy([people.receiver]),
    delegationRewardsOwner: trioOwners(scenario, BigInt(day(365))),
  });
  await chain.standard(
    keeping.transaction,
    takingOut.transaction,
    await signDelegation(scenario, keeping.renewing.identity, { end: day(4), weight: 20_000n * AVAX }),
    await signDelegation(scenario, keeping.renewing.identity, {
      end: day(7),
      weight: 30_000n * AVAX,
      rewardsOwner: ownedBy([people.otherReceiver]),
    }),
    await signDelegation(scenario, takingOut.renewing.identity, { end: day(14), weight: 7_777n * AVAX }),
  );
  await chain.advanceTo(day(1));
  await stakeAsEver(scenario, 'one day after Helicon');
  const sharing = await addRenewing(scenario, 'sharing', {
    period: 7 * DAY,
    autoCompoundShares: 333_333,
    stake: 2_345n * AVAX + 678n,
  });
  const quick = { period: 3 * DAY, autoCompoundShares: MILLION, stake: 10_000n * AVAX, shares: 250_000 };
  const leaving = await addRenewing(scenario, 'leaving', quick);
  const aborted = await addRenewing(scenario, 'aborted', quick);
  return {
    keeping: keeping.renewing,
    takingOut: takingOut.renewing,
    sharing,
    leaving,
    aborted,
  };
}

/** Under the minimum of before; the one that renews itself is added, configured and delegated to in one block. */
async function shortStakings(scenario: HistoryScenario): Promise<void> {
  const { chain } = scenario;
  scenario.step('a validation of an hour');
  const ordinary = scenario.absentee('validator for an hour');
  await chain.standard(await signValidation(scenario, ordinary, { end: chain.time + HOUR }));
  scenario.step('cycles of an hour');
  const { transaction, renewing } = await signRenewing(scenario, scenario.absentee('hourly'), {
    period: DAY,
    autoCompoundShares: 0,
    stake: 5_000n * AVAX,
    shares: MILLION,
  });
  await chain.standard(
    transaction,
    await signConfig(scenario, renewing, { period: 2 * HOUR, autoCompoundShares: 1 }),
    await signDelegation(scenario, renewing.identity, { end: chain.time + DAY, weight: 5_000n * AVAX }),
    await signConfig(scenario, renewing, { period: HOUR, autoCompoundShares: 500_000 }),
  );
  const start = chain.time;
  const reconfigureWithReward = async (config: RenewalConfig): Promise<void> => {
    chain.carryWithNextReward(await signConfig(scenario, renewing, config));
  };
  await chain.advanceTo(start + DAY + 2 * HOUR + 1_800);
  scenario.step('reconfigured in the block that proposes the renewal');
  await reconfigureWithReward({ period: HOUR + 1, autoCompoundShares: 999_999 });
  await chain.advanceTo(chain.time + 3 * HOUR);
  scenario.step('leaving is decided in the block that proposes the renewal');
  await reconfigureWithReward({ period: 0, autoCompoundShares: 0 });
  await chain.advanceTo(chain.time + 2 * HOUR);
}

/** One that reaches the limit at its first renewal; one whose rewards are too large for rounding as usual. */
async function stakesNearTheLimit(scenario: HistoryScenario): Promise<Renewing> {
  const { chain } = scenario;
  await chain.advanceTo(day(3));
  scenario.step('stakes near the limit');
  const limit = 3_000_000n * AVAX;
  const full = await signRenewing(scenario, scenario.absentee('full'), {
    period: DAY,
    autoCompoundShares: MILLION,
    stake: limit - 500n * AVAX,
    shares: MILLION,
  });
  const large = await signRenewing(scenario, scenario.absentee('large'), {
    period: 40 * DAY,
    autoCompoundShares: 300_000,
    stake: limit - 50_000n * AVAX,
    shares: 500_000,
  });
  await chain.standard(
    full.transaction,
    large.transaction,
    await signDelegation(scenario, full.renewing.identity, { end: day(4), weight: 400n * AVAX }),
    await signDelegation(scenario, large.renewing.identity, { end: day(43), weight: 30_000n * AVAX }),
  );
  await chain.advanceTo(day(5, 1));
  scenario.step('at the limit there is nothing to stake again');
  await reconfigure(scenario, full.renewing, { period: 4 * DAY, autoCompoundShares: 500_000 });
  await chain.advanceTo(day(6, 1));
  await reconfigure(scenario, full.renewing, { period: 0, autoCompoundShares: MILLION });
  return large.renewing;
}

async function renewals(
  scenario: HistoryScenario,
  { keeping, sharing, leaving, aborted }: Validators,
): Promise<void> {
  const { chain } = scenario;
  await chain.advanceTo(day(7, 12_345));
  scenario.step('delegations to validators that will leave');
  for (const { identity } of [leaving, aborted]) {
    await chain.standard(
      await signDelegation(scenario, identity, { end: day(8, 12_345), weight: 12_000n * AVAX }),
      await signDelegation(scenario, identity, { end: day(9), weight: 4_000n * AVAX, reward: 'abort' }),
    );
  }
  await chain.advanceTo(day(9));
  scenario.step('one leaves after all, one changes its mind');
  await reconfigure(scenario, sharing, { period: 0, autoCompoundShares: 333_333 });
  await chain.advanceTo(day(10, 1));
  await stakeAsEver(scenario, 'ten days after Helicon');
  scenario.step('delegations in the second cycle, granted and refused');
  await chain.standard(
    await signDelegation(scenario, keeping.identity, {
      end: day(12),
      weight: 5_000n * AVAX,
      reward: 'abort',
    }),
    await signDelegation(scenario, keeping.identity, { end: day(20), weight: 6_000n * AVAX }),
    await signDelegation(scenario, keeping.identity, {
      end: day(20),
      weight: 7_000n * AVAX,
      reward: 'abort',
    }),
    await signDelegation(scenario, leaving.identity, { end: day(12), weight: 15_000n * AVAX }),
    await signDelegation(scenario, aborted.identity, { end: day(12), weight: 16_000n * AVAX }),
    await signConfig(scenario, sharing, { period: 7 * DAY, autoCompoundShares: 666_667 }),
  );
}

/** Two that leave, one that is renewed, a delegator, an ordinary validator and a subnet's, all at the same second. */
async function endTogether(
  scenario: HistoryScenario,
  { keeping, leaving, aborted }: Validators,
  subnetId: Id,
): Promise<void> {
  const { chain, wallet, people } = scenario;
  const owner = ownedBy([people.funded]);
  await chain.advanceTo(day(13, 1));
  scenario.step('the last cycles end together with others');
  await chain.standard(
    await signConfig(scenario, leaving, { period: 4 * DAY, autoCompoundShares: MILLION }),
    await signConfig(scenario, aborted, { period: 4 * DAY, autoCompoundShares: MILLION }),
    await signValidation(scenario, scenario.absentee('validator until day 20'), { end: day(20) }),
  );
  const { nodeId } = keeping.identity;
  const inSubnet = async (weight: bigint): Promise<Transaction> => {
    const { order, make } = subnetValidator({ subnetId, owner, nodeId, weight }, window(chain.time, day(20)));
    return wallet.sign(order, make);
  };
  await chain.standard(await inSubnet(5n));
  chain.expectChange(day(20));
  scenario.step("a subnet's validator is removed and added again in one block");
  const removal = await wallet.sign({ burn: FEE, authorizedBy: owner }, ({ base, auth }) => ({
    type: 'RemoveSubnetValidator',
    ...base,
    nodeId,
    subnetId,
    subnetAuth: auth,
  }));
  await chain.standard(removal, await inSubnet(6n));
  await chain.advanceTo(day(16, 1));
  scenario.step('one will leave, and one will not be rewarded');
  await chain.standard(
    await signDelegation(scenario, leaving.identity, { end: day(19), weight: 8_000n * AVAX }),
    await signDelegation(scenario, aborted.identity, { end: day(20), weight: 9_000n * AVAX }),
    await signConfig(scenario, leaving, { period: 0, autoCompoundShares: 0 }),
  );
  aborted.renewal.decision = 'abort';
  await chain.advanceTo(day(20));
}

/** The same nodes once more, in the second in which they left. */
async function comeBack(scenario: HistoryScenario, { leaving, aborted }: Validators): Promise<void> {
  const { chain, people } = scenario;
  scenario.step('the same nodes again, in the second in which they left');
  const again = await signRenewing(scenario, aborted.identity, {
    period: 5 * DAY,
    autoCompoundShares: MILLION,
    stake: 4_000n * AVAX,
    validationRewardsOwner: ownedBy([people.otherReceiver]),
  });
  await chain.standard(
    await signValidation(scenario, leaving.identity, { end: day(50), weight: 6_000n * AVAX }),
    again.transaction,
    await signDelegation(scenario, leaving.identity, { end: day(30), weight: 100n * AVAX }),
  );
  await chain.advanceTo(day(29));
  scenario.step('refused at the end of what was to be the last cycle');
  await reconfigure(scenario, again.renewing, { period: 0, autoCompoundShares: 250_000 });
  again.renewing.renewal.decision = 'abort';
}

async function theRateFalls(scenario: HistoryScenario, large: Renewing): Promise<void> {
  const { chain } = scenario;
  await chain.advanceTo(day(30));
  await stakeAsEver(scenario, 'thirty days after Helicon');
  await chain.advanceTo(day(44));
  scenario.step('a large stake that will reach the limit');
  await chain.standard(
    await signDelegation(scenario, large.identity, { end: day(83), weight: 35_000n * AVAX }),
    await signConfig(scenario, large, { period: 60 * DAY, autoCompoundShares: MILLION }),
  );
  await chain.advanceTo(day(45, 12_345));
  await stakeAsEver(scenario, 'in the middle of the fall');
  await chain.advanceTo(day(77, 77));
  await stakeAsEver(scenario, 'after 77 days and 77 seconds');
  await chain.advanceTo(day(89));
  await stakeAsEver(scenario, 'on the last day of the fall');
  await chain.advanceTo(day(90, -1));
  await stakeAsEver(scenario, 'in its last second');
}

async function afterTheFall(
  scenario: HistoryScenario,
  { keeping, takingOut, sharing, large }: Validators & { large: Renewing },
): Promise<void> {
  const { chain } = scenario;
  await chain.advanceTo(day(90));
  await stakeAsEver(scenario, 'after 90 days to the second');
  await chain.advanceTo(day(100));
  await stakeAsEver(scenario, 'after a hundred days');
  scenario.step('reconfigured at last');
  await reconfigure(scenario, takingOut, { period: 15 * DAY, autoCompoundShares: 123_456 });
  await reconfigure(scenario, sharing, { period: 0, autoCompoundShares: MILLION });
  await chain.standard(
    await signDelegation(scenario, keeping.identity, { end: day(110), weight: 40_000n * AVAX }),
    await signDelegation(scenario, large.identity, { end: day(143), weight: 5_000n * AVAX }),
  );
  await chain.advanceTo(day(150));
}
