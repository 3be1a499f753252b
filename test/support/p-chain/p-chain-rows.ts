import { packAddress } from '../../../src/avalanche/ids/address.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { nodeIdToString } from '../../../src/avalanche/ids/node-id.js';
import { P_CHAIN } from '../../../src/platform/database/chains.js';
import { splitReward } from '../../../src/avalanche/platformvm/state/rewards.js';
import type { DelegatorEntity } from '../../../src/indexes/p-chain/entities/delegator.entities.js';
import type { ValidatorEntity } from '../../../src/indexes/p-chain/entities/validator.entity.js';
import type { UtxoEntity } from '../../../src/indexes/utxos/utxo.entities.js';

/** `\x` and hex, as Postgres reads bytes. The same number gives the same bytes. */
export const bytea = (length: number, number: number | bigint): string =>
  `\\x${BigInt(number)
    .toString(16)
    .padStart(length * 2, '0')}`;

export const idOf = (number: number | bigint): string => bytea(32, number);
export const shortIdOf = (number: number | bigint): string => bytea(20, number);

const toBytes = (text: string): Buffer => Buffer.from(text.slice('\\x'.length), 'hex');

/** Models of lists ask for the same texts thousands of times, and each costs a checksum in another base. */
function remembered<Parts extends string[]>(make: (...parts: Parts) => string): (...parts: Parts) => string {
  const known = new Map<string, string>();
  return (...parts) => {
    const key = parts.join();
    const text = known.get(key) ?? make(...parts);
    known.set(key, text);
    return text;
  };
}

export const idText = remembered((id: string) => idToString(toBytes(id)));
export const nodeIdText = remembered((nodeId: string) => nodeIdToString(toBytes(nodeId)));
export const addressText = remembered((address: string, hrp: string) =>
  packAddress({ hrp, bytes: toBytes(address) }),
);
/** The digits alone. */
export const hexOf = (bytes: string): string => bytes.slice('\\x'.length);

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

type Json<Value> = Value extends bigint ? string | number : Value extends Uint8Array ? string : Value;

type Scalar = string | number | bigint | boolean | Uint8Array | null;

/** A row of a network as JSON has it: bytes as `\\x` and hex, numbers beyond 2^53 as text. */
type JsonRow<Entity, Renamed = object> = {
  readonly [
    Name in keyof Omit<Entity, 'network'> as Entity[Name] extends Scalar
      ? Name extends keyof Renamed
        ? Renamed[Name] & string
        : SnakeCase<Name>
      : never
  ]: Json<Entity[Name]>;
} & { readonly network: string };

type OwnerColumns<Prefix extends string, None extends null = never> = {
  readonly [Name in `${Prefix}_locktime`]: string | null;
} & { readonly [Name in `${Prefix}_threshold`]: number | None } & {
  readonly [Name in `${Prefix}_addresses`]: string[] | None;
};

interface Times {
  readonly start: 'start_time';
  readonly end: 'end_time';
}

export type ValidatorRow = JsonRow<ValidatorEntity, Times> &
  OwnerColumns<'validation_rewards_owner', null> &
  OwnerColumns<'delegation_rewards_owner', null> & {
    readonly signer_public_key: string | null;
    readonly signer_proof_of_possession: string | null;
  };
export type DelegatorRow = JsonRow<DelegatorEntity, Times> & OwnerColumns<'rewards_owner'>;
type KnownUtxo = JsonRow<UtxoEntity, { readonly isStaked: 'staked' }>;
/** One whose creation is known. */
export type UtxoRow = KnownUtxo &
  OwnerColumns<'owner'> & {
    readonly [Name in 'amount' | 'block_height' | 'block_time']: NonNullable<KnownUtxo[Name]>;
  };

const STAKER = {
  network: 'mainnet',
  subnet_id: idOf(0),
  status: 'active',
  weight: '2000000000000',
  start_time: 1_700_000_000,
  end_time: 1_800_000_000,
  block_height: 1,
  block_time: 1_700_000_000,
  potential_reward: '0',
  stake_asset_id: idOf(9),
  output_count: 1,
  stake_output_count: 1,
  end_tx_id: null,
  ended_at: null,
} as const;

const VALIDATOR: Omit<ValidatorRow, 'tx_id' | 'node_id' | 'node_id_text'> = {
  ...STAKER,
  tx_type: 'AddPermissionlessValidator',
  is_permissioned: false,
  signer_public_key: null,
  signer_proof_of_possession: null,
  validation_rewards_owner_locktime: '0',
  validation_rewards_owner_threshold: 1,
  validation_rewards_owner_addresses: [shortIdOf(1)],
  delegation_rewards_owner_locktime: '0',
  delegation_rewards_owner_threshold: 1,
  delegation_rewards_owner_addresses: [shortIdOf(1)],
  shares: 20_000,
  delegatee_reward: '0',
  paid_validation_reward: '0',
  paid_delegation_reward: '0',
  delegated_weight: '0',
  delegator_count: 0,
  total_delegated_weight: '0',
  total_delegator_count: 0,
  delegation_capacity: null,
  uptime_performance: null,
};

export function validatorRow(row: Partial<ValidatorRow> & { tx_id: string; node_id: string }): ValidatorRow {
  return { ...VALIDATOR, node_id_text: nodeIdText(row.node_id), ...row };
}

const DELEGATOR: Omit<DelegatorRow, 'tx_id' | 'node_id' | 'validator_part'> = {
  ...STAKER,
  tx_type: 'AddPermissionlessDelegator',
  validator_tx_id: idOf(1),
  shares: 20_000,
  rewards_owner_locktime: '0',
  rewards_owner_threshold: 1,
  rewards_owner_addresses: [shortIdOf(1)],
  paid_reward: '0',
  is_rewarded: null,
};

export function delegatorRow(row: Partial<DelegatorRow> & { tx_id: string; node_id: string }): DelegatorRow {
  const made = { ...DELEGATOR, ...row };
  return {
    validator_part: splitReward(BigInt(made.potential_reward), made.shares).taken.toString(),
    ...made,
  };
}

/** Rows that the index writes beside the delegation. */
export function rewardAddressRows({
  network,
  tx_id,
  status,
  start_time,
  node_id,
  rewards_owner_addresses,
}: DelegatorRow) {
  return rewards_owner_addresses.map((address) => ({ network, tx_id, address, status, start_time, node_id }));
}

const UTXO: Omit<UtxoRow, 'utxo_id' | 'tx_id'> = {
  network: 'fuji',
  output_index: 0,
  asset_id: idOf(9),
  amount: '1000000000',
  created_on_chain_id: idOf(0),
  spendable_on_chain_id: idOf(0),
  block_height: 1,
  block_time: 1_700_000_000,
  stakeable_locktime: null,
  owner_locktime: '0',
  owner_threshold: 1,
  owner_addresses: [shortIdOf(1)],
  is_stake_output: false,
  staked: false,
  stake_start: null,
  stake_end: null,
  output_kind: null,
  group_id: null,
  payload: null,
  reward_type: null,
  consuming_tx_id: null,
  consuming_block_height: null,
  consuming_block_time: null,
};

export function utxoRow(row: Partial<UtxoRow> & { utxo_id: string }): UtxoRow {
  return { ...UTXO, tx_id: row.utxo_id, ...row };
}

/** Rows that the index writes beside the UTXO: one per chain and per owner or whole chain. */
export function listingRows(row: UtxoRow, chains: readonly string[] = ['P']) {
  return chains.flatMap((chain) =>
    ['\\x', ...row.owner_addresses].map((address) => ({
      network: row.network,
      chain,
      address,
      is_spent: row.consuming_tx_id !== null,
      block_time: row.block_time,
      amount: row.amount,
      utxo_id: row.utxo_id,
      asset_id: row.asset_id,
      threshold: row.owner_threshold,
      is_reward: row.reward_type !== null,
    })),
  );
}

/** A local network behind the name fuji. */
export function checkpointRow(state: Readonly<Record<string, string>>) {
  return {
    network: 'fuji',
    chain: P_CHAIN,
    height: 1,
    block_id: idOf(1),
    block_time: 1_700_000_000,
    state,
    updated_at: '2026-01-01T00:00:00Z',
  };
}
