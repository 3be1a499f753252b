import { Injectable } from '@nestjs/common';
import type { ShortIdHex } from '../../avalanche/ids/text.js';
import { canConsume } from '../utxos/utxo-list.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import { evmChainKey, partitionOf, type PrimaryChain } from '../../platform/database/chains.js';
import { Database, type Statement } from '../../platform/database/database.js';
import { toBytes } from '../../platform/database/shaped-query.js';
import type { FedChain } from './fed-chains.js';

/** In the order in which the changes of one block are sent. */
const CHANGE_KINDS = [
  'validator.changed',
  'utxo.created',
  'utxo.consumed',
  'message.sent',
  'message.delivered',
  'message.executed',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Whose changes a stream has. Hex without 0x. */
export interface Subscription {
  readonly network: NetworkName;
  readonly addresses: readonly ShortIdHex[];
  readonly evmAddresses: readonly string[];
  readonly nodeIds: readonly ShortIdHex[];
}

/** Some blocks of one chain. */
export interface ChangeRange {
  readonly chain: FedChain;
  /** Hex, of a chain with UTXOs. */
  readonly chainId: string | undefined;
  /** Excluded, and included. */
  readonly from: bigint;
  readonly to: bigint;
  /** Of the first ones. */
  readonly skip: number;
  readonly limit: number;
  /** Blocks up to which the changes of other chains have been sent, by the id of a chain with UTXOs. */
  readonly others: ReadonlyMap<string, bigint>;
}

/** Ids are hex. */
export interface ChangeRow {
  readonly kind: ChangeKind;
  readonly height: string;
  /** Of the UTXO or message; of a validator, that of the subnet. */
  readonly id: string;
  readonly nodeId: string | null;
  /** Of a validator of an L1. */
  readonly validationId: string | null;
  /** Decimal text; 0: it left. */
  readonly weight: string | null;
  readonly isActive: boolean | null;
}

/** SQL of one kind; the parameters are `$1` and so on, in the order in which they were added. */
class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** Changes of blocks, read from the rows that the blocks have made. */
@Injectable()
export class ChangeRepository {
  constructor(private readonly database: Database) {}

  /** By block and kind; the same ones each time, as long as the rows stay. */
  async find(subscription: Subscription, range: ChangeRange): Promise<ChangeRow[]> {
    const statement = this.statement(subscription, range);
    return statement === undefined ? [] : this.database.query<ChangeRow>(statement);
  }

  /** Undefined where the chain changes nothing of what the stream is about. */
  statement(subscription: Subscription, range: ChangeRange): Statement | undefined {
    const parameters = new Parameters();
    const selects = selectsOf(subscription, range, parameters);
    if (selects.length === 0) return undefined;
    return {
      text: `SELECT kind, height, encode(id, 'hex') AS id, encode(node_id, 'hex') AS "nodeId",
                    encode(validation_id, 'hex') AS "validationId", weight, is_active AS "isActive"
               FROM (${selects.join(' UNION ALL ')}) AS change
              ORDER BY change.height, array_position(${parameters.add(CHANGE_KINDS, 'text[]')}, kind), place
              LIMIT ${parameters.add(range.limit, 'int')} OFFSET ${parameters.add(range.skip, 'int')}`,
      values: parameters.values,
      onePlan: false, // how many blocks there are decides it
    };
  }
}

function selectsOf(subscription: Subscription, range: ChangeRange, parameters: Parameters): string[] {
  const { addresses, evmAddresses, nodeIds } = subscription;
  const { chain } = range;
  const heights = { from: parameters.add(range.from, 'bigint'), to: parameters.add(range.to, 'bigint') };
  return [
    ...(chain.utxos === 'P' && nodeIds.length > 0 ? selectValidators(subscription, heights, parameters) : []),
    ...(chain.utxos === undefined || range.chainId === undefined || addresses.length === 0
      ? []
      : selectUtxos(
          subscription,
          { ...range, chainId: range.chainId, letter: chain.utxos },
          heights,
          parameters,
        )),
    ...(chain.messageSets.length === 0 || evmAddresses.length === 0
      ? []
      : selectMessages(subscription, chain, heights, parameters)),
  ];
}

interface Heights {
  readonly from: string;
  readonly to: string;
}

const isIn = (column: string, { from, to }: Heights): string => `${column} > ${from} AND ${column} <= ${to}`;

/** A member of a set whose row begins, and one whose row ends without another one behind it. */
function selectValidators(
  { network, nodeIds }: Subscription,
  heights: Heights,
  parameters: Parameters,
): string[] {
  const nodes = parameters.add(nodeIds.map(toBytes), 'bytea[]');
  const members = partitionOf('validator_set_members', network);
  const validations = partitionOf('l1_validators', network);
  const select = (height: string, weight: string, isActive: string): string => `
    SELECT 'validator.changed' AS kind, m.${height} AS height, m.subnet_id AS id, m.subnet_id || m.member_id AS place,
           coalesce(l1.node_id, m.member_id) AS node_id, l1.validation_id, ${weight}::text AS weight,
           CASE WHEN l1.validation_id IS NOT NULL THEN ${isActive} END AS is_active
      FROM ${members} m
      LEFT JOIN ${validations} l1 ON l1.network = '${network}' AND l1.validation_id = m.member_id
     WHERE m.network = '${network}' AND ${isIn(`m.${height}`, heights)}
       AND coalesce(l1.node_id, m.member_id) = ANY (${nodes})`;
  return [
    select('from_height', 'm.weight', 'm.node_id IS NOT NULL'),
    `${select('until_height', '0', 'false')}
       AND NOT EXISTS (SELECT FROM ${members} next WHERE next.network = '${network}' AND next.subnet_id = m.subnet_id
                          AND next.member_id = m.member_id AND next.from_height = m.until_height)`,
  ];
}

/**
 * An output that crosses to another chain is known to be consumed once both chains are indexed far enough: its consumption is a change of
 * the chain that came to it last, in the order in which this stream has read them.
 */
function selectUtxos(
  { network, addresses }: Subscription,
  { chainId, letter, others }: { chainId: string; letter: PrimaryChain; others: ReadonlyMap<string, bigint> },
  heights: Heights,
  parameters: Parameters,
): string[] {
  const owners = parameters.add(addresses.map(toBytes), 'bytea[]');
  const own = parameters.add(toBytes(chainId), 'bytea');
  const ids = parameters.add([...others.keys()].map(toBytes), 'bytea[]');
  const reached = parameters.add([...others.values()], 'bigint[]');
  const sentOf = (id: string): string =>
    `(SELECT other.height FROM unnest(${ids}, ${reached}) AS other (id, height) WHERE other.id = ${id})`;
  const utxos = partitionOf('utxos', network);
  const isOwned = `u.owner_addresses && ${owners} AND ${canConsume(`= ANY (${owners})`)}`;
  const select = (kind: ChangeKind, height: string, from: string): string => `
    SELECT '${kind}' AS kind, ${height} AS height, u.utxo_id AS id, u.utxo_id AS place, NULL::bytea AS node_id,
           NULL::bytea AS validation_id, NULL AS weight, NULL::boolean AS is_active
      FROM ${from}`;
  const isCreated = `u.network = '${network}' AND ${isIn('u.block_height', heights)}
       AND u.created_on_chain_id = ${own} AND ${isOwned}`;
  return [
    `${select('utxo.created', 'u.block_height', `${utxos} u`)} WHERE ${isCreated}`,
    `${select('utxo.consumed', 'u.block_height', `${utxos} u`)} WHERE ${isCreated}
       AND u.spendable_on_chain_id <> ${own}
       AND u.consuming_block_height <= ${sentOf('u.spendable_on_chain_id')}`,
    `${select('utxo.consumed', 'l.spent_height', `${partitionOf('utxo_listings', network, letter)} l`)}
      JOIN ${utxos} u ON u.network = '${network}' AND u.utxo_id = l.utxo_id
     WHERE l.address = '' AND ${isIn('l.spent_height', heights)} AND ${isOwned}
       AND (u.created_on_chain_id = ${own} OR u.block_height <= ${sentOf('u.created_on_chain_id')})`,
  ];
}

/** Those whom a report itself names. Who had a contract send a message is known to the source alone. */
function selectMessages(
  { network, evmAddresses }: Subscription,
  { evm }: FedChain,
  heights: Heights,
  parameters: Parameters,
): string[] {
  if (evm === undefined) return [];
  const parties = parameters.add(evmAddresses.map(toBytes), 'bytea[]');
  const key = parameters.add(evmChainKey(evm), 'bigint');
  const select = (kind: ChangeKind, from: string, of: string, named: string): string => `
    SELECT '${kind}' AS kind, ${of}.height AS height, ${of}.message_id AS id, int4send(${of}.log_index) || ${of}.message_id AS place,
           NULL::bytea AS node_id, NULL::bytea AS validation_id, NULL AS weight, NULL::boolean AS is_active
      FROM ${from}
     WHERE ${of}.network = '${network}' AND ${of}.chain_key = ${key} AND ${isIn(`${of}.height`, heights)} AND ${named}`;
  const names = (message: string): string =>
    `(ARRAY[${message}.from_address, ${message}.to_address] || ${message}.parties) && ${parties}`;
  const sender = `EXISTS (SELECT FROM ${partitionOf('icm_senders', network)} AS claim WHERE claim.network = '${network}'
         AND claim.message_id = m.message_id AND claim.chain_key = m.chain_key AND claim.contract = m.from_address
         AND claim.sender = ANY (${parties}))`;
  const deliveries = partitionOf('icm_deliveries', network);
  return [
    select('message.sent', `${partitionOf('icm_sends', network)} m`, 'm', `(${names('m')} OR ${sender})`),
    select('message.delivered', `${deliveries} m`, 'm', names('m')),
    select(
      'message.executed',
      `${partitionOf('icm_executions', network)} e
      JOIN ${deliveries} m ON m.network = '${network}' AND m.message_id = e.message_id AND m.chain_key = e.chain_key
       AND m.contract = e.contract`,
      'e',
      names('m'),
    ),
  ];
}
