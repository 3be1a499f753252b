import type { GenesisBlockchain } from '../../avalanche/platformvm/genesis/genesis.js';
import { type Id, PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import type { ConsumedUtxo, CreatedUtxo, StakeWindow } from '../../avalanche/platformvm/state/records.js';
import { AVM_ID, EVM_ID } from '../../avalanche/platformvm/vm-ids.js';
import type { NetworkName } from '../../platform/config/config.module.js';
import type { PrimaryChain } from '../../platform/database/chains.js';

/** Kind of an output of the X-chain that is no transferable amount. */
export const OUTPUT_KINDS = ['mint', 'nft_mint', 'nft_transfer', 'property_mint', 'property_owned'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

/** By blockchain id; a UTXO of any other chain stands in no list of it. */
export type ChainAliases = ReadonlyMap<Id, PrimaryChain>;

/** Which of its lists a UTXO stands in, by the chains that the network's genesis makes. */
export function chainAliases(blockchains: readonly GenesisBlockchain[]): ChainAliases {
  const aliases = new Map<Id, PrimaryChain>([[PRIMARY_NETWORK, 'P']]);
  for (const { blockchainId, vmId } of blockchains) {
    if (vmId === AVM_ID) aliases.set(blockchainId, 'X');
    if (vmId === EVM_ID) aliases.set(blockchainId, 'C');
  }
  return aliases;
}

/** Whose blocks create and consume. */
export interface UtxoChain {
  readonly network: NetworkName;
  readonly chainId: Id;
  /** Of all chains of the network. */
  readonly aliases: ChainAliases;
}

export interface OutputForm {
  readonly kind: OutputKind;
  /** Of NFTs. */
  readonly groupId: number | null;
  /** Of an NFT that has an owner. */
  readonly payload: Uint8Array | null;
}

/** An output as recorded by the chain that created it. Outputs without an amount have 0; stake and reward are the P-chain's. */
export interface NewUtxo
  extends Omit<CreatedUtxo, 'stake' | 'rewardType'>, Partial<Pick<CreatedUtxo, 'stake' | 'rewardType'>> {
  /** Left out, or null, for an amount that can be transferred. */
  readonly form?: OutputForm | null;
}

/** A spent output as recorded by the chain that spent it; its amount is null if the spender does not name it. */
export type SpentUtxo = Omit<ConsumedUtxo, 'amount'> & { readonly amount: bigint | null };

/** Changes of the UTXOs by blocks of one chain. What was created and then spent stands in both lists. */
export interface UtxoChanges {
  readonly created: readonly NewUtxo[];
  readonly consumed: readonly SpentUtxo[];
  /** New windows of outputs that were created earlier, by UTXO id. */
  readonly stakeWindows?: ReadonlyMap<Id, StakeWindow>;
}
