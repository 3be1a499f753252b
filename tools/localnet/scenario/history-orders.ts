import { createHash } from 'node:crypto';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { packUtxo, type Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import { PRIMARY_NETWORK, type Id, type ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners, TransferableOutput } from '../../../src/avalanche/platformvm/output.js';
import type {
  ProofOfPossession,
  Transaction,
  UnsignedTx,
  TxOf,
} from '../../../src/avalanche/platformvm/transaction.js';
import { utxoId } from '../../../src/avalanche/platformvm/utxo-id.js';
import { FEE } from './context.js';
import type { Decision } from './history-chain.js';
import { midnight, type HistoryScenario } from './history.js';
import { ownedBy } from './signing-key.js';
import { sortOutputs } from './spend.js';
import type { Order, Wallet } from './wallet.js';
import { AVAX } from '../../../src/avalanche/platformvm/state/chain-rules.js';

const DAY = 86_400;

/** UNIX seconds beyond any clock that this runs by: such coins can only be staked. */
export const NEVER = BigInt(midnight('2999-01-01'));

/** An asset of the X-chain, and as much of it as the scenario needs. */
export const ASSET_ID = digest('staking asset');

export const ASSET_AMOUNT = 2_000_000n * AVAX;

/** With a signer in the form that has BLS keys. */
export type StakedNode = ShortId | { readonly nodeId: ShortId; readonly signer?: ProofOfPossession };

export interface StakerPlan {
  /** By default now. */
  readonly start?: number;
  readonly end: number;
  readonly weight?: bigint;
  /** Stake outputs; the weight is spread over them unevenly. */
  readonly parts?: number;
  /** A UTXO that may only be staked, and is a part of the stake. */
  readonly lockedStake?: Utxo | undefined;
  /** Ordinary outputs besides the change, in front of the stake. */
  readonly outputs?: readonly TransferableOutput[];
  /** Granted unless it is refused. */
  readonly reward?: Decision;
  readonly rewardsOwner?: OutputOwners;
  readonly subnetId?: Id;
}

export interface ValidatorPlan extends StakerPlan {
  readonly shares?: number;
  readonly delegationRewardsOwner?: OutputOwners;
}

export function proposeValidation(
  scenario: HistoryScenario,
  decision: Decision,
  node: StakedNode,
  plan: ValidatorPlan,
): Promise<void> {
  return propose(scenario, decision, plan, validatorOrder(scenario, node, plan));
}

export function proposeDelegation(
  scenario: HistoryScenario,
  decision: Decision,
  node: StakedNode,
  plan: StakerPlan,
): Promise<void> {
  return propose(scenario, decision, plan, delegatorOrder(scenario, node, plan, 'AddDelegator'));
}

/** Of the old form, unless it has a BLS key or a subnet. */
export function signValidation(
  scenario: HistoryScenario,
  node: StakedNode,
  plan: ValidatorPlan,
): Promise<Transaction> {
  return sign(scenario, plan, validatorOrder(scenario, node, plan));
}

export function signOldDelegation(
  scenario: HistoryScenario,
  node: StakedNode,
  plan: StakerPlan,
): Promise<Transaction> {
  return sign(scenario, plan, delegatorOrder(scenario, node, plan, 'AddDelegator'));
}

export function signDelegation(
  scenario: HistoryScenario,
  node: StakedNode,
  plan: StakerPlan,
): Promise<Transaction> {
  return sign(scenario, plan, delegatorOrder(scenario, node, plan, 'AddPermissionlessDelegator'));
}

async function propose(
  scenario: HistoryScenario,
  decision: Decision,
  plan: StakerPlan,
  parts: OrderAndMaker,
): Promise<void> {
  const transaction = await scenario.wallet.sign(...parts);
  await scenario.chain.propose(transaction, decision);
  if (decision === 'commit') expect(scenario, transaction, plan);
}

async function sign(scenario: HistoryScenario, plan: StakerPlan, parts: OrderAndMaker): Promise<Transaction> {
  const transaction = await scenario.wallet.sign(...parts);
  expect(scenario, transaction, plan);
  return transaction;
}

function expect({ chain }: HistoryScenario, { id: txId }: Transaction, plan: StakerPlan): void {
  const { start = chain.time, end, reward = 'commit' } = plan;
  chain.expectStaker({ txId, start, end, decision: reward });
}

type OrderAndMaker = Parameters<Wallet['sign']>;

function validatorOrder(scenario: HistoryScenario, node: StakedNode, plan: ValidatorPlan): OrderAndMaker {
  const { start = scenario.chain.time, end, weight = 2_000n * AVAX, subnetId, shares = 20_000 } = plan;
  const { nodeId, signer } = typeof node === 'string' ? { nodeId: node } : node;
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
            ...base,
            validator,
            stake,
            shares,
            subnetId: subnetId ?? PRIMARY_NETWORK,
            signer: signer ?? null,
            validationRewardsOwner: rewardsOwner,
            delegationRewardsOwner: plan.delegationRewardsOwner ?? funded,
          },
  ];
}

function delegatorOrder(
  scenario: HistoryScenario,
  node: StakedNode,
  plan: StakerPlan,
  type: 'AddDelegator' | 'AddPermissionlessDelegator',
): OrderAndMaker {
  const { start = scenario.chain.time, end, weight = 50n * AVAX, subnetId } = plan;
  const nodeId = typeof node === 'string' ? node : node.nodeId;
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
  plan: StakerPlan,
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

export async function signCreateSubnet(
  { wallet }: HistoryScenario,
  owner: OutputOwners,
): Promise<Transaction> {
  return wallet.sign({ burn: FEE }, ({ base }) => ({ type: 'CreateSubnet', ...base, owner }));
}

export async function signExport(
  { wallet, people }: HistoryScenario,
  destinationChain: Id,
  amounts: readonly bigint[],
): Promise<Transaction> {
  const funded = ownedBy([people.funded]);
  const exportedOutputs = amounts.map((amount) => wallet.output(amount * AVAX, funded));
  return wallet.sign({ burn: FEE, covered: exportedOutputs }, ({ base }) => ({
    type: 'Export',
    ...base,
    destinationChain,
    exportedOutputs,
  }));
}

/** Takes all that waits. */
export async function signImport(
  { wallet }: HistoryScenario,
  alias: 'X' | 'C',
  sourceChain: Id,
  outputs: readonly TransferableOutput[] = [],
): Promise<Transaction> {
  const { order, inputs } = await wallet.collect(alias, FEE);
  return wallet.sign({ ...order, outputs }, ({ base }) => ({
    type: 'Import',
    ...base,
    sourceChain,
    importedInputs: inputs,
  }));
}

export async function signTransform(
  { wallet, people }: HistoryScenario,
  subnetId: Id,
  rules: Partial<TxOf<'TransformSubnet'>> = {},
): Promise<Transaction> {
  const owner = ownedBy([people.funded]);
  const initialSupply = 500_000n * AVAX;
  const { maximumSupply = 700_000n * AVAX } = rules;
  const pool = wallet.output(maximumSupply - initialSupply, owner, { assetId: ASSET_ID });
  return wallet.sign({ burn: FEE, covered: [pool], authorizedBy: owner }, ({ base, auth }) => ({
    type: 'TransformSubnet',
    ...base,
    subnetId,
    assetId: ASSET_ID,
    initialSupply,
    maximumSupply,
    minConsumptionRate: 50_000n,
    maxConsumptionRate: 170_000n,
    minValidatorStake: 100n * AVAX,
    maxValidatorStake: 10_000n * AVAX,
    minStakeDuration: 3_600,
    maxStakeDuration: 60 * DAY,
    minDelegationFee: 10_000,
    minDelegatorStake: 1n * AVAX,
    maxValidatorWeightFactor: 5,
    uptimeRequirement: 800_000,
    ...rules,
    subnetAuth: auth,
  }));
}

/** Outputs that another chain has exported to the funded key. */
export async function arrive(
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

export function window(start: number, end: number): { start: bigint; end: bigint } {
  return { start: BigInt(start), end: BigInt(end) };
}

function digest(name: string): Id {
  return toHex(new Uint8Array(createHash('sha256').update(`scenario ${name}`).digest()));
}
