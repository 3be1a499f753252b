import type { Blockchain } from '../../../avalanche/platformvm/state/records.js';
import {
  amount,
  bigInteger,
  bytes,
  id,
  ids,
  int,
  json,
  optional,
  record,
  type RowOf,
  safeInteger,
  text,
} from '../../engine/sql/field.js';
import { Table } from '../../../platform/database/table.js';
import { mapGenesisData } from '../genesis-data.js';
import { owners, pChainOwner } from '../../engine/sql/owner-fields.js';

export const SUBNET = record({
  subnetId: id('subnet_id'),
  blockHeight: bigInteger('block_height'),
  blockTime: safeInteger('block_time'),
  owner: optional(owners('owner')),
  transformation: optional(
    record({
      txId: id('transformation_tx_id'),
      assetId: id('transformation_asset_id'),
      maximumSupply: amount('transformation_maximum_supply'),
      minConsumptionRate: amount('transformation_min_consumption_rate'),
      maxConsumptionRate: amount('transformation_max_consumption_rate'),
      maxValidatorStake: amount('transformation_max_validator_stake'),
      maxValidatorWeightFactor: int('transformation_max_validator_weight_factor'),
    }),
  ),
  conversion: optional(
    record({
      txId: id('conversion_tx_id'),
      conversionId: id('conversion_id'),
      managerChainId: id('conversion_manager_chain_id'),
      managerAddress: id('conversion_manager_address'),
    }),
  ),
});

export type SubnetRow = RowOf<typeof SUBNET>;

export const SUBNETS = new Table({ name: 'subnets', key: ['subnet_id'], columns: SUBNET.columns });

export const SUBNET_STAKE = record({
  subnetId: id('subnet_id'),
  supply: optional(amount('supply')),
  totalWeight: amount('total_weight'),
});

export const SUBNET_STAKES = new Table({
  name: 'subnet_stakes',
  key: ['subnet_id'],
  columns: SUBNET_STAKE.columns,
});

export const L1_VALIDATOR = record({
  validationId: id('validation_id'),
  subnetId: id('subnet_id'),
  nodeId: id('node_id'),
  publicKey: bytes('public_key'),
  remainingBalanceOwner: pChainOwner('remaining_balance_owner'),
  deactivationOwner: pChainOwner('deactivation_owner'),
  start: safeInteger('start_time'),
  weight: amount('weight'),
  minNonce: amount('min_nonce'),
  endAccumulatedFee: amount('end_accumulated_fee'),
  txId: id('tx_id'),
});

export const L1_VALIDATORS = new Table({
  name: 'l1_validators',
  key: ['validation_id'],
  columns: L1_VALIDATOR.columns,
});

export const BLOCKCHAIN = record({
  blockchainId: id('blockchain_id'),
  subnetId: id('subnet_id'),
  name: text('name'),
  vmId: id('vm_id'),
  fxIds: ids('fx_ids'),
  genesisData: bytes('genesis_data'),
  blockHeight: optional(bigInteger('block_height')),
  blockTime: safeInteger('block_time'),
});

/** With the specification's form of the genesis; null for a VM that is no EVM. */
const LISTED_BLOCKCHAIN = record({
  blockchain: BLOCKCHAIN,
  genesis: optional(json('genesis')),
  evmChainId: optional(amount('evm_chain_id')),
});

export type BlockchainRow = RowOf<typeof LISTED_BLOCKCHAIN>;

export const BLOCKCHAINS = new Table({
  name: 'blockchains',
  key: ['blockchain_id'],
  columns: LISTED_BLOCKCHAIN.columns,
});

export function withGenesis(blockchain: Blockchain) {
  return { blockchain, ...mapGenesisData(blockchain.genesisData) };
}
