import type { Id } from '../../../../src/avalanche/platformvm/ids.js';
import { trioOwners } from '../context.js';
import {
  arrive,
  ASSET_AMOUNT,
  ASSET_ID,
  signCreateSubnet,
  signOldDelegation,
  signImport,
  signDelegation,
  signTransform,
  signValidation,
  window,
} from '../history-orders.js';
import type { HistoryScenario } from '../history.js';
import { ownedBy } from '../signing-key.js';
import { removeSubnetValidator, subnetValidator } from '../subnets.js';
import { on, type Subnets } from './calendar.js';
import { AVAX } from '../../../../src/avalanche/platformvm/state/chain-rules.js';

/** Blocks have a time, stakers are accepted at once and wait for their start. */
export async function banff(scenario: HistoryScenario, { permissioned }: Subnets): Promise<void> {
  const { chain, people, wallet, genesisNodeIds } = scenario;
  const owner = ownedBy([people.funded]);
  const [, second, third, fourth] = genesisNodeIds;
  if (!second || !third || !fourth) throw new Error('five genesis validators needed');
  const oldForm = scenario.absentee('Banff validator of the old form').nodeId;
  const newForm = scenario.absentee('Banff validator of the new form');
  scenario.step('Banff: stakers wait for their start');
  await chain.advanceTo(on('03-01'), await signCreateSubnet(scenario, owner));
  await chain.standard(
    await signValidation(scenario, oldForm, { start: on('03-05'), end: on('07-15'), shares: 50_000 }),
    await signValidation(scenario, newForm, {
      start: on('03-05'),
      end: on('08-20'),
      shares: 250_000,
      weight: 2_222n * AVAX,
      delegationRewardsOwner: ownedBy([people.otherReceiver]),
    }),
  );
  await chain.standard(
    await signOldDelegation(scenario, oldForm, { start: on('03-08'), end: on('03-25'), weight: 100n * AVAX }),
    await signDelegation(scenario, oldForm, { start: on('03-05'), end: on('06-15'), weight: 111n * AVAX }),
    await signDelegation(scenario, newForm, {
      start: on('03-05'),
      end: on('06-20'),
      rewardsOwner: trioOwners(scenario),
    }),
    await signDelegation(scenario, newForm, { start: on('03-09') + 1, end: on('06-21'), reward: 'abort' }),
  );
  const greedy = scenario.absentee('Banff validator that keeps everything');
  await chain.standard(
    await signValidation(scenario, greedy, {
      start: on('03-05'),
      end: on('05-10'),
      shares: 1_000_000,
      parts: 2,
    }),
    await signDelegation(scenario, greedy, { start: on('03-06'), end: on('05-01'), parts: 2 }),
    await signDelegation(scenario, greedy, { start: on('03-06'), end: on('05-10'), reward: 'abort' }),
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
export async function elasticSubnet(scenario: HistoryScenario, subnetId: Id): Promise<void> {
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
    await signValidation(scenario, first, { ...plan, end: on('04-20'), shares: 20_000 }),
    await signValidation(scenario, second, { ...plan, end: on('04-15'), reward: 'abort', shares: 30_000 }),
    await signDelegation(scenario, first, { ...plan, end: on('04-10') }),
    await signDelegation(scenario, first, {
      ...plan,
      start: on('03-29'),
      end: on('04-11'),
      reward: 'abort',
      rewardsOwner: trioOwners(scenario),
    }),
    await signDelegation(scenario, second, { ...plan, end: on('04-10') }),
  );
  await chain.advanceTo(on('05-25'));
}

/** The validators' part of delegations waits for the end of those that start from now on. */
export async function cortina(scenario: HistoryScenario, { elastic }: Subnets): Promise<void> {
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
    await signValidation(scenario, late, {
      start: on('06-03'),
      end: on('08-01'),
      shares: 300_000,
      delegationRewardsOwner: trioOwners(scenario),
    }),
    await signValidation(scenario, third, {
      ...tokens,
      start: on('05-28'),
      end: on('06-25'),
      shares: 200_000,
    }),
    await signDelegation(scenario, third, { ...tokens, start: on('05-29'), end: on('06-10') }),
  );
  scenario.step('Cortina');
  await chain.advanceTo(on('06-01'), await signCreateSubnet(scenario, owner));
  await chain.standard(
    await signValidation(scenario, unrewarded, {
      start: on('06-05'),
      end: on('07-10'),
      reward: 'abort',
      shares: 100_000,
    }),
    await signDelegation(scenario, late, { start: on('06-06'), end: on('07-01') }),
    await signDelegation(scenario, late, {
      start: on('06-06'),
      end: on('07-02'),
      reward: 'abort',
      weight: 123n * AVAX,
    }),
  );
  await chain.standard(
    await signOldDelegation(scenario, unrewarded, {
      start: on('06-07'),
      end: on('07-05'),
      weight: 99n * AVAX,
    }),
    await signDelegation(scenario, late, { start: on('06-08'), end: on('08-01'), parts: 2 }),
    await signDelegation(scenario, unrewarded, { start: on('06-08'), end: on('07-10'), weight: 31n * AVAX }),
    await signValidation(scenario, greedy, { start: on('06-08'), end: on('07-12'), shares: 1_000_000 }),
    await signDelegation(scenario, greedy, { start: on('06-08'), end: on('07-11'), weight: 66n * AVAX }),
    await signOldDelegation(scenario, late, { start: on('06-08'), end: on('07-05') }),
    await signValidation(scenario, fourth, {
      ...tokens,
      start: on('06-05'),
      end: on('07-20'),
      shares: 150_000,
      rewardsOwner: trioOwners(scenario),
    }),
    await signDelegation(scenario, fourth, { ...tokens, start: on('06-06'), end: on('07-01') }),
  );
  await chain.advanceTo(on('08-25'));
}
