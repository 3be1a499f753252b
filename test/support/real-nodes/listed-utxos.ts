import { z } from 'zod';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { unpackRpcHex } from '../../../src/avalanche/ids/rpc-hex.js';
import type { ChainAlias } from '../../../tools/localnet/scenario/node-api.js';
import type { TestService } from '../harness/service.js';

const PAGE_SIZE = 100;

const UtxoSchema = z.object({
  txHash: z.string(),
  outputIndex: z.number(),
  utxoId: z.string(),
  utxoBytes: z.string().transform((text) => toHex(unpackRpcHex(text))),
  createdOnChainId: z.string(),
  consumedOnChainId: z.string(),
  staked: z.boolean(),
  consumingTxHash: z.string().optional(),
  consumingBlockNumber: z.string().optional(),
  consumingBlockTimestamp: z.number().optional(),
});

const PageSchema = z.object({ utxos: z.array(UtxoSchema), nextPageToken: z.string().optional() });

export type ListedUtxo = z.infer<typeof UtxoSchema>;

/** All UTXOs of a chain that the addresses own, page by page. */
export async function listUtxos(
  service: TestService,
  chain: ChainAlias,
  { addresses, includeSpent = false }: { addresses: readonly string[]; includeSpent?: boolean },
): Promise<ListedUtxo[]> {
  const listed: ListedUtxo[] = [];
  const query = new URLSearchParams({
    addresses: addresses.join(','),
    includeSpent: String(includeSpent),
    pageSize: String(PAGE_SIZE),
  });
  for (;;) {
    const { status, body } = await service.request(
      `/v1/networks/fuji/blockchains/${chain.toLowerCase()}-chain/utxos?${query.toString()}`,
    );
    if (status !== 200) throw new Error(`HTTP ${status}: ${JSON.stringify(body)}`);
    const { utxos, nextPageToken } = PageSchema.parse(body);
    listed.push(...utxos);
    if (nextPageToken === undefined) return listed;
    query.set('pageToken', nextPageToken);
  }
}
