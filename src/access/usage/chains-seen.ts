import { BoundedMap } from '../../avalanche/bounded-map.js';
import { fromHex } from '../../avalanche/ids/hex.js';
import { idToString } from '../../avalanche/ids/id.js';

/** More than are asked for by turns. */
const MAX_CHAINS = 10_000;

/** The chain that a request was about. Only chains for which some request was answered, so that invented ones cannot fill the sums. */
export class ChainsSeen {
  private readonly seen: BoundedMap<string, true>;

  constructor(maxChains = MAX_CHAINS) {
    this.seen = new BoundedMap(maxChains);
  }

  of(params: unknown, responseCode: number): string | undefined {
    const chain = chainIn(params);
    if (chain === undefined) return undefined;
    if (responseCode < 400) this.seen.set(chain, true);
    return this.seen.has(chain) ? chain : undefined;
  }
}

/** Both names that routes have for one. */
function chainIn(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  if ('chainId' in params && typeof params.chainId === 'string') return chainName(params.chainId);
  if ('blockchainId' in params && typeof params.blockchainId === 'string') {
    return chainName(params.blockchainId);
  }
  return undefined;
}

/** An id in hex, which upper and lower case spell in millions of ways, as cb58. */
export function chainName(text: string): string {
  return /^(0x)?[0-9a-f]{64}$/i.test(text) ? idToString(fromHex(text)) : text;
}
