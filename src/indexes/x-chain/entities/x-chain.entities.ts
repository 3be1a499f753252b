import { Check, Entity } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import type { AssetKind } from '../../../avalanche/avm/state/changes.js';
import type { AvmTxType } from '../../../avalanche/avm/transaction.js';
import { BigInteger, Hex, Int, SafeInteger, Text, Uint64 } from '../../../platform/database/columns.js';

/** What the X-chain knows of an asset; `kind` is what it is made of. */
@Entity({ name: 'assets' })
@Check('assets_type', "type IN ('secp256k1', 'nft', 'property')")
export class AssetEntity {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly assetId: string;
  @Text() readonly name: string;
  @Text() readonly symbol: string;
  @Int() readonly denomination: number;
  @Text({ name: 'type' }) readonly kind: AssetKind;
}

/** `blockHeight` is -1 before block 0, and `blockTime` then worked out from the place among all those. `burned`: nAVAX. */
@Entity({ name: 'x_chain_transactions' })
export class XChainTransaction {
  @Text({ key: true }) readonly network: NetworkName;
  @Hex({ key: true }) readonly txId: string;
  @Text() readonly type: AvmTxType;
  @BigInteger() readonly blockHeight: bigint;
  @SafeInteger() readonly blockTime: number;
  @Uint64() readonly burned: bigint;
}
