/** Reads blocks of one node. */
export interface BlockSource {
  /**
   * Bytes of the inner blocks from `from` to `to`, both included, in order of height. Nothing is believed of them but their
   * order; at least `from` must have been accepted by the node.
   * Throws RpcError, SourceUnusableError, or the signal's reason.
   */
  fetch(from: bigint, to: bigint, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** This way of reading blocks does not work with this node; another one may. */
export class SourceUnusableError extends Error {
  override readonly name = 'SourceUnusableError';
}
