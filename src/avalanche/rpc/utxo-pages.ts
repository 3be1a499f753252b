import { z } from 'zod';
import type { CallOptions } from './json-rpc-client.js';
import { IdSchema, RpcHexSchema } from './schemas.js';

/** The most that a node gives at once (avalanchego v1.15.0 vms/platformvm/service.go, vms/avm/service.go, maxPageSize). */
export const UTXOS_PER_PAGE = 1_024;
const MAX_PAGES = 200;

/** The last output of a page, by one of the addresses asked for. */
const UtxoIndexSchema = z.object({ address: z.string(), utxo: IdSchema });

export type UtxoIndex = z.infer<typeof UtxoIndexSchema>;

export interface UtxoQuery extends CallOptions {
  /** With chain prefix, as the node prints them: `P-fuji1…`; at most 1024. */
  readonly addresses: readonly string[];
  /** Alias or id of the chain the outputs were exported from; left out: outputs of the chain itself. */
  readonly sourceChain?: string;
  readonly limit?: number;
  readonly startIndex?: UtxoIndex | undefined;
}

export interface UtxoPage {
  readonly utxos: Uint8Array[];
  readonly next: UtxoIndex;
}

export const UtxoPageSchema = z
  .object({ utxos: z.array(RpcHexSchema), endIndex: UtxoIndexSchema })
  .transform(({ utxos, endIndex }): UtxoPage => ({ utxos, next: endIndex }));

export function utxoParams({ addresses, sourceChain, limit, startIndex }: UtxoQuery): object {
  return { addresses, sourceChain, limit, startIndex, encoding: 'hex' };
}

/** Page after page of `UTXOS_PER_PAGE`, up to some 200,000 outputs. */
export async function allUtxoPages(
  getPage: (startIndex: UtxoIndex | undefined) => Promise<UtxoPage>,
): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  let startIndex: UtxoIndex | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { utxos, next } = await getPage(startIndex);
    found.push(...utxos);
    if (utxos.length < UTXOS_PER_PAGE) break;
    startIndex = next;
  }
  return found;
}
