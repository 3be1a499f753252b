import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import { FEE } from './context.js';
import { midnight, type History, type HistoryScenario } from './history.js';
import {
  convertToL1,
  disable,
  registerL1Validator,
  setL1ValidatorWeight,
  topUp,
  type NewL1Validator,
} from './l1.js';
import { ownedBy } from './signing-key.js';
import { createSubnet } from './subnets.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

const GENESIS_TIME = midnight('2021-01-01');
const HOUR = 3_600;

/**
 * More L1 validators than the network aims at, so that every second costs more than the one before; real networks are
 * far from that. The price grows by e in 125 seconds with six of them.
 */
export const feeHistory: History = {
  description: "avalanchego's P-chain VM with L1 validators whose price rises and falls",
  genesisTime: GENESIS_TIME,
  upgrades: {},
  validatorFee: { target: 2, minPrice: 3, excessConversionConstant: 500 },
  run: letPricesMove,
};

async function letPricesMove(scenario: HistoryScenario): Promise<void> {
  const { chain, wallet, people, cChainId } = scenario;
  const owner = ownedBy([people.funded]);
  const make = (name: string, balance: bigint): NewL1Validator => ({
    identity: scenario.absentee(`fee ${name}`),
    balance,
    weight: 10n,
    remainingBalanceOwner: ownedBy([people.receiver]),
    deactivationOwner: owner,
  });
  const passTime = async (seconds: number): Promise<void> => {
    const transaction = await wallet.sign({ burn: FEE }, ({ base }) => ({ type: 'Base', ...base }));
    await chain.driftTo(chain.time + seconds, transaction);
  };
  await chain.advanceTo(GENESIS_TIME + HOUR); // a chain that starts after Etna has to save up gas before any transaction
  const subnetId: Id = await createSubnet(scenario, owner);
  scenario.step('more L1 validators than aimed at');
  const balances = [500n, 10_000n, 10_000n, 5_000_000n, AVAX, 2n * AVAX, 5n * AVAX];
  const { validationIds: ids } = await convertToL1(scenario, {
    subnetId,
    owner,
    managerChainId: cChainId,
    validators: balances.map((balance, index) => make(`first ${index}`, balance)),
  });
  const [, , , , rich, richer] = ids;
  if (rich === undefined || richer === undefined) throw new Error('seven validations expected');
  for (const seconds of [0, 1, 2, 7, 59, 60, 301, 600]) await passTime(seconds);
  scenario.step('fewer, and the price falls');
  await disable(scenario, rich, owner);
  await passTime(1_000);
  await setL1ValidatorWeight(scenario, { validationId: richer, nonce: 0n, weight: 0n });
  await passTime(1_234);
  await passTime(48 * HOUR);
  scenario.step('more again');
  for (const number of [1, 2, 3]) {
    await registerL1Validator(scenario, subnetId, make(`second ${number}`, BigInt(number) * 77_777n));
    await passTime(13 * number);
  }
  await topUp(scenario, rich, 1_000_000n);
  await passTime(1);
  await passTime(5 * HOUR);
  await passTime(1);
}
