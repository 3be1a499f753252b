import { AvalancheError } from '../avalanche.error.js';

/** Faults of bytes that came over a connection. None of these proves more than a faulty peer. */
export type P2pErrorCode =
  | 'FRAME_TOO_LARGE'
  | 'MALFORMED_MESSAGE'
  | 'MESSAGE_TOO_LARGE'
  | 'NESTED_COMPRESSION'
  | 'INVALID_COMPRESSION'
  | 'INVALID_IP_CLAIM'
  | 'INVALID_BLOOM_FILTER'
  | 'MALFORMED_APP_BYTES';

/** Raised by the codecs of the peer-to-peer protocol; the only error that bytes from a peer can cause in them. */
export class P2pError extends AvalancheError<P2pErrorCode> {}
