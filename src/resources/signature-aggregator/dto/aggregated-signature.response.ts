import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DeliveryResponse } from '../delivery/delivery.response.js';

export class AggregatedSignatureResponse {
  @ApiProperty({
    pattern: '^([0-9a-f]{2})+$',
    description:
      'Signed Warp message, hex without 0x: unsigned message, bit set of signers, aggregate BLS signature.',
    example:
      '00000000303900000000000000000000000000000000000000000000000000000000000000000000003400000000000100000000000000260000000000009f7ace96c650b405933b80ce04e603dac1aae8651e2d0fd3dbe48a25b53685da00000000000000010fb45877c40848b4fc57d92bf241db29b4978db38dc495ac729a19f3595f570538eeed2ef43416e879be273fff4772b31219c779589d2b30c7ca3ea9fdc49a7ab1f84c71a0451f528a52de520c94fb8037fcf1a566e64616ee9e0e19112fc6b744',
  })
  signedMessage!: string;

  @ApiPropertyOptional({
    type: DeliveryResponse,
    description: 'All that is needed to deliver the message; for a request with a destinationBlockchainId.',
  })
  delivery?: DeliveryResponse;
}
