import { evmBytesOf } from '../../avalanche/evm/rpc/hex-values.js';
import { Injectable, Logger } from '@nestjs/common';
import { idFromString } from '../../avalanche/ids/id.js';
import { evmChainKey } from '../../platform/database/chains.js';
import type { Transaction } from '../../platform/database/database.js';
import type { ProjectedChain, Projection } from '../../indexes/evm/projections/projection.js';
import type { WatchedLog } from '../../indexes/evm/projections/watched-log.js';
import { reportDeliveries } from './delivery-events.js';
import { type MessageFacts, namedTokens, readMessageFacts } from './message-facts.js';
import { relist } from './message-listings.js';
import { findSomeReported, removeReports, writeClaims, writeMessages } from './message-tables.js';

/** Under which its progress is on record; before version 2 without the people whom token transfers are between. */
export const MESSAGE_PROJECTION = { name: 'interchain-messages', version: 2 } as const;
/** Of the logs of messengers. */
export const MESSAGE_LOG_SET = 'messages';

/** Interchain messages, made of what messengers log on each chain. */
@Injectable()
export class MessageProjection implements Projection {
  readonly name = MESSAGE_PROJECTION.name;
  readonly version: number = MESSAGE_PROJECTION.version;
  readonly logSet = MESSAGE_LOG_SET;

  private readonly logger = new Logger(MessageProjection.name);

  async clear(transaction: Transaction, chain: ProjectedChain): Promise<boolean> {
    const ids = await findSomeReported(transaction, chain);
    await relist(transaction, chain.network, ids, () => removeReports(transaction, chain, ids));
    return ids.length === 0;
  }

  async apply(transaction: Transaction, chain: ProjectedChain, logs: readonly WatchedLog[]): Promise<void> {
    const facts = readMessageFacts(chain, logs);
    this.reportLeftOut(chain, facts);
    const { network } = chain;
    const ids = [...facts.sends, ...facts.deliveries, ...facts.senders].map(({ messageId }) => messageId);
    await relist(transaction, network, ids, () => writeMessages(transaction, chain, facts));
    await writeClaims(transaction, chain, facts);
    await this.nameChain(transaction, chain);
    await reportDeliveries(transaction, network, ids);
    await this.askForTokens(transaction, evmChainKey(chain), facts);
  }

  private async nameChain(
    transaction: Transaction,
    { network, chainId, blockchainId }: ProjectedChain,
  ): Promise<void> {
    await transaction.execute({
      text: `INSERT INTO icm_chains (network, blockchain_id, evm_chain_id) VALUES ($1, $2, $3)
             ON CONFLICT (network, blockchain_id) DO UPDATE SET evm_chain_id = EXCLUDED.evm_chain_id
             WHERE icm_chains.evm_chain_id <> EXCLUDED.evm_chain_id`,
      values: [network, Buffer.from(idFromString(blockchainId)), chainId],
    });
  }

  /**
   * Tokens are put on record when a transfer is seen, which on a chain that is indexed for its messages alone is never. One that is on
   * record as not asked is asked with those that failed (src/indexes/evm/sources/token-reader.ts). Ordered as by toTokenRows.
   */
  private async askForTokens(transaction: Transaction, chainKey: bigint, facts: MessageFacts): Promise<void> {
    const contracts = namedTokens(facts);
    if (contracts.length === 0) return;
    await transaction.execute({
      text: `INSERT INTO evm_tokens (chain_key, contract, failure, asked_at)
             SELECT $1, contract, 'not asked yet', 'epoch' FROM unnest($2::bytea[]) AS fee (contract)
              ORDER BY contract
             ON CONFLICT DO NOTHING`,
      values: [chainKey, contracts.map(evmBytesOf)],
    });
  }

  private reportLeftOut({ network, chainId }: ProjectedChain, { leftOut }: MessageFacts): void {
    if (leftOut.size === 0) return;
    const counts = [...leftOut].map(([reason, count]) => `${count} × ${reason}`).join(', ');
    this.logger.warn(
      `logs of messengers on EVM chain ${chainId} of ${network} that are no messages of theirs: ${counts}`,
    );
  }
}
