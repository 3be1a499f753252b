import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { packAddress } from '../../avalanche/ids/address.js';
import { toHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { AVM_ID, PLATFORM_VM_ID } from '../../avalanche/platformvm/vm-ids.js';
import { JsonText, type LosslessJson, toInteger } from '../../http/lossless-json.js';
import { repeatedIdToString } from '../../http/repeated-ids.js';
import type { BlockchainRow } from '../subnet-list.js';
import type { SubnetWithBlockchains } from '../subnet.repository.js';

/** Chains of the genesis are in no block. */
const GENESIS_BLOCK_NUMBER = '-1';

class SubnetOwnershipInfo {
  @ApiProperty({ type: 'integer', format: 'uint64' })
  locktime: number | bigint;

  @ApiProperty({ type: 'integer' })
  threshold: number;

  @ApiProperty({ type: [String] })
  addresses: string[];
}

class L1ValidatorManagerDetails {
  @ApiProperty()
  blockchainId: string;

  @ApiProperty()
  contractAddress: string;
}

export class BlockchainResponse {
  @ApiProperty({ type: 'integer' })
  createBlockTimestamp: number;

  @ApiProperty({ description: '-1 for the chains of the genesis.' })
  createBlockNumber: string;

  @ApiProperty()
  blockchainId: string;

  @ApiProperty({ description: 'platformvm and avm for the P- and X-chain.' })
  vmId: string;

  @ApiProperty()
  subnetId: string;

  @ApiProperty()
  blockchainName: string;

  @ApiPropertyOptional({ type: 'integer' })
  evmChainId?: number | bigint;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Of EVM chains.' })
  genesisData?: JsonText;
}

export class SubnetResponse {
  @ApiProperty({ type: 'integer' })
  createBlockTimestamp: number;

  @ApiProperty()
  createBlockIndex: string;

  @ApiProperty()
  subnetId: string;

  @ApiProperty({ type: [String], description: 'As in subnetOwnershipInfo.' })
  ownerAddresses: string[];

  @ApiProperty({ type: 'integer', description: 'As in subnetOwnershipInfo.' })
  threshold: number;

  @ApiProperty({ type: 'integer', format: 'uint64', description: 'As in subnetOwnershipInfo.' })
  locktime: number | bigint;

  @ApiProperty({
    type: SubnetOwnershipInfo,
    description: 'The newest owner; bech32 without a chain in front.',
  })
  subnetOwnershipInfo: SubnetOwnershipInfo;

  @ApiProperty()
  isL1: boolean;

  @ApiPropertyOptional()
  l1ConversionTransactionHash?: string;

  @ApiPropertyOptional({ type: L1ValidatorManagerDetails })
  l1ValidatorManagerDetails?: L1ValidatorManagerDetails;

  @ApiProperty({ type: [BlockchainResponse] })
  blockchains: BlockchainResponse[];
}

export class ListSubnetsResponse {
  @ApiPropertyOptional({ description: 'Absent on the last page.' })
  nextPageToken?: string;

  @ApiProperty({ type: [SubnetResponse] })
  subnets: SubnetResponse[];
}

export function toSubnetResponse(row: SubnetWithBlockchains, hrp: string): LosslessJson {
  const owner = {
    locktime: toInteger(row.owner_locktime ?? '0'),
    threshold: row.owner_threshold ?? 0,
    addresses: (row.owner_addresses ?? []).map((bytes) => packAddress({ hrp, bytes })),
  };
  return {
    createBlockTimestamp: Number(row.block_time),
    createBlockIndex: row.block_height,
    subnetId: idToString(row.subnet_id),
    ownerAddresses: owner.addresses,
    threshold: owner.threshold,
    locktime: owner.locktime,
    subnetOwnershipInfo: owner,
    isL1: row.conversion_tx_id !== null,
    ...conversionFields(row),
    blockchains: isPrimaryNetwork(row)
      ? primaryBlockchains(row)
      : row.blockchains.map((blockchain) => toBlockchainResponse(blockchain)),
  };
}

function isPrimaryNetwork({ subnet_id }: { subnet_id: Buffer }): boolean {
  return toHex(subnet_id) === PRIMARY_NETWORK;
}

function conversionFields(row: SubnetWithBlockchains): Record<string, LosslessJson> {
  const { conversion_tx_id, conversion_manager_chain_id, conversion_manager_address } = row;
  if (conversion_tx_id === null) return {};
  return {
    l1ConversionTransactionHash: idToString(conversion_tx_id),
    ...(conversion_manager_chain_id === null || conversion_manager_address === null
      ? {}
      : {
          l1ValidatorManagerDetails: {
            blockchainId: idToString(conversion_manager_chain_id),
            contractAddress: `0x${toHex(conversion_manager_address)}`,
          },
        }),
  };
}

/** VMs that go by their names, in the order of their chains; the C-chain's comes after them and goes by its id. */
const NAMED_VMS = [
  { id: PLATFORM_VM_ID, name: 'platformvm' },
  { id: AVM_ID, name: 'avm' },
] as const;

/** P before X before C. */
function primaryBlockchains({ blockchains }: SubnetWithBlockchains): LosslessJson[] {
  const named = NAMED_VMS.flatMap(({ id, name }) =>
    blockchains.filter((row) => toHex(row.vm_id) === id).map((row) => toBlockchainResponse(row, name)),
  );
  const others = blockchains.filter((row) => NAMED_VMS.every(({ id }) => toHex(row.vm_id) !== id));
  return [...named, ...others.map((row) => toBlockchainResponse(row))];
}

function toBlockchainResponse(
  row: BlockchainRow,
  vmId: string = repeatedIdToString(row.vm_id),
): LosslessJson {
  return {
    createBlockTimestamp: Number(row.block_time),
    createBlockNumber: row.block_height ?? GENESIS_BLOCK_NUMBER,
    blockchainId: idToString(row.blockchain_id),
    vmId,
    subnetId: idToString(row.subnet_id),
    blockchainName: row.name,
    ...(row.evm_chain_id === null ? {} : { evmChainId: toInteger(row.evm_chain_id) }),
    ...(row.genesis === null ? {} : { genesisData: new JsonText(row.genesis) }),
  };
}
