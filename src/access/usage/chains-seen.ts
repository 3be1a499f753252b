/** More than are ever configured. */
const MAX_CHAINS = 1_000;

/** The chain that a request was about. Only chains for which some request was answered, so that invented ones cannot fill the sums. */
export class ChainsSeen {
  private readonly seen = new Set<string>();

  of(params: unknown, responseCode: number): string | undefined {
    const chain = chainIn(params);
    if (chain === undefined) return undefined;
    if (responseCode < 400 && this.seen.size < MAX_CHAINS) this.seen.add(chain);
    return this.seen.has(chain) ? chain : undefined;
  }
}

/** Both names that routes have for one. */
function chainIn(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  if ('chainId' in params && typeof params.chainId === 'string') return params.chainId;
  if ('blockchainId' in params && typeof params.blockchainId === 'string') return params.blockchainId;
  return undefined;
}
