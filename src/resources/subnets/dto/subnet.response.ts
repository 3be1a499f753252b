import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { packAddresses, repeatedIdToString } from '../../../avalanche/ids/repeated-texts.js';
import { PRIMARY_NETWORK } from '../../../avalanche/platformvm/ids.js';
import { type LosslessJson, toInteger } from '../../../platform/http/adapter/lossless-json.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import {
  bech32List,
  blockNumber,
  cb58,
  count,
  text,
  uint64,
  unixSeconds,
} from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import { BlockchainResponse, inPrimaryOrder, toBlockchainResponse } from './blockchain.response.js';
import type { SubnetWithBlockchains } from '../subnet-list.js';

class SubnetOwnershipInfo {
  @ApiProperty(
    uint64('UNIX seconds until which the owners cannot sign; 0 means that they can sign at once.', 0),
  )
  locktime!: number | bigint;

  @ApiProperty(count('Number of owners that must sign.', 1))
  threshold!: number;

  @ApiProperty(bech32List('The owners.', EXAMPLES.address))
  addresses!: string[];
}

class L1ValidatorManagerDetails {
  @ApiProperty(
    cb58('The chain of the validator manager.', '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC'),
  )
  blockchainId!: string;

  @ApiProperty(
    text('Address of the validator manager: 0x and hex.', '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'),
  )
  contractAddress!: string;
}

export class SubnetResponse {
  @ApiProperty(unixSeconds('Time of the P-chain block that created it.', 1_795_307_310))
  createBlockTimestamp!: number;

  @ApiProperty(
    blockNumber('Height of that block; -1 for the primary network, which is part of the genesis.', '17'),
  )
  createBlockIndex!: string;

  @ApiProperty(
    cb58(
      'Id of the subnet, which is the id of the transaction that created it.',
      '2RjkJoZshX2Xc6FgGTaYKQgeVqw7dUeGgwEyChh17RgpuZeaa',
    ),
  )
  subnetId!: string;

  @ApiProperty(bech32List('The same as in subnetOwnershipInfo.', EXAMPLES.address))
  ownerAddresses!: string[];

  @ApiProperty(count('The same as in subnetOwnershipInfo.', 1))
  threshold!: number;

  @ApiProperty(uint64('The same as in subnetOwnershipInfo.', 0))
  locktime!: number | bigint;

  @ApiProperty({ type: SubnetOwnershipInfo, description: 'The current owner.' })
  subnetOwnershipInfo!: SubnetOwnershipInfo;

  @ApiProperty({ description: 'Whether the subnet has been converted to an L1.', example: true })
  isL1!: boolean;

  @ApiPropertyOptional(
    cb58(
      'L1s only: the transaction that converted the subnet.',
      '8mZUvPaYs6pTuuAwZ9qn6L4xgGgZ2GrVkkM7wxQxLQYmwvmkV',
    ),
  )
  l1ConversionTransactionHash?: string;

  @ApiPropertyOptional({
    type: L1ValidatorManagerDetails,
    description: 'L1s only: the contract that manages the validators.',
  })
  l1ValidatorManagerDetails?: L1ValidatorManagerDetails;

  @ApiProperty({
    type: [BlockchainResponse],
    description: 'Blockchains of the subnet, oldest first; for the primary network, the P-, X- and C-chain.',
  })
  blockchains!: BlockchainResponse[];
}

export class ListSubnetsResponse extends PageResponse {
  @ApiProperty({ type: [SubnetResponse], description: 'At most pageSize subnets.' })
  subnets!: SubnetResponse[];
}

export function toSubnetResponse(row: SubnetWithBlockchains, hrp: string): LosslessJson {
  const owner = {
    locktime: toInteger(row.owner?.locktime ?? 0n),
    threshold: row.owner?.threshold ?? 0,
    addresses: packAddresses(row.owner?.addresses ?? [], hrp),
  };
  return {
    createBlockTimestamp: row.blockTime,
    createBlockIndex: row.blockHeight.toString(),
    subnetId: repeatedIdToString(row.subnetId),
    ownerAddresses: owner.addresses,
    threshold: owner.threshold,
    locktime: owner.locktime,
    subnetOwnershipInfo: owner,
    isL1: row.conversion !== null,
    ...conversionFields(row),
    blockchains: (row.subnetId === PRIMARY_NETWORK ? inPrimaryOrder(row.blockchains) : row.blockchains).map(
      toBlockchainResponse,
    ),
  };
}

function conversionFields({ conversion }: SubnetWithBlockchains): Record<string, LosslessJson> {
  if (conversion === null) return {};
  return {
    l1ConversionTransactionHash: repeatedIdToString(conversion.txId),
    l1ValidatorManagerDetails: {
      blockchainId: repeatedIdToString(conversion.managerChainId),
      contractAddress: `0x${conversion.managerAddress}`,
    },
  };
}
