import { Entity, Index } from 'typeorm';
import type { NetworkName } from '../../../platform/config/config.module.js';
import * as Column from '../../../platform/database/columns.js';

/** A message as one of its two chains reports it. */
abstract class MessageColumns {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.EvmHex({ key: true }) readonly messageId!: `0x${string}`;
  @Column.BigInteger() readonly chainKey!: bigint;
  @Column.EvmHex() readonly contract!: `0x${string}`;
  @Column.BigInteger() readonly height!: bigint;
  @Column.Int() readonly logIndex!: number;
  @Column.SafeInteger() readonly blockTime!: number;
  @Column.EvmHex() readonly txHash!: `0x${string}`;
  @Column.Uint256() readonly fee!: bigint;
  @Column.EvmHex() readonly sourceBlockchainId!: `0x${string}`;
  @Column.EvmHex() readonly destinationBlockchainId!: `0x${string}`;
  @Column.Uint256() readonly nonce!: bigint;
  @Column.EvmHex() readonly fromAddress!: `0x${string}`;
  @Column.EvmHex() readonly toAddress!: `0x${string}`;
  @Column.EvmHexes() readonly receipts!: readonly `0x${string}`[];
  @Column.EvmHex() readonly data!: `0x${string}`;
  /** Whom a token transfer in the data names: the message is in their lists, too. The rest is decoded when it is read. */
  @Column.EvmHexes() readonly parties!: readonly `0x${string}`[];
}

/** Reports with a message's id alone. */
abstract class ClaimColumns {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.EvmHex({ key: true }) readonly messageId!: `0x${string}`;
  @Column.BigInteger({ key: true }) readonly chainKey!: bigint;
  @Column.EvmHex({ key: true }) readonly contract!: `0x${string}`;
  @Column.BigInteger() readonly height!: bigint;
  @Column.Int() readonly logIndex!: number;
}

/** The report of a message's source: a message's id contains its chains and its contract, so there is one row of it. */
@Entity({ name: 'icm_sends' })
@Index('icm_sends_height_idx', ['chainKey', 'height'])
@Index('icm_sends_tx_hash_idx', ['txHash'], { type: 'hash' }) // half the size of a B-tree
export class IcmSend extends MessageColumns {}

/**
 * The report of a message's destination. Source and destination are rows of their own, written by the projection of that chain
 * alone and joined when they are read: it does not matter which is indexed first, or whether both are.
 */
@Entity({ name: 'icm_deliveries' })
@Index('icm_deliveries_height_idx', ['chainKey', 'height'])
@Index('icm_deliveries_tx_hash_idx', ['txHash'], { type: 'hash' })
export class IcmDelivery extends MessageColumns {
  @Column.EvmHex() readonly deliverer!: `0x${string}`;
  @Column.EvmHex() readonly rewardRedeemer!: `0x${string}`;
}

/** Reported with an id alone, which anybody can do: it counts for the message whose chain and contract it has. */
@Entity({ name: 'icm_executions' })
@Index('icm_executions_height_idx', ['chainKey', 'height'])
export class IcmExecution extends ClaimColumns {}

/** As IcmExecution, of the message's source. */
@Entity({ name: 'icm_fees' })
@Index('icm_fees_chain_key_idx', ['chainKey'])
export class IcmFee extends ClaimColumns {
  @Column.EvmHex() readonly token!: `0x${string}`;
  @Column.Uint256() readonly amount!: bigint;
  @Column.Flag() readonly isCredited!: boolean;
}

/** Who had a token transferrer send a message, as that contract reports it: as IcmFee, and only for a message that it has sent itself. */
@Entity({ name: 'icm_senders' })
@Index('icm_senders_chain_key_idx', ['chainKey'])
export class IcmSender extends ClaimColumns {
  @Column.EvmHex() readonly sender!: `0x${string}`;
}

/**
 * Where a message stands in the lists of all whom it concerns: by the time of its source, and while that is unknown, of its
 * destination. A list that is read page by page is that of the version in which it began: sinceVersion <= it, and untilVersion is
 * none or later. A message that comes back to where it stood, as when a chain is read anew, has a row for each of the last times.
 */
@Entity({ name: 'icm_listings' })
export class IcmListing {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.EvmHex({ key: true }) readonly address!: `0x${string}`;
  @Column.SafeInteger({ key: true }) readonly sortTime!: number;
  @Column.EvmHex({ key: true }) readonly messageId!: `0x${string}`;
  @Column.BigInteger({ key: true }) readonly sinceVersion!: bigint;
  @Column.BigInteger({ nullable: true }) readonly untilVersion!: bigint | null;
}

/** One row. Changes of the lists hold it until they commit, so that versions become visible in their order. */
@Entity({ name: 'icm_list_version', synchronize: false })
export class IcmListVersion {
  @Column.BigInteger({ key: true }) readonly version!: bigint;
}

/** EVM chain ids of the chains whose messages were read: a message names blockchain ids alone. */
@Entity({ name: 'icm_chains' })
export class IcmChain {
  @Column.Text({ key: true }) readonly network!: NetworkName;
  @Column.EvmHex({ key: true }) readonly blockchainId!: `0x${string}`;
  @Column.BigInteger() readonly evmChainId!: bigint;
}
