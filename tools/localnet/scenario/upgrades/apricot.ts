import type { ShortId } from '../../../../src/avalanche/platformvm/ids.js';
import { FEE, trioOwners } from '../context.js';
import type { Decision } from '../history-chain.js';
import {
  arrive,
  NEVER,
  proposeDelegation,
  proposeValidation,
  signCreateSubnet,
  signExport,
  signImport,
  type StakerPlan,
} from '../history-orders.js';
import type { HistoryScenario } from '../history.js';
import { ownedBy } from '../signing-key.js';
import {
  binaryGenesis,
  createChain,
  evmGenesis,
  OTHER_VM_ID,
  SUBNET_EVM_ID,
  subnetValidator,
} from '../subnets.js';
import { on, type Subnets } from './calendar.js';
import { AVAX } from '../../../../src/avalanche/platformvm/state/chain-rules.js';

/** Stakers are proposed, chain time too; exports and imports have blocks of their own. */
export async function apricot(scenario: HistoryScenario): Promise<Subnets> {
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
    subnetId: permissioned,
    owner: funded,
    name: 'Old chain',
    vmId: SUBNET_EVM_ID,
    genesisData: evmGenesis(99_003),
  });
  await createChain(scenario, {
    subnetId: trios,
    owner: trioOwners(scenario),
    name: 'Old other chain',
    vmId: OTHER_VM_ID,
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
  await proposeValidation(scenario, 'commit', old, {
    start: on('01-05'),
    end: on('03-20'),
    shares: 100_000,
    parts: 2,
    rewardsOwner: trioOwners(scenario),
    outputs: [wallet.output(AVAX, funded), wallet.output(1n, funded)],
  });
  await proposeValidation(scenario, 'abort', unrewarded, { start: on('01-05'), end: on('03-20') });
  await proposeValidation(scenario, 'commit', unrewarded, {
    start: on('01-05'),
    end: on('02-20'),
    reward: 'abort',
    weight: 3_000n * AVAX,
  });
  const delegations: [Decision, ShortId, StakerPlan][] = [
    ['commit', old, { start: on('01-05'), end: on('02-10'), parts: 3 }],
    ['commit', old, { start: on('01-06'), end: on('02-12'), reward: 'abort', weight: 700n * AVAX }],
    ['abort', old, { start: on('01-06'), end: on('02-12'), reward: 'abort' }],
    [
      'commit',
      old,
      { start: on('01-07'), end: on('03-10'), weight: 300n * AVAX, rewardsOwner: trioOwners(scenario) },
    ],
    ['commit', unrewarded, { start: on('01-05'), end: on('02-15') }],
  ];
  for (const [decision, nodeId, plan] of delegations) {
    await proposeDelegation(scenario, decision, nodeId, plan);
  }
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
  await proposeDelegation(scenario, 'commit', old, {
    start: on('01-09'),
    end: on('02-10'),
    weight: 400n * AVAX,
    lockedStake: locked,
  });
  await chain.advanceTo(on('01-10') + 12_345);
  return { permissioned, elastic, lateElastic, trios };
}

/** Exports and imports stand beside other transactions. */
export async function apricotPhase5(scenario: HistoryScenario): Promise<void> {
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
  await proposeDelegation(scenario, 'commit', old, {
    start: on('01-30'),
    end: on('03-20'),
    weight: 333n * AVAX,
  });
  await proposeDelegation(scenario, 'commit', old, {
    start: on('02-03') + 7,
    end: on('03-20'),
    reward: 'abort',
    weight: 30n * AVAX,
  });
  scenario.step('Apricot: rewards');
  await chain.advanceTo(on('02-25'));
}
