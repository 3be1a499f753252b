import { FEE, trioOwners } from '../context.js';
import {
  arrive,
  ASSET_ID,
  NEVER,
  signCreateSubnet,
  signExport,
  signImport,
  signDelegation,
  signTransform,
  signValidation,
  window,
} from '../history-orders.js';
import { midnight, type HistoryScenario } from '../history.js';
import {
  convertToL1,
  disable,
  registerL1Validator,
  setL1ValidatorWeight,
  topUp,
  type NewL1Validator,
} from '../l1.js';
import { ownedBy } from '../signing-key.js';
import { subnetValidator, transferOwnership } from '../subnets.js';
import { DAY, on, type Subnets } from './calendar.js';
import { AVAX } from '../../../../src/avalanche/platformvm/state/chain-rules.js';

/** Stakers start at once. */
export async function durango(
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
    await signValidation(scenario, waiting, { start: on('09-03'), end: on('10-20'), shares: 400_000 }),
    await signDelegation(scenario, waiting, { start: on('09-04'), end: on('09-20') }),
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
    await signValidation(scenario, atOnce, { start, end: on('11-10'), shares: 20_000 }),
    await signDelegation(scenario, atOnce, { start, end: on('09-15'), weight: 88n * AVAX }),
    await signValidation(scenario, first, {
      subnetId: elastic,
      start,
      end: on('09-25'),
      reward: 'abort',
      shares: 500_000,
      weight: 1_500n * AVAX,
    }),
    await signDelegation(scenario, first, {
      subnetId: elastic,
      start,
      end: on('09-15'),
      weight: 444n * AVAX,
    }),
    await signValidation(scenario, second, {
      subnetId: elastic,
      start,
      end: on('10-10'),
      weight: 600n * AVAX,
    }),
  );
  const [locked] = (await wallet.utxos(people.trio[0])).filter(
    ({ output }) => output.stakeableLocktime === NEVER,
  );
  const mixed = scenario.absentee('validator with partly locked stake');
  await chain.standard(
    await signValidation(scenario, mixed, {
      start,
      end: on('09-20'),
      lockedStake: locked,
      parts: 2,
      outputs: [wallet.output(2n, owner)],
    }),
  );
  scenario.step('Durango: an elastic subnet with next to no rewards');
  await chain.standard(
    await signTransform(scenario, lateElastic, {
      maximumSupply: 500_000n * AVAX + 1_000n,
      minDelegationFee: 0,
      minValidatorStake: 1n,
      minDelegatorStake: 1n,
    }),
  );
  const tiny = { subnetId: lateElastic, start };
  await chain.standard(
    await signValidation(scenario, first, { ...tiny, end: on('09-22'), shares: 0, weight: 5_000n * AVAX }),
    await signDelegation(scenario, first, { ...tiny, end: on('09-12'), weight: 3_000n * AVAX }),
    await signValidation(scenario, second, { ...tiny, end: on('09-23'), shares: 1_000_000, weight: 1n }),
    await signDelegation(scenario, second, { ...tiny, end: on('09-13'), weight: 2n }),
  );
  scenario.step('Durango: an asset leaves, and comes back beside an ordinary input');
  const token = wallet.output(9n * AVAX, owner, { assetId: ASSET_ID });
  await wallet.run({ burn: FEE, covered: [token] }, ({ base }) => ({
    type: 'Export',
    ...base,
    destinationChain: xChainId,
    exportedOutputs: [token],
  }));
  await arrive(scenario, 'X', [9n * AVAX], ASSET_ID);
  await chain.standard(await signImport(scenario, 'X', xChainId));
  await chain.advanceTo(on('09-14'));
  scenario.step('Durango: a reward is proposed beside other transactions');
  chain.carryWithNextReward(
    await signCreateSubnet(scenario, owner),
    await signDelegation(scenario, atOnce, {
      start: on('09-15'),
      end: on('11-01'),
      reward: 'abort',
      weight: 77n * AVAX,
    }),
  );
  await chain.advanceTo(on('09-28'));
}

/** A subnet becomes an L1 whose validators pay as time passes. */
export async function etna(scenario: HistoryScenario, { permissioned, trios }: Subnets): Promise<void> {
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
    identity: scenario.absentee(`old L1 ${name}`),
    balance,
    weight,
    remainingBalanceOwner: ownedBy([people.receiver]),
    deactivationOwner: owner,
  });
  const start = chain.time;
  const threeDays = 3 * DAY;
  const {
    validationIds: [rich, short],
  } = await convertToL1(scenario, {
    subnetId: permissioned,
    owner: trio,
    managerChainId: cChainId,
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
  await convertToL1(scenario, {
    subnetId: trios,
    owner: trio,
    managerChainId: cChainId,
    validators: [{ ...make('other', 20n * AVAX, 1n), deactivationOwner: trio }],
  });
  await chain.advanceTo(on('10-21'));
}

/** Today's rules, and the end of the genesis' validators. */
export async function granite(scenario: HistoryScenario): Promise<void> {
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
