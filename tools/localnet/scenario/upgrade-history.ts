import { toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString } from '../../../src/avalanche/ids/id.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import type { Scenario } from './context.js';
import type { Decision } from './history-chain.js';
import type { History, HistoryScenario } from './history.js';
import { apricot, apricotPhase5 } from './upgrades/apricot.js';
import { banff, cortina, elasticSubnet } from './upgrades/banff-to-cortina.js';
import { on } from './upgrades/calendar.js';
import { durango, etna, granite } from './upgrades/durango-to-granite.js';

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

async function genesisValidators(platform: Scenario['platform']): Promise<{ txId: Id; end: number }[]> {
  const validators = await platform.getCurrentValidators();
  return validators.flatMap((validator) =>
    validator.kind === 'staker'
      ? [{ txId: toHex(idFromString(validator.txId)), end: validator.endTimestampSeconds }]
      : [],
  );
}
