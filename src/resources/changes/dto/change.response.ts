import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { repeatedIdToString, repeatedNodeIdToString } from '../../../avalanche/ids/repeated-texts.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { blockNumber, cb58, decimal, text } from '../../../platform/http/openapi/fields.js';
import type { ChangeRow } from '../change.repository.js';

const L1 = '2RjkJoZshX2Xc6FgGTaYKQgeVqw7dUeGgwEyChh17RgpuZeaa';

export class ValidatorChange {
  @ApiProperty(blockNumber('The block of the P-chain after which it is so.', '24'))
  blockNumber!: string;

  @ApiProperty(cb58('The subnet that the node validates.', L1))
  subnetId!: string;

  @ApiProperty(text('The node.', EXAMPLES.nodeId))
  nodeId!: string;

  @ApiPropertyOptional(cb58('Validators of L1s: id of the validation.', L1))
  validationId?: string;

  @ApiProperty(
    decimal('Its weight in the validator set, with that of its delegations; 0: it has left the set.', '100'),
  )
  weight!: string;

  @ApiPropertyOptional({
    description:
      'Validators of L1s: whether it has the balance to validate. Without, its weight counts, but it signs nothing.',
    example: true,
  })
  isActive?: boolean;
}

export function toValidatorChange({
  height,
  id,
  nodeId,
  validationId,
  weight,
  isActive,
}: ChangeRow): ValidatorChange {
  return {
    blockNumber: height,
    subnetId: repeatedIdToString(id),
    nodeId: repeatedNodeIdToString(nodeId ?? ''),
    ...(validationId === null ? {} : { validationId: repeatedIdToString(validationId) }),
    weight: weight ?? '0',
    ...(isActive === null ? {} : { isActive }),
  };
}
