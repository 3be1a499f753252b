import type {
  Blockchain,
  L1Validator,
  Subnet,
  SubnetStake,
} from '../../avalanche/platformvm/state/records.js';
import { mapGenesisData } from '../../subnets/genesis-data.js';
import { ownerColumns, pChainOwnerColumns } from './owner-columns.js';
import { column, Table } from '../../indexing/sql/table.js';

export const SUBNETS = new Table<Subnet>({
  name: 'subnets',
  key: ['subnet_id'],
  columns: [
    column('subnet_id', 'bytea', ({ subnetId }) => subnetId),
    column('block_height', 'bigint', ({ blockHeight }) => blockHeight),
    column('block_time', 'bigint', ({ blockTime }) => blockTime),
    ...ownerColumns<Subnet>('owner', ({ owner }) => owner),
    column('transformation_tx_id', 'bytea', ({ transformation }) => transformation?.txId ?? null),
    column('transformation_asset_id', 'bytea', ({ transformation }) => transformation?.assetId ?? null),
    column(
      'transformation_maximum_supply',
      'numeric',
      ({ transformation }) => transformation?.maximumSupply ?? null,
    ),
    column(
      'transformation_min_consumption_rate',
      'numeric',
      ({ transformation }) => transformation?.minConsumptionRate ?? null,
    ),
    column(
      'transformation_max_consumption_rate',
      'numeric',
      ({ transformation }) => transformation?.maxConsumptionRate ?? null,
    ),
    column(
      'transformation_max_validator_stake',
      'numeric',
      ({ transformation }) => transformation?.maxValidatorStake ?? null,
    ),
    column(
      'transformation_max_validator_weight_factor',
      'int',
      ({ transformation }) => transformation?.maxValidatorWeightFactor ?? null,
    ),
    column('conversion_tx_id', 'bytea', ({ conversion }) => conversion?.txId ?? null),
    column('conversion_id', 'bytea', ({ conversion }) => conversion?.conversionId ?? null),
    column('conversion_manager_chain_id', 'bytea', ({ conversion }) => conversion?.managerChainId ?? null),
    column('conversion_manager_address', 'bytea', ({ conversion }) => conversion?.managerAddress ?? null),
  ],
});

export const SUBNET_STAKES = new Table<SubnetStake>({
  name: 'subnet_stakes',
  key: ['subnet_id'],
  columns: [
    column('subnet_id', 'bytea', ({ subnetId }) => subnetId),
    column('supply', 'numeric', ({ supply }) => supply),
    column('total_weight', 'numeric', ({ totalWeight }) => totalWeight),
  ],
});

export const L1_VALIDATORS = new Table<L1Validator>({
  name: 'l1_validators',
  key: ['validation_id'],
  columns: [
    column('validation_id', 'bytea', ({ validationId }) => validationId),
    column('subnet_id', 'bytea', ({ subnetId }) => subnetId),
    column('node_id', 'bytea', ({ nodeId }) => nodeId),
    column('public_key', 'bytea', ({ publicKey }) => publicKey),
    ...pChainOwnerColumns<L1Validator>(
      'remaining_balance_owner',
      (validator) => validator.remainingBalanceOwner,
    ),
    ...pChainOwnerColumns<L1Validator>('deactivation_owner', (validator) => validator.deactivationOwner),
    column('start_time', 'bigint', ({ start }) => start),
    column('weight', 'numeric', ({ weight }) => weight),
    column('min_nonce', 'numeric', ({ minNonce }) => minNonce),
    column('end_accumulated_fee', 'numeric', ({ endAccumulatedFee }) => endAccumulatedFee),
    column('tx_id', 'bytea', ({ txId }) => txId),
  ],
});

interface BlockchainRow extends Blockchain {
  /** The specification's form of the genesis, as JSON text; null for a VM that is no EVM. */
  readonly genesis: string | null;
  readonly evmChainId: bigint | null;
}

export const BLOCKCHAINS = new Table<BlockchainRow>({
  name: 'blockchains',
  key: ['blockchain_id'],
  columns: [
    column('blockchain_id', 'bytea', ({ blockchainId }) => blockchainId),
    column('subnet_id', 'bytea', ({ subnetId }) => subnetId),
    column('name', 'text', ({ name }) => name),
    column('vm_id', 'bytea', ({ vmId }) => vmId),
    column('fx_ids', 'bytea[]', ({ fxIds }) => fxIds),
    column('genesis_data', 'bytea', ({ genesisData }) => genesisData),
    column('block_height', 'bigint', ({ blockHeight }) => blockHeight),
    column('block_time', 'bigint', ({ blockTime }) => blockTime),
    column('genesis', 'json', ({ genesis }) => genesis),
    column('evm_chain_id', 'numeric', ({ evmChainId }) => evmChainId),
  ],
});

export function toBlockchainRow(blockchain: Blockchain): BlockchainRow {
  return { ...blockchain, ...mapGenesisData(blockchain.genesisData) };
}
