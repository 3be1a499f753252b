import { z } from 'zod';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { InfoClient } from '../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';

/** The banner does not wait longer for a node that may be far away. */
const NODE_TIMEOUT_MS = 3_000;
/** The sandbox is ours and already running: what keeps it is a busy machine, and without its examples the banner has no requests. */
const SANDBOX_TIMEOUT_MS = 60_000;
const EXAMPLE_ADDRESSES = 2;

const BlockSchema = z.object({ hash: z.string() });
const SandboxSchema = z.object({
  examples: z.object({ cChainBlockHash: z.object({ message: z.string() }) }),
  cChain: z
    .object({
      chainId: z.string(),
      firstDate: z.string(),
      lastDate: z.string(),
      addresses: z.array(z.object({ address: z.string() })),
      nfts: z.array(z.object({ collection: z.string(), tokenId: z.string() })),
      messages: z.array(z.object({ from: z.string() })),
    })
    .nullable(),
});

/** Parameters with which an export has rows. */
export interface ExportExample {
  chainId: string;
  addresses: string[];
  firstDate: string;
  lastDate: string;
}

export interface NftExample {
  chainId: string;
  collection: string;
  tokenId: string;
}

export interface Examples {
  /** A message, as hex, that the network's validators sign. */
  message: string;
  /** Undefined if it is unknown which addresses have transfers. */
  export?: ExportExample;
  /** A sender of interchain messages; undefined if none is known. */
  sender?: string;
  /** Undefined if none is known. */
  nft?: NftExample;
}

/** Out of the sandbox's description of itself. */
export async function fetchSandboxExamples(sandboxUrl: string): Promise<Examples> {
  const response = await fetch(`${sandboxUrl}/sandbox`, { signal: AbortSignal.timeout(SANDBOX_TIMEOUT_MS) });
  const { examples, cChain } = SandboxSchema.parse(await response.json());
  const { message } = examples.cChainBlockHash;
  if (cChain === null) return { message };
  const { chainId, firstDate, lastDate, nfts, messages } = cChain;
  const addresses = cChain.addresses.slice(0, EXAMPLE_ADDRESSES).map(({ address }) => address);
  const [nft] = nfts;
  const [sent] = messages;
  return {
    message,
    export: { chainId, addresses, firstDate, lastDate },
    ...(sent === undefined ? {} : { sender: sent.from }),
    ...(nft === undefined ? {} : { nft: { chainId, ...nft } }),
  };
}

/** The message is about the C-chain block that the node accepted last. */
export async function fetchNodeExamples(nodeUrl: string): Promise<Examples> {
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
  const message = packUnsignedMessage({ networkId, sourceChainId: idFromString(cChainId), payload });
  return { message: toHex(message) };
}

/** Ready to be pasted into a shell. */
export function makeAggregationCurl(apiUrl: string, network: string, message: string): string {
  return [
    `curl -sS -X POST ${apiUrl}/v1/signatureAggregator/${network}/aggregateSignatures \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"message":"0x${message}"}'`,
  ].join('\n');
}

/** Ready to be pasted into a shell. */
export function makeExportCurl(apiUrl: string, { chainId, addresses, ...dates }: ExportExample): string {
  const body = {
    type: 'TRANSACTION_EXPORT_EVM',
    firstDate: dates.firstDate,
    lastDate: dates.lastDate,
    options: { addresses, includeChains: [chainId] },
  };
  return [
    `curl -sS -X POST ${apiUrl}/v1/operations/transactions:export \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

/** Ready to be pasted into a shell. */
export function makeMessagesCurl(apiUrl: string, sender: string): string {
  return `curl -sS ${apiUrl}/v1/icm/addresses/${sender}/messages`;
}

/** Ready to be pasted into a shell. */
export function makeNftCurl(apiUrl: string, { chainId, collection, tokenId }: NftExample): string {
  return `curl -sS ${apiUrl}/v1/chains/${chainId}/nfts/collections/${collection}/tokens/${tokenId}`;
}
