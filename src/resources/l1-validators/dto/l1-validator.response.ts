import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toHex } from '../../../avalanche/ids/hex.js';
import {
  packAddresses,
  repeatedIdToString,
  repeatedNodeIdToString,
} from '../../../avalanche/ids/repeated-texts.js';
import { type LosslessJson, toInteger } from '../../../platform/http/adapter/lossless-json.js';
import { BlsCredentials } from '../../../platform/http/openapi/bls-credentials.js';
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
import type { FeeClock, L1ValidatorRow } from '../l1-validator-list.js';

class L1ValidatorOwner {
  @ApiProperty(bech32List('The owners; none if nobody can act.', EXAMPLES.address))
  addresses!: string[];

  @ApiProperty(count('Number of owners that must sign.', 1))
  threshold!: number;
}

export class L1ValidatorResponse {
  @ApiProperty(cb58('Id of the validation.', '2RjkJoZshX2Xc6FgGTaYKQgeVqw7dUeGgwEyChh17RgpuZeaa'))
  validationId!: string;

  @ApiProperty(text('The same as 0x and hex.', `0x${'ab'.repeat(32)}`))
  validationIdHex!: string;

  @ApiProperty(text('The node that validates.', EXAMPLES.nodeId))
  nodeId!: string;

  @ApiProperty(cb58('The L1 that the node validates.', '2RjkJoZshX2Xc6FgGTaYKQgeVqw7dUeGgwEyChh17RgpuZeaa'))
  subnetId!: string;

  @ApiProperty(uint64('Weight; 0: removed.', 100))
  weight!: number | bigint;

  @ApiProperty(uint64('Balance that is left for fees; 0: inactive. nAVAX.', 1_000_000_000))
  remainingBalance!: number | bigint;

  @ApiPropertyOptional(
    unixSeconds(
      'Active validators: when the balance is used up if the fee stays what it is and nothing is added.',
      1_797_899_537,
    ),
  )
  balanceEndTimestamp?: number;

  @ApiProperty(unixSeconds('Time of the block that added it.', 1_795_307_326))
  creationTimestamp!: number;

  @ApiProperty({ type: BlsCredentials, description: 'The key that it signs Warp messages with.' })
  blsCredentials!: BlsCredentials;

  @ApiProperty({ type: L1ValidatorOwner, description: 'Who gets the balance that is left in the end.' })
  remainingBalanceOwner!: L1ValidatorOwner;

  @ApiProperty({ type: L1ValidatorOwner, description: 'Who may deactivate it.' })
  deactivationOwner!: L1ValidatorOwner;
}

export class ListL1ValidatorsResponse extends PageResponse {
  @ApiProperty({ type: [L1ValidatorResponse], description: 'At most pageSize validators.' })
  validators!: L1ValidatorResponse[];

  @ApiProperty(blockNumber('Height of the P-chain of the balances; -1 before the first block.', '98'))
  blockHeight!: string;
}

/** `price`: nAVAX per second of an active validator. */
export function toL1ValidatorResponse(
  row: L1ValidatorRow,
  { hrp, clock, price }: { hrp: string; clock: FeeClock; price: bigint },
): LosslessJson {
  const { endAccumulatedFee, remainingBalanceOwner, deactivationOwner } = row;
  const balance = endAccumulatedFee === 0n ? 0n : endAccumulatedFee - clock.accruedFees;
  const owner = ({ addresses, threshold }: typeof deactivationOwner) => ({
    addresses: packAddresses(addresses, hrp),
    threshold,
  });
  return {
    validationId: repeatedIdToString(row.validationId),
    validationIdHex: `0x${row.validationId}`,
    nodeId: repeatedNodeIdToString(row.nodeId),
    subnetId: repeatedIdToString(row.subnetId),
    weight: toInteger(row.weight),
    remainingBalance: toInteger(balance),
    ...(balance > 0n ? { balanceEndTimestamp: clock.time + Number(balance / price) } : {}),
    creationTimestamp: row.start,
    blsCredentials: {
      publicKey: `0x${toHex(row.publicKey)}`,
      proofOfPossession: `0x${toHex(row.proofOfPossession)}`,
    },
    remainingBalanceOwner: owner(remainingBalanceOwner),
    deactivationOwner: owner(deactivationOwner),
  };
}
