import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { type IdHex, idToHex, type ShortIdHex, shortIdToHex } from '../../../src/avalanche/ids/text.js';
import { packUnsignedTransaction } from '../../../src/avalanche/platformvm/codec/transaction.js';
import { PRIMARY_NETWORK } from '../../../src/avalanche/platformvm/ids.js';
import { utxoId } from '../../../src/avalanche/platformvm/utxo-id.js';
import { avaxOfIndexes } from '../../../src/platform/database/network-partitions.js';
import { withoutTimeouts } from '../../../src/platform/database/data-source.js';

export interface GeneratedSizes {
  validators: number;
  delegators: number;
  utxos: number;
  subnets: number;
  /** Without it, no page is known to be visible to all, as after many changes; then nothing is read from indexes alone. */
  vacuum?: boolean;
}

const NETWORK = 'mainnet';
const AVAX = avaxOfIndexes(NETWORK);
const GENERATED_SUBNETS = 200;
const GENERATED_L1_VALIDATORS = 20_000;
/** Of the active validators, however many there have been. */
const MAX_ACTIVE = 20_000;
/** Every so many rows belong to one address. */
const WHALE_SHARE = 20;

const NOBODY = { locktime: 0n, threshold: 1, addresses: ['ab'.repeat(20)] };
const HALF = { assetId: AVAX, amount: 25_000_000_000n, stakeableLocktime: null, owners: NOBODY };
const SPENT_TX = 'cd'.repeat(32);
/** The bytes of each transaction that stakes. */
const STAKING = packUnsignedTransaction({
  type: 'AddPermissionlessDelegator',
  networkId: 1,
  blockchainId: PRIMARY_NETWORK,
  outputs: [HALF],
  inputs: [
    {
      txId: SPENT_TX,
      outputIndex: 0,
      assetId: AVAX,
      amount: 50_000_000_000n,
      stakeableLocktime: null,
      signatureIndices: [0],
    },
  ],
  memo: new Uint8Array(),
  validator: { nodeId: 'ef'.repeat(20), start: 0n, end: 1n, weight: HALF.amount },
  subnetId: PRIMARY_NETWORK,
  stake: [HALF],
  rewardsOwner: NOBODY,
});

/**
 * Fills the tables with rows made by Postgres itself, shaped like a network that has grown for years: most validations are
 * over, a few addresses have very many UTXOs, and large amounts are rare. Not more random than the row's number.
 */
export async function generateLists(
  dataSource: DataSource,
  sizes: GeneratedSizes,
  progress: (text: string) => void = () => undefined,
): Promise<void> {
  const tables = [
    ['subnets', subnets(sizes.subnets)],
    ['blockchains', blockchains(sizes.subnets)],
    ['subnet_stakes', subnetStakes()],
    ['l1_validators', l1Validators()],
    ['nodes', nodes(sizes.validators)],
    ['validators', validators(sizes.validators)],
    ['validation_cycles', validationCycles(sizes.validators)],
    ['observed_nodes', observedNodes()],
    ['delegators', delegators(sizes)],
    ['delegator_reward_addresses', rewardAddresses()],
    ['staking_transactions', stakingTransactions()],
    ['staking_listings', stakingListings()],
    ['utxos', [utxos(sizes.utxos), stakes(), paidRewards()].join(';')],
    ['utxo_listings', listings()],
  ] as const;
  await fill(dataSource, tables, sizes.vacuum ?? true, progress);
}

/** Their tables alone. */
export function generateUtxos(
  dataSource: DataSource,
  count: number,
  progress: (text: string) => void,
): Promise<void> {
  const tables = [
    ['utxos', utxos(count)],
    ['utxo_listings', listings()],
  ] as const;
  return fill(dataSource, tables, true, progress);
}

async function fill(
  dataSource: DataSource,
  tables: readonly (readonly [table: string, insert: string])[],
  vacuum: boolean,
  progress: (text: string) => void,
): Promise<void> {
  await withoutTimeouts(dataSource, async (run) => {
    await run(`SET maintenance_work_mem = '512MB'`);
    for (const [table, insert] of tables) {
      const startedAt = performance.now();
      // Filling an index afterwards takes a fraction of the time.
      const indexes = await run<{ name: string; definition: string }>(
        `SELECT index.relname AS name, pg_get_indexdef(index.oid) AS definition
           FROM pg_partition_tree('${table}') JOIN pg_index ON indrelid = relid JOIN pg_class index ON index.oid = indexrelid
          WHERE NOT index.relispartition AND NOT indisunique`,
      );
      for (const { name } of indexes) await run(`DROP INDEX ${name}`);
      await run(insert);
      for (const { definition } of indexes) await run(definition.replace(' ON ONLY ', ' ON '));
      await run(`${vacuum ? 'VACUUM ' : ''}ANALYZE ${table}`);
      progress(`${table}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    }
  });
}

const id = (kind: string, number: string): string => `sha256(('${kind}' || (${number}))::bytea)`;
const shortId = (kind: string, number: string): string => `substr(${id(kind, number)}, 1, 20)`;
/** SQL of a number from 0 to 1 that follows from the row's number. */
const random = (kind: string): string =>
  `(('x' || substr(md5('${kind}' || i), 1, 8))::bit(32)::bigint / 4294967296.0)`;
const PRIMARY = `decode(repeat('00', 32), 'hex')`;
const NOW = `extract(epoch FROM now())::bigint`;

/** Twenty validations a node. */
const nodesOf = (validators: number): number => Math.max(1, Math.ceil(validators / 20));
const nodeText = (number: string): string =>
  `'NodeID-' || translate(left(encode(${id('node', number)}, 'base64'), 33), '+/', 'ab')`;

const subnets = (count: number): string => `
  INSERT INTO subnets (network, subnet_id, block_height, block_time, owner_locktime, owner_threshold, owner_addresses)
  SELECT '${NETWORK}', ${id('subnet', 'i')}, i * 100, 1600000000 + i * 1000, 0, 1, ARRAY[${shortId('owner', 'i')}]
    FROM generate_series(1, ${count}) i`;

const blockchains = (count: number): string => `
  INSERT INTO blockchains (network, blockchain_id, subnet_id, name, vm_id, fx_ids, genesis_data, block_height, block_time)
  SELECT '${NETWORK}', ${id('blockchain', 'i')}, ${id('subnet', 'i')}, 'Chain ' || i, ${id('vm', 'i % 10')}, '{}', '\\x00', i * 100 + 1,
    1600000000 + i * 1000 FROM generate_series(1, ${count}) i`;

const subnetStakes = (): string => `
  INSERT INTO subnet_stakes (network, subnet_id, supply, total_weight)
  SELECT '${NETWORK}', ${PRIMARY}, 400000000000000000, 200000000000000000
  UNION ALL SELECT '${NETWORK}', ${id('subnet', 'i')}, NULL, 1000 FROM generate_series(1, ${GENERATED_SUBNETS}) i`;

/** On every subnet with validators, four of five removed again, and of the others one in ten without balance. */
const l1Validators = (): string => `
  INSERT INTO l1_validators (network, validation_id, subnet_id, node_id, public_key, proof_of_possession, remaining_balance_owner_threshold,
    remaining_balance_owner_addresses, deactivation_owner_threshold, deactivation_owner_addresses, start_time, weight, min_nonce,
    end_accumulated_fee, tx_id)
  SELECT '${NETWORK}', ${id('validation', 'i')}, ${id('subnet', `1 + i % ${GENERATED_SUBNETS}`)}, ${shortId('l1 node', 'i')},
    ${id('key', 'i')}, ${id('proof', 'i')}, 1, ARRAY[${shortId('owner', 'i')}], 1, ARRAY[${shortId('owner', 'i')}], 1600000000 + i,
    CASE WHEN i / ${GENERATED_SUBNETS} % 5 = 0 THEN 100 ELSE 0 END, 0,
    CASE WHEN i / ${GENERATED_SUBNETS} % 5 = 0 AND i % 10 > 0 THEN 1000000000000 ELSE 0 END, ${id('registration', 'i')}
    FROM generate_series(1, ${GENERATED_L1_VALIDATORS}) i`;

const nodes = (validators: number): string => `
  INSERT INTO nodes SELECT '${NETWORK}', ${shortId('node', 'i')}, ${nodeText('i')} FROM generate_series(0, ${nodesOf(validators) - 1}) i`;

const observedNodes = (): string => `
  INSERT INTO observed_nodes (network, node_id, reachability_percent, benched_p_percent, benched_x_percent, benched_c_percent, version,
    city, country_code, latitude, longitude)
  SELECT DISTINCT '${NETWORK}', node_id, 100, 0, 0, 0, 'avalanchego/1.14.2', 'Zurich', 'CH', 47.3769, 8.5417
    FROM validators WHERE status = 'active'`;

const validators = (count: number): string => {
  const active = Math.min(Math.ceil(count / 10), MAX_ACTIVE);
  return `
  INSERT INTO validators (network, tx_id, subnet_id, node_id, status, weight, start_time, end_time, block_height, block_time,
    potential_reward, stake_asset_id, output_count, stake_output_count, end_tx_id, ended_at, tx_type, is_permissioned,
    validation_rewards_owner_locktime, validation_rewards_owner_threshold, validation_rewards_owner_addresses,
    delegation_rewards_owner_locktime, delegation_rewards_owner_threshold, delegation_rewards_owner_addresses,
    shares, delegatee_reward, paid_validation_reward, paid_delegation_reward, delegated_weight, delegator_count,
    total_delegated_weight, total_delegator_count, node_id_text, delegation_capacity, uptime_performance)
  SELECT '${NETWORK}', ${id('validator', 'i')},
    CASE WHEN is_permissioned THEN ${id('subnet', `1 + i % ${GENERATED_SUBNETS}`)} ELSE ${PRIMARY} END,
    ${shortId('node', 'node')}, status, 2000000000000 + i, end_time - 5000000, end_time, i * 25, end_time - 5000000,
    1000000000, ${id('asset', '0')}, 1, 1,
    CASE WHEN status IN ('completed', 'removed') THEN ${id('end', 'i')} END,
    CASE WHEN status IN ('completed', 'removed') THEN end_time END,
    'AddPermissionlessValidator', is_permissioned,
    0, 1, ARRAY[${shortId('owner', 'node')}], 0, 1, ARRAY[${shortId('owner', 'node')}],
    CASE WHEN NOT is_permissioned THEN shares END, 0, 0, 0, 0, 0, 0, 0, ${nodeText('node')},
    CASE WHEN status IN ('active', 'pending') AND NOT is_permissioned THEN (${random('capacity')} * 3000000000000000)::numeric(20) END,
    CASE WHEN status = 'active' AND i % 50 > 0 THEN round((100 - 15 * ${random('uptime')} ^ 4)::numeric, 4)::float8 END
  FROM (
    SELECT i, (i::bigint * 7919) % ${nodesOf(count)} AS node,
      i % 8 = 0 AS is_permissioned,
      CASE WHEN ${random('fee')} < 0.7 THEN 20000 ELSE (20000 + ${random('shares')} * 180000)::int END AS shares,
      CASE WHEN i > ${count} - 50 THEN 'pending' WHEN i > ${count - active} THEN 'active'
           WHEN i % 80 = 0 THEN 'removed' ELSE 'completed' END AS status,
      CASE WHEN i > ${count - active} THEN ${NOW} + 100 + (${random('end')} * 31000000)::bigint
           ELSE ${NOW} - 100 - (${count} - i) * 100 END AS end_time
    FROM generate_series(1, ${count}) i
  ) made`;
};

/** Half as many as validations. One node in four has very many. */
const validationCycles = (count: number): string => `
  INSERT INTO validation_cycles (network, tx_id, cycle_index, node_id, reward_tx_id, start_time, end_time, weight, auto_compound_shares,
    outcome, withdrawn_validation_reward, compounded_validation_reward, withdrawn_delegatee_reward, compounded_delegatee_reward,
    delegator_count, delegated_weight)
  SELECT '${NETWORK}', ${id('validator', 'node')}, i, ${shortId('node', 'node')}, ${id('reward', 'i')}, 1600000000 + i * 1000,
    1600001000 + i * 1000, 2000000000000, 300000, 'renewed', 700, 300, 0, 0, 0, 0
  FROM (SELECT i, i % ${Math.max(1, Math.ceil(nodesOf(count) / 4))} AS node FROM generate_series(1, ${Math.ceil(count / 2)}) i) made`;

const delegators = ({ validators: validations, delegators: count }: GeneratedSizes): string => {
  const running = Math.min(Math.ceil(count / 20), 5 * MAX_ACTIVE);
  const active = Math.min(Math.ceil(validations / 10), MAX_ACTIVE);
  return `
  INSERT INTO delegators (network, tx_id, subnet_id, node_id, status, weight, start_time, end_time, block_height, block_time,
    potential_reward, stake_asset_id, output_count, stake_output_count, end_tx_id, ended_at, tx_type, validator_tx_id, shares,
    validator_part, rewards_owner_locktime, rewards_owner_threshold, rewards_owner_addresses, paid_reward, is_rewarded)
  SELECT '${NETWORK}', ${id('delegator', 'i')}, ${PRIMARY}, ${shortId('node', `(validation::bigint * 7919) % ${nodesOf(validations)}`)},
    status, 25000000000 + i, ${NOW} - (${count} - i) * 100, ${NOW} - (${count} - i) * 100 + 1209600, i * 12, ${NOW} - (${count} - i) * 100,
    100000, ${id('asset', '0')}, 1, 1, NULL, NULL, 'AddPermissionlessDelegator', ${id('validator', 'validation')}, 20000,
    2000, 0, 1, ARRAY[${shortId('owner', `CASE WHEN i % ${WHALE_SHARE} = 0 THEN 0 ELSE i % ${Math.ceil(count / 10)} END`)}],
    CASE WHEN status = 'completed' THEN 98000 ELSE 0 END, CASE WHEN status = 'completed' THEN true END
  FROM (
    SELECT i, CASE WHEN i > ${count - running} THEN 'active' ELSE 'completed' END AS status,
      CASE WHEN i > ${count - running} THEN ${validations - active} + 1 + i % ${active} ELSE 1 + i % ${validations} END AS validation
    FROM generate_series(1, ${count}) i
  ) made`;
};

const rewardAddresses = (): string => `
  INSERT INTO delegator_reward_addresses (network, tx_id, address, status, start_time, node_id)
  SELECT network, tx_id, unnest(rewards_owner_addresses), status, start_time, node_id FROM delegators`;

/** Of all stakes that run, each of which spent the same output and made two. */
const stakingTransactions = (): string =>
  ['validators', 'delegators']
    .map((table) => {
      const owner = table === 'validators' ? 'validation_rewards_owner_addresses' : 'rewards_owner_addresses';
      return `
  INSERT INTO staking_transactions (network, tx_id, tx_type, block_id, block_height, block_time, unsigned, addresses)
  SELECT network, tx_id, tx_type, tx_id, block_height, block_time, '\\x${toHex(STAKING)}', ${owner}
    FROM ${table} WHERE status IN ('active', 'pending')`;
    })
    .join(';');

const stakingListings = (): string => `
  INSERT INTO staking_listings (network, address, tx_type, block_time, tx_id)
  SELECT network, unnest(addresses || '\\x'::bytea), tx_type, block_time, tx_id FROM staking_transactions`;

const UTXO_COLUMNS = `network, utxo_id, tx_id, output_index, asset_id, amount, created_on_chain_id, spendable_on_chain_id,
    block_height, block_time, owner_locktime, owner_threshold, owner_addresses`;

const stakes = (): string => `
  INSERT INTO utxos (${UTXO_COLUMNS})
  SELECT network, sha256(int8send(index) || tx_id), tx_id, index, '\\x${AVAX}'::bytea, 25000000000, ${PRIMARY}, ${PRIMARY}, block_height, block_time,
    0, 1, addresses
    FROM staking_transactions CROSS JOIN generate_series(0::bigint, 1) index
  UNION ALL SELECT '${NETWORK}', '\\x${utxoId(SPENT_TX, 0)}'::bytea, '\\x${SPENT_TX}'::bytea, 0, '\\x${AVAX}'::bytea, 50000000000, ${PRIMARY}, ${PRIMARY}, 0, 1600000000,
    0, 1, ARRAY[${shortId('owner', '1')}]`;

/** Of one delegation in ten. */
const paidRewards = (): string => `
  INSERT INTO utxos (${UTXO_COLUMNS}, reward_type)
  SELECT network, sha256(int8send(2) || tx_id), tx_id, 2, '\\x${AVAX}'::bytea, 98000, ${PRIMARY}, ${PRIMARY}, block_height, end_time,
    0, 1, rewards_owner_addresses, 'DELEGATOR'
    FROM delegators WHERE status = 'completed' AND get_byte(tx_id, 0) % 10 = 0`;

/** A third on each chain; on the X-chain some of other assets. */
const utxos = (count: number): string => `
  INSERT INTO utxos (network, utxo_id, tx_id, output_index, asset_id, amount, created_on_chain_id, spendable_on_chain_id,
    block_height, block_time, owner_locktime, owner_threshold, owner_addresses, consuming_tx_id, consuming_block_height,
    consuming_block_time)
  SELECT '${NETWORK}', ${id('utxo', 'i')}, ${id('transaction', 'i / 2')}, i % 2,
    CASE WHEN i % 30 = 1 THEN ${id('asset', 'i % 100')} ELSE '\\x${avaxOfIndexes(NETWORK)}' END,
    floor(10 ^ (15 * ${random('amount')}))::numeric(20), chain,
    CASE WHEN i % 50 = 0 THEN ${id('chain', 'i % 100')} ELSE chain END,
    i / 4, 1600000000 + i / 4 * 3, 0, 1,
    ARRAY[${shortId('owner', `CASE WHEN i % ${WHALE_SHARE} = 0 THEN 0 ELSE i % ${Math.ceil(count / 20)} END`)}],
    CASE WHEN i % 7 < 5 THEN ${id('consuming', 'i')} END, CASE WHEN i % 7 < 5 THEN i / 4 + 5 END,
    CASE WHEN i % 7 < 5 THEN 1600000015 + i / 4 * 3 END
  FROM (
    SELECT i, CASE i % 3 WHEN 1 THEN ${id('chain', '0')} WHEN 2 THEN ${id('chain', '50')} ELSE ${PRIMARY} END AS chain
    FROM generate_series(1, ${count}) i
  ) made`;

const listings = (): string => `
  INSERT INTO utxo_listings (network, chain, address, is_spent, block_time, amount, utxo_id, asset_id, threshold, is_reward)
  SELECT network, chain, address, consuming_tx_id IS NOT NULL, block_time, amount, utxo_id, asset_id, owner_threshold, reward_type IS NOT NULL
    FROM utxos, unnest(owner_addresses || '\\x'::bytea) address,
         LATERAL (VALUES ('P', created_on_chain_id), ('X', ${id('chain', '0')}), ('C', ${id('chain', '50')})) chains (chain, chain_id)
   WHERE chain_id IN (created_on_chain_id, spendable_on_chain_id)`;

/** As though the P-chain's index had written the rows: what depends on its block has one. */
export async function beginGeneratedPChain(dataSource: DataSource): Promise<void> {
  await dataSource.query(
    `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
     VALUES ('${NETWORK}', 'p-chain', 1, '\\x00', 1, '{"accruedFees": "0", "validatorExcess": "0"}')`,
  );
}

/** A node with validations and cycles. */
export const GENERATED_NODE: ShortIdHex = shortIdToHex(
  createHash('sha256').update('node0').digest().subarray(0, 20),
);

/** The address that owns every twentieth UTXO and delegation, and of an address with as many as most. */
export async function generatedOwners(
  dataSource: DataSource,
): Promise<{ whale: ShortIdHex; ordinary: ShortIdHex }> {
  const rows: { whale: Buffer; ordinary: Buffer }[] = await dataSource.query(
    `SELECT ${shortId('owner', '0')} AS whale, ${shortId('owner', '7')} AS ordinary`,
  );
  const [owners] = rows;
  if (owners === undefined) throw new Error('no owners');
  return { whale: shortIdToHex(owners.whale), ordinary: shortIdToHex(owners.ordinary) };
}

export async function generatedSubnetId(dataSource: DataSource, number: number): Promise<IdHex> {
  const rows: { id: Buffer }[] = await dataSource.query(`SELECT ${id('subnet', String(number))} AS id`);
  const [subnet] = rows;
  if (subnet === undefined) throw new Error('no subnet');
  return idToHex(subnet.id);
}
