import { z } from 'zod';
import type { ContractAnswer, ContractCall } from '../../../src/avalanche/evm/rpc/contract-call.js';
import { toQuantity, type Address, type Hex } from '../../../src/avalanche/evm/rpc/hex-values.js';
import { askForBlockchainId } from '../../../src/avalanche/evm/blocks/blockchain-id.js';
import { readNft } from '../../../src/avalanche/evm/nft/nft-reader.js';
import { readTokenMetadata } from '../../../src/avalanche/evm/transfers/token-metadata.js';
import { InfoClient } from '../../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import {
  EvmRecordingSchema,
  HexSchema,
  RecordedEvmBlockSchema,
  type EvmRecording,
  type RecordedCall,
  type RecordedEvmBlock,
} from '../../../sandbox/recording/evm-recording.js';
import type { EvmNode } from './evm-node.js';
import { WARP_PRECOMPILE_ADDRESS } from '../../../src/avalanche/warp/send-warp-log.js';
import type { Nft } from './nft-steps.js';
import type { EvmCast } from './scenario.js';
import { RPC_TIMEOUT_MS } from '../local-network.js';

/** A chain to be recorded, and what happened on it. */
export interface ToRecord {
  /** Of a node that keeps every state and traces. */
  readonly url: string;
  readonly node: EvmNode;
  /** Alias, or id in cb58. */
  readonly chain: string;
  /** In words. */
  readonly what: string;
  readonly cast: EvmCast;
}

/** Writes down all of a chain that stands still. */
export async function recordEvmChain({ url, node, chain, what, cast }: ToRecord): Promise<EvmRecording> {
  const blocks = await readBlocks(node);
  const involved = [...new Set(blocks.flatMap(addressesIn))].sort();
  const code = await readCode(node, [...involved, WARP_PRECOMPILE_ADDRESS]);
  const { version } = await askInfo(url, (info) => info.getNodeVersion());
  const helicon = describeHelicon(await readHeliconTime(url), blocks);
  return EvmRecordingSchema.parse({
    description: `${what}, ${version}, ${helicon}`,
    avalanchegoVersion: await node.call('web3_clientVersion', [], z.string()),
    blockchainId: await askInfo(url, (info) => info.getBlockchainId({ alias: chain })),
    chainId: await node.call('eth_chainId', [], HexSchema),
    addresses: cast.addresses,
    blocks,
    balances: await readBalances(node, involved, blocks.length),
    code,
    chainConfig: await readChainConfig(node),
    calls: await askContracts(node, Object.keys(code).filter(isAddress), cast.nfts),
    atomic: cast.atomic.map((movement) => ({ ...movement, amount: movement.amount.toString() })),
    nfts: cast.nfts.map((nft) => ({ ...nft, tokenId: nft.tokenId.toString() })),
    messages: cast.messages,
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

async function readChainConfig(node: EvmNode): Promise<unknown> {
  const answer = await node.ask('eth_getChainConfig');
  return 'error' in answer ? undefined : answer.result;
}

/** Lets those who read contracts ask, and writes down what is asked and answered. */
async function askContracts(
  node: EvmNode,
  contracts: readonly Address[],
  nfts: readonly Nft[],
): Promise<RecordedCall[]> {
  const recorded = new Map<string, RecordedCall>();
  const ask = async ({ to, data }: ContractCall): Promise<ContractAnswer> => {
    const answer = await node.ask('eth_call', [{ to, data }, 'latest']);
    recorded.set(`${to} ${data}`, {
      to,
      data,
      answer: 'error' in answer ? answer : { result: HexSchema.parse(answer.result) },
    });
    return { status: 'failed', reason: 'only written down' };
  };
  const askAll = async ({ calls }: { calls: readonly ContractCall[] }): Promise<ContractAnswer[]> => {
    const answers: ContractAnswer[] = [];
    for (const call of calls) answers.push(await ask(call));
    return answers;
  };
  const client = { callContracts: askAll, tryContracts: askAll, blockNumber: () => Promise.resolve(0n) };
  await askForBlockchainId(client);
  await readTokenMetadata({ client, contracts });
  for (const { collection: contract, tokenId } of nfts) await readNft({ client, contract, tokenId });
  return [...recorded.values()];
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
