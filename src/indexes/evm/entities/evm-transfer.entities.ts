import { Check, Entity } from 'typeorm';
import {
  BigInteger,
  EvmHex,
  Int,
  SafeInteger,
  Text,
  Uint256,
  Uint64,
} from '../../../platform/database/columns.js';

/**
 * A movement that a transaction's own row does not show. `position` counts them through the block. What an exported row needs of its
 * transaction is repeated here, because exports are read a million rows at a time. A mint without a transaction (genesis, state
 * upgrade) has the index -1 and no hash.
 */
@Entity({ name: 'evm_transfers' })
@Check('evm_transfers_kind', "kind IN ('ERC20', 'ERC721', 'ERC1155', 'MINT')")
export class EvmTransfer {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @BigInteger({ key: true }) readonly height: bigint;
  @Int({ key: true }) readonly position: number;
  @Int() readonly txIndex: number;
  @SafeInteger() readonly blockTime: number;
  @EvmHex({ nullable: true }) readonly txHash: `0x${string}` | null;
  @Text() readonly kind: string;
  @Int({ nullable: true }) readonly logIndex: number | null;
  @Int({ nullable: true }) readonly batchIndex: number | null;
  @EvmHex() readonly fromAddress: `0x${string}`;
  @EvmHex() readonly toAddress: `0x${string}`;
  @EvmHex({ nullable: true }) readonly contract: `0x${string}` | null;
  @Uint256({ nullable: true }) readonly tokenId: bigint | null;
  @Uint256() readonly amount: bigint;
  @EvmHex({ nullable: true }) readonly methodId: `0x${string}` | null;
}

/** What calls of contracts moved, of the native asset. */
@Entity({ name: 'evm_internal_transfers' })
@Check('evm_internal_transfers_kind', "kind IN ('INTERNAL', 'MINT')")
export class EvmInternalTransfer {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @BigInteger({ key: true }) readonly height: bigint;
  @Int({ key: true }) readonly position: number;
  @Int() readonly txIndex: number;
  @SafeInteger() readonly blockTime: number;
  @EvmHex() readonly txHash: `0x${string}`;
  @Text() readonly kind: string;
  @Text() readonly tracePath: string;
  @EvmHex() readonly fromAddress: `0x${string}`;
  @EvmHex() readonly toAddress: `0x${string}`;
  @EvmHex({ nullable: true }) readonly contract: `0x${string}` | null;
  @Uint256() readonly amount: bigint;
  @EvmHex({ nullable: true }) readonly methodId: `0x${string}` | null;
}

/** What an atomic transaction brings to an address of the EVM, or takes from it, in the asset's own unit. */
@Entity({ name: 'evm_atomic_transfers' })
@Check('evm_atomic_transfers_kind', "kind IN ('IMPORT', 'EXPORT')")
export class EvmAtomicTransfer {
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @BigInteger({ key: true }) readonly height: bigint;
  @Int({ key: true }) readonly position: number;
  @SafeInteger() readonly blockTime: number;
  @EvmHex() readonly txHash: `0x${string}`;
  @Text() readonly kind: string;
  @EvmHex() readonly address: `0x${string}`;
  @EvmHex() readonly assetId: `0x${string}`;
  @Uint64() readonly amount: bigint;
  @EvmHex() readonly blockchainId: `0x${string}`;
}
