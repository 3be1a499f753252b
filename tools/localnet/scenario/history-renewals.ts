import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners } from '../../../src/avalanche/platformvm/output.js';
import type { Transaction } from '../../../src/avalanche/platformvm/transaction.js';
import {
  autoRenewedValidator,
  renewalConfig,
  type AutoRenewedOptions,
  type RenewalConfig,
} from './auto-renewed.js';
import type { Renewal } from './history-chain.js';
import type { HistoryScenario } from './history.js';
import type { Identity } from './identities.js';
import { ownedBy } from './signing-key.js';

/** A validator that renews itself, and what is planned with it. */
export interface Renewing {
  readonly identity: Identity;
  readonly txId: Id;
  readonly authority: OutputOwners;
  readonly renewal: Renewal;
}

/** To be put into a block of this very second. */
export async function signRenewing(
  scenario: HistoryScenario,
  identity: Identity,
  options: AutoRenewedOptions,
): Promise<{ transaction: Transaction; renewing: Renewing }> {
  const { chain, wallet, people } = scenario;
  const { order, make } = autoRenewedValidator(scenario, identity, options);
  const transaction = await wallet.sign(order, make);
  const renewal: Renewal = { period: options.period, decision: 'commit' };
  chain.expectRenewals({ txId: transaction.id, end: chain.time + options.period, renewal });
  const authority = options.authority ?? ownedBy([people.funded]);
  return { transaction, renewing: { identity, txId: transaction.id, authority, renewal } };
}

export async function addRenewing(
  scenario: HistoryScenario,
  name: string,
  options: AutoRenewedOptions,
): Promise<Renewing> {
  const { transaction, renewing } = await signRenewing(scenario, scenario.absentee(name), options);
  await scenario.chain.standard(transaction);
  return renewing;
}

/** For the first block from now on. */
export async function signConfig(
  { wallet }: HistoryScenario,
  renewing: Renewing,
  config: RenewalConfig,
): Promise<Transaction> {
  const { order, make } = renewalConfig(renewing, config);
  renewing.renewal.period = config.period;
  return wallet.sign(order, make);
}

export async function reconfigure(
  scenario: HistoryScenario,
  renewing: Renewing,
  config: RenewalConfig,
): Promise<void> {
  await scenario.chain.standard(await signConfig(scenario, renewing, config));
}
