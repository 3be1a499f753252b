import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toHex } from '../../../avalanche/ids/hex.js';
import { PRIMARY_NETWORK } from '../../../avalanche/platformvm/ids.js';
import { AVM_ID, PLATFORM_VM_ID } from '../../../avalanche/platformvm/vm-ids.js';
import { JsonText, type LosslessJson, toInteger } from '../../../platform/http/adapter/lossless-json.js';
import { blockNumber, cb58, text, uint64, unixSeconds } from '../../../platform/http/openapi/fields.js';
import { PageResponse } from '../../../platform/http/openapi/page.response.js';
import { repeatedIdToString } from '../../../avalanche/ids/repeated-texts.js';
import type { WholeBlockchain } from '../blockchain.repository.js';
import type { BlockchainRow, ListedBlockchainRow } from '../subnet-list.js';
import { GENESIS_BYTES, GENESIS_DATA } from './genesis-data.openapi.js';

export class ListedBlockchain {
  @ApiProperty(unixSeconds('Time of the P-chain block that created it.', 1_795_307_314))
  createBlockTimestamp!: number;

  @ApiProperty(blockNumber('Height of that block; -1 for the genesis chains.', '21'))
  createBlockNumber!: string;

  @ApiProperty(cb58('Id of the blockchain.', '2BZ6Ku21XHhApche3Va9hNCc1LKTMjWDneUzCGpnfNMvNVJk3C'))
  blockchainId!: string;

  @ApiProperty(
    text(
      'Id of the virtual machine that runs it, cb58; platformvm and avm for the P- and X-chain.',
      'srEXiWaHuhNyGwPUi444Tu47ZEDwxTWrbQiuD7FmgSAQ6X7Dy',
    ),
  )
  vmId!: string;

  @ApiProperty(cb58('The subnet of the blockchain.', '2RjkJoZshX2Xc6FgGTaYKQgeVqw7dUeGgwEyChh17RgpuZeaa'))
  subnetId!: string;

  @ApiProperty(text('Name given by its creator; not unique.', 'L1 chain'))
  blockchainName!: string;

  @ApiPropertyOptional(uint64('EVM chains only: the chain id that transactions are signed with.', 99_002))
  evmChainId?: number | bigint;
}

/** Inside a subnet. */
export class BlockchainResponse extends ListedBlockchain {
  @ApiPropertyOptional(GENESIS_DATA)
  genesisData?: JsonText;
}

export class BlockchainDetails extends ListedBlockchain {
  @ApiPropertyOptional({
    oneOf: [GENESIS_DATA, GENESIS_BYTES],
    description:
      'The genesis that the chain was created with: of an EVM chain its parts, of others its bytes; absent if it has none.',
  })
  genesisData?: JsonText | GenesisBytes;
}

interface GenesisBytes {
  readonly encoding: 'hex';
  readonly data: string;
}

export class ListBlockchainsResponse extends PageResponse {
  @ApiProperty({ type: [ListedBlockchain], description: 'At most pageSize blockchains.' })
  blockchains!: ListedBlockchain[];
}

/** VMs of the primary network that go by their names; the C-chain's goes by its id. */
const NAMED_VMS = new Map([
  [PLATFORM_VM_ID, 'platformvm'],
  [AVM_ID, 'avm'],
]);

/** P before X before C. */
export function inPrimaryOrder(rows: readonly BlockchainRow[]): BlockchainRow[] {
  const order = [...NAMED_VMS.keys()];
  const place = ({ vmId }: BlockchainRow): number =>
    order.includes(vmId) ? order.indexOf(vmId) : order.length;
  return rows.toSorted((a, b) => place(a) - place(b));
}

export function toListedBlockchain(row: ListedBlockchainRow) {
  const name = row.subnetId === PRIMARY_NETWORK ? NAMED_VMS.get(row.vmId) : undefined;
  return {
    createBlockTimestamp: row.blockTime,
    createBlockNumber: row.blockHeight.toString(),
    blockchainId: repeatedIdToString(row.blockchainId),
    vmId: name ?? repeatedIdToString(row.vmId),
    subnetId: repeatedIdToString(row.subnetId),
    blockchainName: row.name,
    ...(row.evmChainId === null ? {} : { evmChainId: toInteger(row.evmChainId) }),
  };
}

export function toBlockchainResponse(row: BlockchainRow): LosslessJson {
  const listed = toListedBlockchain(row);
  return row.genesis === null ? listed : { ...listed, genesisData: new JsonText(row.genesis) };
}

export function toBlockchainDetails(row: WholeBlockchain): LosslessJson {
  if (row.genesis !== null || row.genesisData.length === 0) return toBlockchainResponse(row);
  return {
    ...toListedBlockchain(row),
    genesisData: { encoding: 'hex', data: `0x${toHex(row.genesisData)}` },
  };
}
