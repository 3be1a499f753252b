import { z } from 'zod';
import { fromHex, toHex } from '../avalanche/ids/hex.js';
import { idFromString } from '../avalanche/ids/id.js';
import { InfoClient } from '../avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../avalanche/rpc/json-rpc-client.js';
import { packHash } from '../avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../avalanche/warp/unsigned-message.js';

/** The banner does not wait longer for a node that may be far away. */
const NODE_TIMEOUT_MS = 3_000;

const BlockSchema = z.object({ hash: z.string() });
const SandboxSchema = z.object({
  examples: z.object({ cChainBlockHash: z.object({ message: z.string() }) }),
});

/** A message that the validators of the sandbox sign, out of its description of itself. */
export async function fetchSandboxExample(sandboxUrl: string): Promise<string> {
  const response = await fetch(`${sandboxUrl}/sandbox`, { signal: AbortSignal.timeout(NODE_TIMEOUT_MS) });
  return SandboxSchema.parse(await response.json()).examples.cChainBlockHash.message;
}

/** A message that the validators of the node's network sign: about the C-chain block that the node accepted last. */
export async function fetchExampleMessage(nodeUrl: string): Promise<string> {
  const rpc = new JsonRpcClient({ urls: [nodeUrl], timeoutMs: NODE_TIMEOUT_MS });
  const info = new InfoClient(rpc);
  const [networkId, cChainId, block] = await Promise.all([
    info.getNetworkId(),
    info.getBlockchainId({ alias: 'C' }),
    rpc.call({
      path: '/ext/bc/C/rpc',
      method: 'eth_getBlockByNumber',
      params: ['latest', false],
      schema: BlockSchema,
    }),
  ]);
  const payload = packHash({ hash: fromHex(block.hash) });
  return toHex(packUnsignedMessage({ networkId, sourceChainId: idFromString(cChainId), payload }));
}

/** Ready to be pasted into a shell. */
export function makeCurl(apiUrl: string, message: string): string {
  return [
    `curl -sS -X POST ${apiUrl}/v1/signatureAggregator/fuji/aggregateSignatures \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"message":"0x${message}"}'`,
  ].join('\n');
}
