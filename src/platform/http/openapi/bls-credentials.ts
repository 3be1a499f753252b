import { ApiProperty } from '@nestjs/swagger';
import { text } from './fields.js';

/** A validator's key, as the lists show it. */
export class BlsCredentials {
  @ApiProperty(
    text(
      'BLS public key: 0x and 48 bytes of hex.',
      '0xb5b2e81be356661e4ca79e8e991762e97c0a233e5cc42bfb615fc937416a4c4d6301d783a32e8bac1d6b55e432fcb4ce',
    ),
  )
  publicKey!: string;

  @ApiProperty(
    text(
      'Proof that it owns the key: 0x and 96 bytes of hex.',
      '0x9044e8649dacc0e7c027f24ac7c18bb51939bf0aaf3d227642d81c661425c65cf595f7b097c4ccdea54b60483f7976211518f51ca3fc69bea3a82b543b123e1aec95bfc1fc5d2f8b141ba92fb9160ec00809fbe385302545f84adc7490d44722',
    ),
  )
  proofOfPossession!: string;
}
