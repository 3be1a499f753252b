import { z } from 'zod';
import type { ContractAnswer, ContractCall } from '../../avalanche/evm/evm-client.js';
import { toQuantity, type Address, type Hex } from '../../avalanche/evm/hex-values.js';
import { readTokenMetadata } from '../../avalanche/evm/token-metadata.js';
import { InfoClient } from '../../avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../avalanche/rpc/json-rpc-client.js';
import {
  CChainRecordingSchema,
  HexSchema,
  RecordedEvmBlockSchema,
  type CChainRecording,
  type RecordedCall,
  type RecordedEvmBlock,
} from '../../sandbox/recording/c-chain-recording.js';
import type { EvmNode } from './evm-node.js';
import type { CChainCast } from './scenario.js';

const RPC_TIMEOUT_MS = 20_000;

/** Writes down all of a chain that stands still, from a node that keeps every state and traces. */
export async function recordCChain(given: {
  url: string;
  node: EvmNode;
  cast: CChainCast;
}): Promise<CChainRecording> {
  const { url, node, cast } = given;
  const blocks = await readBlocks(node);
  const involved = [...new Set(blocks.flatMap(addressesIn))].sort();
  const code = await readCode(node, involved);
  const { version } = await askInfo(url, (info) => info.getNodeVersion());
  const helicon = describeHelicon(await readHeliconTime(url), blocks);
  return CChainRecordingSchema.parse({
    description: `The C-chain of a local network of one node, ${version}, ${helicon}`,
    avalanchegoVersion: await node.call('web3_clientVersion', [], z.string()),
    blockchainId: await askInfo(url, (info) => info.getBlockchainId({ alias: 'C' })),
    chainId: await node.call('eth_chainId', [], HexSchema),
    addresses: cast.addresses,
    blocks,
    balances: await readBalances(node, involved, blocks.length),
    code,
    calls: await askForMetadata(node, Object.keys(code).filter(isAddress)),
    atomic: cast.atomic.map((movement) => ({ ...movement, amount: movement.amount.toString() })),
  });
}

/** All of a chain's, with receipts and traces. */
export async function readBlocks(node: EvmNode): Promise<RecordedEvmBlock[]> {
  const tip = await node.blockNumber();
  const blocks: RecordedEvmBlock[] = [];
  for (let height = 0; height <= tip; height += 1) {
    const at = toQuantity(BigInt(height));
    const { block, receipts, traces } = RecordedEvmBlockSchema.shape;
    blocks.push({
      block: await node.call('eth_getBlockByNumber', [at, true], block),
      receipts: await node.call('eth_getBlockReceipts', [at], receipts),
      traces:
        height === 0
          ? null
          : await node.call('debug_traceBlockByNumber', [at, { tracer: 'callTracer' }], traces),
    });
  }
  return blocks;
}

/** All that stands anywhere in a block, its receipts or its traces as an address. */
export function addressesIn(value: unknown): Address[] {
  if (typeof value === 'string') return isAddress(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(addressesIn);
}

/** At each height from 0 on. */
export async function readBalances(
  node: EvmNode,
  addresses: readonly Address[],
  heights: number,
): Promise<Record<Address, Hex[]>> {
  const found: Record<Address, Hex[]> = {};
  for (const address of addresses) {
    const atEach = Array.from({ length: heights }, (_, height) =>
      node.call('eth_getBalance', [address, toQuantity(BigInt(height))], HexSchema),
    );
    found[address] = await Promise.all(atEach);
  }
  return found;
}

async function readCode(node: EvmNode, addresses: readonly Address[]): Promise<Record<Address, Hex>> {
  const found: Record<Address, Hex> = {};
  for (const address of addresses) {
    const code = await node.call('eth_getCode', [address, 'latest'], HexSchema);
    if (code !== '0x') found[address] = code;
  }
  return found;
}

/** Lets the reader of metadata ask, and writes down what is asked and answered. */
async function askForMetadata(node: EvmNode, contracts: readonly Address[]): Promise<RecordedCall[]> {
  const recorded: RecordedCall[] = [];
  const callContracts = async ({ calls }: { calls: readonly ContractCall[] }): Promise<ContractAnswer[]> => {
    for (const { to, data } of calls) {
      const answer = await node.ask('eth_call', [{ to, data }, 'latest']);
      recorded.push({
        ...{ to, data },
        answer: 'error' in answer ? answer : { result: HexSchema.parse(answer.result) },
      });
    }
    return calls.map(() => ({ status: 'failed', reason: 'only written down' }));
  };
  await readTokenMetadata({ client: { callContracts }, contracts });
  return recorded;
}

/** In UNIX seconds; undefined when the node does not know of it. */
export async function readHeliconTime(url: string): Promise<number | undefined> {
  return askInfo(url, async (info) => (await info.upgrades()).timesSeconds.get('helicon'));
}

function describeHelicon(time: number | undefined, blocks: readonly RecordedEvmBlock[]): string {
  const behind = blocks.slice(1).filter(({ block }) => time !== undefined && Number(block.timestamp) >= time);
  const [first] = behind;
  if (first === undefined) return 'all upgrades but Helicon active';
  if (behind.length === blocks.length - 1) return 'all upgrades up to Helicon active';
  return `Helicon active from block ${Number(first.block.number)} on`;
}

async function askInfo<T>(url: string, ask: (info: InfoClient) => Promise<T>): Promise<T> {
  const rpc = new JsonRpcClient({ urls: [url], timeoutMs: RPC_TIMEOUT_MS });
  try {
    return await ask(new InfoClient(rpc));
  } finally {
    rpc.close();
  }
}

function isAddress(value: string): value is Address {
  return /^0x[0-9a-f]{40}$/.test(value);
}
