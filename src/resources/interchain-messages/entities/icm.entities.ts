import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import {
  BigInteger,
  EvmHex,
  EvmHexes,
  Flag,
  Int,
  SafeInteger,
  Text,
  Uint256,
} from '../../../platform/database/columns.js';

/** A message as one of its two chains reports it. */
abstract class MessageColumns {
  @Text({ key: true }) readonly network: NetworkName;
  @EvmHex({ key: true }) readonly messageId: `0x${string}`;
  @BigInteger() readonly chainKey: bigint;
  @EvmHex() readonly contract: `0x${string}`;
  @BigInteger() readonly height: bigint;
  @Int() readonly logIndex: number;
  @SafeInteger() readonly blockTime: number;
  @EvmHex() readonly txHash: `0x${string}`;
  @Uint256() readonly fee: bigint;
  @EvmHex() readonly sourceBlockchainId: `0x${string}`;
  @EvmHex() readonly destinationBlockchainId: `0x${string}`;
  @Uint256() readonly nonce: bigint;
  @EvmHex() readonly fromAddress: `0x${string}`;
  @EvmHex() readonly toAddress: `0x${string}`;
  @EvmHexes() readonly receipts: readonly `0x${string}`[];
  @EvmHex() readonly data: `0x${string}`;
}

/** What is reported with a message's id alone. */
abstract class ClaimColumns {
  @Text({ key: true }) readonly network: NetworkName;
  @EvmHex({ key: true }) readonly messageId: `0x${string}`;
  @BigInteger({ key: true }) readonly chainKey: bigint;
  @EvmHex({ key: true }) readonly contract: `0x${string}`;
  @BigInteger() readonly height: bigint;
  @Int() readonly logIndex: number;
}

/** What a message's source reports of it: a message's id contains its chains and its contract, so there is one row of it. */
@Entity({ name: 'icm_sends' })
@Index('icm_sends_chain_key_idx', ['chainKey'])
export class IcmSend extends MessageColumns {}

/**
 * What a message's destination reports of it. Source and destination are rows of their own, written by the projection of that chain
 * alone and joined when they are read: it does not matter which is indexed first, or whether both are.
 */
@Entity({ name: 'icm_deliveries' })
@Index('icm_deliveries_chain_key_idx', ['chainKey'])
export class IcmDelivery extends MessageColumns {
  @EvmHex() readonly deliverer: `0x${string}`;
  @EvmHex() readonly rewardRedeemer: `0x${string}`;
}

/** Reported with an id alone, which anybody can do: it counts for the message whose chain and contract it has. */
@Entity({ name: 'icm_executions' })
@Index('icm_executions_chain_key_idx', ['chainKey'])
export class IcmExecution extends ClaimColumns {}

/** As IcmExecution, of the message's source. */
@Entity({ name: 'icm_fees' })
@Index('icm_fees_chain_key_idx', ['chainKey'])
export class IcmFee extends ClaimColumns {
  @EvmHex() readonly token: `0x${string}`;
  @Uint256() readonly amount: bigint;
  @Flag() readonly isCredited: boolean;
}

/**
 * Where a message stands in the lists of its sender and its recipient: by the time of its source, and while that is unknown, of its
 * destination. A list that is read page by page is that of the version in which it began: sinceVersion <= it, and untilVersion is
 * none or later.
 */
@Entity({ name: 'icm_listings' })
export class IcmListing {
  @Text({ key: true }) readonly network: NetworkName;
  @EvmHex({ key: true }) readonly address: `0x${string}`;
  @SafeInteger({ key: true }) readonly sortTime: number;
  @EvmHex({ key: true }) readonly messageId: `0x${string}`;
  @BigInteger() readonly sinceVersion: bigint;
  @BigInteger({ nullable: true }) readonly untilVersion: bigint | null;
}

/** One row. Changes of the lists hold it until they commit, so that versions become visible in their order. */
@Entity({ name: 'icm_list_version', synchronize: false })
export class IcmListVersion {
  @BigInteger({ key: true }) readonly version: bigint;
}

/** EVM chain ids of the chains whose messages were read: a message names blockchain ids alone. */
@Entity({ name: 'icm_chains' })
export class IcmChain {
  @Text({ key: true }) readonly network: NetworkName;
  @EvmHex({ key: true }) readonly blockchainId: `0x${string}`;
  @BigInteger() readonly evmChainId: bigint;
}
