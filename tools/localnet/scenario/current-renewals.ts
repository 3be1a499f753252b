import { InfoClient } from '../../../src/avalanche/rpc/info-client.js';
import { poll } from '../../../sandbox/local/processes/poll.js';
import { nodeIdToString } from '../../../src/avalanche/ids/node-id.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import {
  autoRenewedValidator,
  renewalConfig,
  type AutoRenewedOptions,
  type RenewalConfig,
} from './auto-renewed.js';
import { trioOwners, type Scenario } from './context.js';
import type { Identity } from './identities.js';
import { ownedBy } from './signing-key.js';
import { addDelegator } from './staking.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

const DAY = 86_400;
/** Of the last cycles: what is recorded is looked at long after. */
const LAST_PERIOD = 180 * DAY;
const MILLION = 1_000_000;
const RENEWAL_TIMEOUT_MS = 240_000;
const RENEWAL_INTERVAL_MS = 500;

/** Seconds. A delegation has to fit into a cycle, and some time for getting into a block. */
export interface RenewalTimes {
  readonly period: number;
  readonly delegation: number;
}

/** A validator that renews itself as long as the scenario lasts. */
export interface Renewing {
  readonly identity: Identity;
  readonly txId: Id;
  readonly times: RenewalTimes;
}

export async function isHeliconActive({ node, now }: Pick<Scenario, 'node' | 'now'>): Promise<boolean> {
  const { timesSeconds } = await new InfoClient(node.rpc).upgrades();
  const helicon = timesSeconds.get('helicon');
  return helicon !== undefined && helicon <= now();
}

/**
 * One that goes on renewing itself, with a delegation in its first cycle, and one whose node is not there at the end of
 * its only cycle. The second one's transaction is the other result.
 */
export async function startRenewing(
  scenario: Scenario,
  times: RenewalTimes,
): Promise<{ renewing: Renewing; absent: Id }> {
  const { people, guests } = scenario;
  const [, , identity] = guests;
  if (identity === undefined) throw new Error('the scenario needs a third guest');
  const { period } = times;
  scenario.step('validators that renew themselves');
  const txId = await add(scenario, identity, {
    period,
    autoCompoundShares: 600_000,
    stake: 3_000n * AVAX,
    shares: 300_000,
    authority: trioOwners(scenario),
    delegationRewardsOwner: ownedBy([people.receiver]),
  });
  await addDelegator(scenario, identity.nodeId, { seconds: times.delegation, stake: 5_000n * AVAX });
  const absent = await add(scenario, scenario.absentee('absent validator that renews itself'), {
    period,
    autoCompoundShares: MILLION,
  });
  return { renewing: { identity, txId, times }, absent };
}

/** Other shares and another period from the next cycle on. */
export async function changeRenewal(scenario: Scenario, { txId, times }: Renewing): Promise<void> {
  scenario.step('a validator that renews itself is reconfigured');
  const authority = trioOwners(scenario);
  await configure(scenario, { txId, authority }, { period: times.period + 5, autoCompoundShares: MILLION });
}

/** A validator that is added and leaves again at the end of its first cycle. */
export async function addAndLeave(
  scenario: Scenario,
  identity: Identity,
  { period }: RenewalTimes,
): Promise<Id> {
  scenario.step('a validator that renews itself leaves');
  const authority = ownedBy([scenario.people.funded]);
  const txId = await add(scenario, identity, { period, autoCompoundShares: 0, authority });
  await configure(scenario, { txId, authority }, { period: 0, autoCompoundShares: 0 });
  return txId;
}

/** Long cycles from now on, the first of which is under way when this resolves. */
export async function keepRenewing(scenario: Scenario, { identity, txId }: Renewing): Promise<void> {
  scenario.step('a validator that renews itself and will be there at the end');
  const authority = trioOwners(scenario);
  await configure(scenario, { txId, authority }, { period: LAST_PERIOD, autoCompoundShares: 750_000 });
  await waitForCycle(scenario, identity, LAST_PERIOD);
  await addDelegator(scenario, identity.nodeId, { seconds: 90 * DAY, stake: 444n * AVAX });
}

async function add(scenario: Scenario, identity: Identity, options: AutoRenewedOptions): Promise<Id> {
  const { order, make } = autoRenewedValidator(scenario, identity, options);
  return scenario.wallet.run(order, make);
}

async function configure(
  { wallet }: Scenario,
  validator: Parameters<typeof renewalConfig>[0],
  config: RenewalConfig,
): Promise<void> {
  const { order, make } = renewalConfig(validator, config);
  await wallet.run(order, make);
}

async function waitForCycle({ platform }: Scenario, { nodeId }: Identity, seconds: number): Promise<void> {
  await poll({
    what: `cycle of ${seconds} s`,
    timeoutMs: RENEWAL_TIMEOUT_MS,
    intervalMs: RENEWAL_INTERVAL_MS,
    ask: async () => {
      const nodeIds = [nodeIdToString(fromHex(nodeId))];
      const [validator] = await platform.getCurrentValidators({ nodeIds });
      if (validator?.kind !== 'staker') throw new Error('the validator that renews itself has left');
      const { startTimestampSeconds, endTimestampSeconds } = validator;
      return endTimestampSeconds - startTimestampSeconds === seconds ? true : undefined;
    },
  });
}
