import { parseAvmUtxo } from '../../../src/avalanche/avm/codec/output.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { parseUtxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import type { ChainAlias, NodeApi } from '../../../tools/localnet/scenario/node-api.js';

/** Where outputs can be spent, and where they were created. The C-chain has none of its own, only what was exported to it. */
const PLACES: Readonly<Record<ChainAlias, readonly ChainAlias[]>> = {
  P: ['P', 'X', 'C'],
  X: ['X', 'P', 'C'],
  C: ['P', 'X'],
};

export const CHAIN_ALIASES = ['P', 'X', 'C'] as const satisfies readonly ChainAlias[];

/** Unspent outputs of a chain as hex without checksum, each once, by the chain that created them. */
export type OutputsBySource = Readonly<Record<string, readonly string[]>>;

/** Outputs that addresses (without a chain in front) can spend on a chain according to a node, alone or together with others. */
export async function outputsAtNode(
  node: NodeApi,
  chain: ChainAlias,
  addresses: readonly string[],
): Promise<OutputsBySource> {
  const found: Record<string, string[]> = {};
  for (const source of PLACES[chain]) {
    const hexes = new Set<string>();
    for (const address of addresses) {
      const sourceChain = source === chain ? {} : { sourceChain: source };
      const own = await node.getUtxoBytes({ chain, address: `${chain}-${address}`, ...sourceChain });
      for (const hex of own) hexes.add(hex);
    }
    found[source] = [...hexes].sort();
  }
  return found;
}

/** Those that one address can spend without anybody else. */
export function spendableAlone(chain: ChainAlias, outputs: OutputsBySource): OutputsBySource {
  const parse = chain === 'X' ? parseAvmUtxo : parseUtxo;
  return Object.fromEntries(
    Object.entries(outputs).map(([source, hexes]) => [
      source,
      hexes.filter((hex) => parse(fromHex(hex)).output.owners.threshold <= 1),
    ]),
  );
}
