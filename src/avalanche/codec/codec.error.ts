import { AvalancheError } from '../avalanche.error.js';

export type CodecErrorCode =
  | 'INSUFFICIENT_LENGTH'
  | 'TRAILING_BYTES'
  | 'UNKNOWN_CODEC_VERSION'
  | 'UNKNOWN_TYPE_ID'
  | 'INVALID_BOOL'
  | 'LENGTH_OUT_OF_RANGE'
  | 'INVALID_VALUE';

/** The bytes are not what the codec demands, or a value does not fit the field it should be packed into. */
export class CodecError extends AvalancheError<CodecErrorCode> {}
