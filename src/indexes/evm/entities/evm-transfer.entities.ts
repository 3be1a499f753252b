import { Check, Entity, Index } from 'typeorm';
import * as Column from '../../../platform/database/columns.js';

/**
 * A movement that a transaction's own row does not show. `position` counts them through the block. What an exported row needs of its
 * transaction is repeated here, because exports are read a million rows at a time. A mint without a transaction (genesis, state
 * upgrade) has the index -1 and no hash. The order is that of COPY (copy-rows.ts), columns of fixed width first; the key is not one of
 * the table (partition-indexes.ts).
 */
@Entity({ name: 'evm_transfers', synchronize: false })
@Check('evm_transfers_kind', "kind IN ('ERC20', 'ERC721', 'ERC1155', 'MINT')")
export class EvmTransfer {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.BigInteger({ key: true }) readonly height!: bigint;
  @Column.Int({ key: true }) readonly position!: number;
  @Column.Int() readonly txIndex!: number;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.Int({ nullable: true }) readonly logIndex!: number | null;
  @Column.Int({ nullable: true }) readonly batchIndex!: number | null;
  @Column.EvmHex({ nullable: true }) readonly txHash!: `0x${string}` | null;
  @Column.Text() readonly kind!: string;
  @Column.EvmHex() readonly fromAddress!: `0x${string}`;
  @Column.EvmHex() readonly toAddress!: `0x${string}`;
  @Column.EvmHex({ nullable: true }) readonly contract!: `0x${string}` | null;
  @Column.Uint256({ nullable: true }) readonly tokenId!: bigint | null;
  @Column.Uint256() readonly amount!: bigint;
  @Column.EvmHex({ nullable: true }) readonly methodId!: `0x${string}` | null;
}

/** Native coins that contracts moved. */
@Entity({ name: 'evm_internal_transfers' })
@Check('evm_internal_transfers_kind', "kind IN ('INTERNAL', 'MINT')")
export class EvmInternalTransfer {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.BigInteger({ key: true }) readonly height!: bigint;
  @Column.Int({ key: true }) readonly position!: number;
  @Column.Int() readonly txIndex!: number;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.EvmHex() readonly txHash!: `0x${string}`;
  @Column.Text() readonly kind!: string;
  @Column.Text() readonly tracePath!: string;
  @Column.EvmHex() readonly fromAddress!: `0x${string}`;
  @Column.EvmHex() readonly toAddress!: `0x${string}`;
  @Column.EvmHex({ nullable: true }) readonly contract!: `0x${string}` | null;
  @Column.Uint256() readonly amount!: bigint;
  @Column.EvmHex({ nullable: true }) readonly methodId!: `0x${string}` | null;
}

/** An amount that an atomic transaction brings to an address of the EVM, or takes from it, in the asset's own unit. Exports read by address. */
@Entity({ name: 'evm_atomic_transfers' })
@Check('evm_atomic_transfers_kind', "kind IN ('IMPORT', 'EXPORT')")
@Index('evm_atomic_transfers_address_idx', ['chainKey', 'address', 'height'])
export class EvmAtomicTransfer {
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.BigInteger({ key: true }) readonly height!: bigint;
  @Column.Int({ key: true }) readonly position!: number;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.EvmHex() readonly txHash!: `0x${string}`;
  @Column.Text() readonly kind!: string;
  @Column.EvmHex() readonly address!: `0x${string}`;
  @Column.EvmHex() readonly assetId!: `0x${string}`;
  @Column.Uint64() readonly amount!: bigint;
  @Column.EvmHex() readonly blockchainId!: `0x${string}`;
}
