import { z } from 'zod';
import { WEI_PER_NANO_AVAX } from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { parseUtxo, type Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import { PlatformVmError } from '../../../src/avalanche/platformvm/platformvm.error.js';
import { isNotFound } from '../../../src/avalanche/rpc/platform-rejections.js';
import { PlatformClient } from '../../../src/avalanche/rpc/platform-client.js';
import { makeAccounts } from '../../../tools/localnet/c-chain/accounts.js';
import type { NodeApi } from '../../../tools/localnet/scenario/node-api.js';
import { CHAIN_ALIASES, outputsAtNode } from './outputs-at-node.js';

const BURN_ADDRESS = '0x0100000000000000000000000000000000000000';

/** Owners of the coins of a scenario. */
export interface Owners {
  /** Without a chain in front. */
  readonly addresses: readonly string[];
  readonly avaxAssetId: string;
  /** L1 validations that they have paid for. */
  readonly validationIds: readonly string[];
}

/** A node's answers about AVAX, all at once while its chains stand still. nAVAX where it is not wei. */
export interface CoinsAtNode {
  /** All that the owners have on three chains and between them, staked or paid in for L1 validators. */
  readonly ownedWei: bigint;
  /** Owned outputs that cannot be spent yet. */
  readonly locked: bigint;
  readonly staked: bigint;
  /** All that was ever promised to stakers and not taken back, less what they do not have yet: it was paid, or staked again. */
  readonly issued: bigint;
  readonly burnAddressWei: bigint;
}

export async function coinsAtNode(node: NodeApi, owners: Owners): Promise<CoinsAtNode> {
  const platform = new PlatformClient(node.rpc);
  const outputs = await avaxOutputs(node, owners);
  const staked = await platform.getTotalStake();
  const paidIn = await l1Balances(platform, owners.validationIds);
  const { supply } = await platform.getCurrentSupply();
  const ownedNano = sum(outputs.map(({ output }) => output.amount)) + staked + paidIn;
  const onCChain = await balanceOf(node, makeAccounts().funded.address);
  const now = BigInt(Math.floor(Date.now() / 1000));
  return {
    ownedWei: ownedNano * WEI_PER_NANO_AVAX + onCChain,
    locked: sum(outputs.filter((each) => unlockTime(each) > now).map(({ output }) => output.amount)),
    staked,
    issued: supply - (await openRewards(platform)),
    burnAddressWei: await balanceOf(node, BURN_ADDRESS),
  };
}

/** Outputs among them that were exported and not imported. Each once. */
async function avaxOutputs(node: NodeApi, { addresses, avaxAssetId }: Owners): Promise<Utxo[]> {
  const found: Utxo[] = [];
  for (const chain of CHAIN_ALIASES) {
    const bySource = await outputsAtNode(node, chain, addresses);
    found.push(...Object.values(bySource).flat().flatMap(readTransferable));
  }
  return found.filter(({ assetId }) => assetId === avaxAssetId);
}

/** The X-chain's outputs of other kinds are no amounts. */
function readTransferable(hex: string): Utxo[] {
  try {
    return [parseUtxo(fromHex(hex))];
  } catch (error) {
    if (error instanceof PlatformVmError) return [];
    throw error;
  }
}

function unlockTime({ output: { stakeableLocktime, owners } }: Utxo): bigint {
  const stakeable = stakeableLocktime ?? 0n;
  return stakeable > owners.locktime ? stakeable : owners.locktime;
}

async function l1Balances(platform: PlatformClient, validationIds: readonly string[]): Promise<bigint> {
  let total = 0n;
  for (const validationId of validationIds) {
    try {
      total += (await platform.getL1Validator({ validationId })).balance;
    } catch (error) {
      if (!isNotFound(error)) throw error; // removed, and paid back
    }
  }
  return total;
}

/** Asked for one by one, because only then the node lists the delegators. */
async function openRewards(platform: PlatformClient): Promise<bigint> {
  let open = 0n;
  for (const { nodeId } of await platform.getCurrentValidators()) {
    const [validator] = await platform.getCurrentValidators({ nodeIds: [nodeId] });
    if (validator?.kind !== 'staker') throw new Error(`${nodeId} has left`);
    const { potentialReward = 0n, accruedDelegateeReward = 0n, delegators = [] } = validator;
    open += potentialReward + accruedDelegateeReward;
    open += sum(delegators.map((delegator) => delegator.potentialReward ?? 0n));
  }
  return open;
}

async function balanceOf({ rpc }: NodeApi, address: string): Promise<bigint> {
  const call = { path: '/ext/bc/C/rpc', method: 'eth_getBalance', params: [address, 'latest'] };
  return BigInt(await rpc.call({ ...call, schema: z.string() }));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
