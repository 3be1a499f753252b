import { AvalancheError } from '../avalanche.error.js';

export type PeerRequestErrorCode =
  'NOT_CONNECTED' | 'DISCONNECTED' | 'TIMED_OUT' | 'ABORTED' | 'TOO_MANY_REQUESTS' | 'APP_ERROR';

/** Why a request to a peer has no answer. With APP_ERROR the node did answer: it refused. */
export class PeerRequestError extends AvalancheError<PeerRequestErrorCode> {
  /** The virtual machine's code, zero unless `code` is APP_ERROR. Positive ones mean something else on every chain. */
  readonly appErrorCode: number;
  /** The node's own words: untrusted, at most MAX_APP_ERROR_MESSAGE_CHARS, printable. */
  readonly appErrorMessage: string;

  constructor(code: PeerRequestErrorCode, message: string, refusal?: { code: number; message: string }) {
    super(code, message);
    this.appErrorCode = refusal?.code ?? 0;
    this.appErrorMessage = refusal?.message ?? '';
  }
}
