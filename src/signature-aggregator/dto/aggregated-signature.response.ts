import { ApiProperty } from '@nestjs/swagger';

export class AggregatedSignatureResponse {
  @ApiProperty({
    description:
      'Signed Warp message, hex without 0x: unsigned message, bit set of signers, aggregate BLS signature.',
    example: '0000000000050000…',
  })
  signedMessage: string;
}
