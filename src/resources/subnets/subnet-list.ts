import type { NetworkName } from '../../platform/config/config.module.js';
import { columnsOf } from '../../platform/database/entity-columns.js';
import type { Keyset, PagePlace } from '../../platform/http/pagination/keyset.js';
import type { SortOrder } from '../../platform/http/schemas/query.schema.js';
import { BlockchainEntity, SubnetEntity } from '../../indexes/p-chain/entities/subnet.entities.js';

export interface SubnetListRequest extends PagePlace {
  readonly network: NetworkName;
  readonly sortOrder: SortOrder;
}

export const SUBNET = columnsOf(SubnetEntity, 'subnetId', 'blockHeight', 'blockTime', 'owner', 'conversion');
export type SubnetRow = ReturnType<typeof SUBNET.read>;

export const BLOCKCHAIN = columnsOf(
  BlockchainEntity,
  ...(['subnetId', 'blockchainId', 'name', 'vmId', 'blockHeight', 'blockTime', 'evmChainId'] as const),
);

export type ListedBlockchainRow = ReturnType<typeof BLOCKCHAIN.read>;
export type BlockchainRow = ListedBlockchainRow & Pick<BlockchainEntity, 'genesis'>;

export interface SubnetWithBlockchains extends SubnetRow {
  readonly blockchains: readonly BlockchainRow[];
}

export function keysetOf({ blockHeight, subnetId }: SubnetRow): Keyset {
  return [blockHeight.toString(), subnetId];
}
