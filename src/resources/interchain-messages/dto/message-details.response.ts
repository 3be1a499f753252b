import { ApiPropertyOptional } from '@nestjs/swagger';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { text } from '../../../platform/http/openapi/fields.js';
import { DeliveryResponse } from '../../signature-aggregator/delivery/delivery.response.js';
import { InterchainMessageResponse } from './interchain-message.response.js';

/** A message by itself. */
export class InterchainMessageDetails extends InterchainMessageResponse {
  @ApiPropertyOptional(
    text(
      'The unsigned Warp message: 0x and hex. Absent while the source is not indexed, on a network of which only EVM chains are served, and for a message whose sending is not that of the known messenger.',
      EXAMPLES.message,
    ),
  )
  unsignedMessage?: string;

  @ApiPropertyOptional(
    text(
      'Of a pending message: the signed Warp message, hex without 0x, if the signatures that are kept suffice for its destination. Absent otherwise: no validator is asked to sign. To have it signed, send `unsignedMessage` and `destinationBlockchainId` to aggregateSignatures.',
      '00000000303900000000000000000000000000000000000000000000000000000000000000000000003400000000000100000000000000260000000000009f7ace96c650b405933b80ce04e603dac1aae8651e2d0fd3dbe48a25b53685da',
    ),
  )
  signedMessage?: string;

  @ApiPropertyOptional({
    type: DeliveryResponse,
    description: 'With a signedMessage: what is needed to deliver it.',
  })
  delivery?: DeliveryResponse;
}
