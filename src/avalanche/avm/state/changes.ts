import type { Id } from '../../platformvm/ids.js';
import type { OutputType, AvmOutput } from '../output.js';
import type { AvmTxType } from '../transaction.js';

/** Where on the X-chain something happened. */
export interface AvmMoment {
  readonly blockHeight: bigint;
  /** UNIX seconds. */
  readonly blockTime: number;
}

/** An output that came into being on the X-chain, or left it by an export. */
export interface CreatedAvmUtxo extends AvmMoment {
  /** sha256 of the output index as uint64 and the transaction id. */
  readonly utxoId: Id;
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly output: AvmOutput;
  /** Where it can be spent: the destination of an export, the X-chain for all others. */
  readonly spendableOnChainId: Id;
}

/** An output that was spent on the X-chain. */
export interface ConsumedAvmUtxo extends AvmMoment {
  readonly utxoId: Id;
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  /** Null of what an operation consumes: it names no amount. */
  readonly amount: bigint | null;
  /** The source of an import, the X-chain for all others. */
  readonly createdOnChainId: Id;
  readonly consumingTxId: Id;
}

/** What an asset consists of: the feature extensions that it was made with. */
export type AssetKind = 'secp256k1' | 'nft' | 'property';

export interface CreatedAsset extends AvmMoment {
  /** Id of the transaction that made it. */
  readonly assetId: Id;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly kind: AssetKind;
}

export interface AvmTransactionRecord extends AvmMoment {
  readonly txId: Id;
  readonly type: AvmTxType;
  /** nAVAX that went in and came out nowhere. */
  readonly burned: bigint;
}

/** What blocks did, in order. Created and then consumed stands in both lists. */
export interface AvmChanges {
  readonly createdUtxos: readonly CreatedAvmUtxo[];
  readonly consumedUtxos: readonly ConsumedAvmUtxo[];
  readonly assets: readonly CreatedAsset[];
  readonly transactions: readonly AvmTransactionRecord[];
}

/** Which kind of asset outputs of a type are of. */
export function kindOf(type: OutputType): AssetKind {
  switch (type) {
    case 'Transfer':
    case 'Mint':
      return 'secp256k1';
    case 'NftMint':
    case 'NftTransfer':
      return 'nft';
    case 'PropertyMint':
    case 'PropertyOwned':
      return 'property';
  }
}
