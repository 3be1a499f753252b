import type { Id } from '../avalanche/platformvm/ids.js';
import type { Output } from '../avalanche/platformvm/output.js';
import type { ConsumedUtxo, RewardType, StakeWindow } from '../avalanche/platformvm/state/records.js';
import type { NetworkName } from '../config/config.module.js';
import type { OutputKind } from './utxo-fields.js';

/** The chains of the primary network, as their lists are known by. */
export const PRIMARY_CHAINS = ['P', 'X', 'C'] as const;
export type PrimaryChain = (typeof PRIMARY_CHAINS)[number];

/** By blockchain id; a UTXO of any other chain stands in no list of it. */
export type ChainLetters = ReadonlyMap<Id, PrimaryChain>;

/** Whose blocks create and consume. */
export interface UtxoChain {
  readonly network: NetworkName;
  readonly chainId: Id;
  /** Of all chains of the network. */
  readonly letters: ChainLetters;
}

export interface OutputForm {
  readonly kind: OutputKind;
  /** Of NFTs. */
  readonly groupId: number | null;
  /** Of an NFT that is somebody's. */
  readonly payload: Uint8Array | null;
}

/** An output as the chain that created it tells of it. */
export interface NewUtxo {
  readonly utxoId: Id;
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  /** Of what holds no amount, 0. */
  readonly output: Output;
  /** The destination of an export, the chain itself for all others. */
  readonly spendableOnChainId: Id;
  readonly blockHeight: bigint;
  readonly blockTime: number;
  /** Left out, or null, for an amount that can be transferred. */
  readonly form?: OutputForm | null;
  /** Of the P-chain. */
  readonly stake?: StakeWindow | null;
  readonly rewardType?: RewardType | null;
}

/** A spent output as the chain that spent it tells of it; its amount is null where the spender does not name it. */
export type SpentUtxo = Omit<ConsumedUtxo, 'amount'> & { readonly amount: bigint | null };

/** What blocks of one chain did. What was created and then spent stands in both lists. */
export interface UtxoChanges {
  readonly created: readonly NewUtxo[];
  readonly consumed: readonly SpentUtxo[];
  /** New windows of outputs that were created earlier, by UTXO id. */
  readonly stakeWindows?: ReadonlyMap<Id, StakeWindow>;
}
