import { z } from 'zod';
import { parseAvmBlock } from '../../../src/avalanche/avm/codec/block.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idToString } from '../../../src/avalanche/ids/id.js';
import { AvmClient } from '../../../src/avalanche/rpc/avm-client.js';
import { InfoClient } from '../../../src/avalanche/rpc/info-client.js';
import { XChainRecordingSchema, type XChainRecording } from '../../../sandbox/recording/x-chain-recording.js';
import { addressesOf, type Scenario } from '../scenario/context.js';
import type { ChainAlias } from '../scenario/node-api.js';

const AnswerSchema = z.record(z.string(), z.unknown());

/** All blocks of a node's X-chain, and its answers about them. Nothing must happen on it meanwhile. */
export async function recordXChain(scenario: Scenario): Promise<XChainRecording> {
  const { node, networkId, xChainId, cChainId, avaxAssetId, platform } = scenario;
  const info = new InfoClient(node.rpc);
  const avm = new AvmClient(node.rpc);
  const blocks = await readBlocks(avm, await avm.getHeight());
  const addresses = addressesOf(scenario).map((address) => address.slice('P-'.length));
  const { version } = await info.getNodeVersion();
  const utxosOf = (chain: ChainAlias, address: string, sourceChain?: ChainAlias): Promise<string[]> =>
    node.getUtxoBytes({ chain, address: `${chain}-${address}`, sourceChain });
  const crossing = (pairs: readonly (readonly [named: ChainAlias, at: ChainAlias, from: ChainAlias])[]) =>
    collect(
      pairs.flatMap(([named, at, from]) =>
        addresses.map((address) => [`${named} ${address}`, () => utxosOf(at, address, from)] as const),
      ),
    );
  const assetIds = [avaxAssetId, ...blocks.flatMap(createdAssets)].map((id) => idToString(fromHex(id)));
  return XChainRecordingSchema.parse({
    description: `The X-chain of a local network of one node, ${version}`,
    avalanchegoVersion: version,
    networkId,
    blockchainIds: { X: idToString(fromHex(xChainId)), C: idToString(fromHex(cChainId)) },
    avaxAssetId: idToString(fromHex(avaxAssetId)),
    blocks,
    addresses,
    utxos: await collect(addresses.map((address) => [address, () => utxosOf('X', address)])),
    atomicUtxos: await crossing([
      ['P', 'X', 'P'],
      ['C', 'X', 'C'],
    ]),
    exportedUtxos: await crossing([
      ['P', 'P', 'X'],
      ['C', 'C', 'X'],
    ]),
    assets: await collect(
      assetIds.map((assetID) => [
        assetID,
        async () => AnswerSchema.parse(await node.call('X', 'getAssetDescription', { assetID })),
      ]),
    ),
    platform: {
      blocks: await readBlocks(platform, await platform.getHeight()),
      upgrades: await node.rpc.call({
        path: '/ext/info',
        method: 'info.upgrades',
        params: {},
        schema: AnswerSchema,
      }),
    },
  });
}

async function readBlocks(client: Pick<AvmClient, 'getBlockByHeight'>, tip: bigint): Promise<string[]> {
  const blocks: string[] = [];
  for (let height = 0n; height <= tip; height++) {
    blocks.push(toHex(await client.getBlockByHeight({ height })));
  }
  return blocks;
}

function createdAssets(blockHex: string): string[] {
  const { transactions } = parseAvmBlock(fromHex(blockHex));
  return transactions.flatMap(({ id, unsigned }) => (unsigned.type === 'CreateAsset' ? [id] : []));
}

async function collect<T>(
  asked: readonly (readonly [string, () => Promise<T>])[],
): Promise<Record<string, T>> {
  const answers: Record<string, T> = {};
  for (const [key, ask] of asked) answers[key] = await ask();
  return answers;
}
