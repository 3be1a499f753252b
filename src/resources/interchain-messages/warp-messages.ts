import { Injectable } from '@nestjs/common';
import { evmHexOf } from '../../avalanche/evm/rpc/hex-values.js';
import { sentWarpMessage } from '../../avalanche/icm/sent-message.js';
import { idToString } from '../../avalanche/ids/id.js';
import { idToCb58 } from '../../avalanche/ids/text.js';
import { EvmChains } from '../../platform/evm-chains/evm-chains.js';
import { Networks } from '../../platform/networks/networks.module.js';
import {
  type DeliverableMessage,
  DeliverableMessages,
} from '../signature-aggregator/delivery/deliverable-messages.js';
import type { MessageRow } from './message-list.js';
import { messageStatusOf } from './message-status.js';
import { TransferRepository } from './transfers/transfer.repository.js';

export interface WarpForms {
  readonly unsignedMessage: Uint8Array;
  /** Of a pending message whose signatures are kept. */
  readonly deliverable: DeliverableMessage | undefined;
}

/** A message as Warp has it: the bytes that validators sign, and those that they have signed. */
@Injectable()
export class WarpMessages {
  constructor(
    private readonly networks: Networks,
    private readonly repository: TransferRepository,
    private readonly deliverables: DeliverableMessages,
    private readonly chains: EvmChains,
  ) {}

  /** Undefined while the sending is not indexed, and for a network that only EVM chains are served of: its id is not known. */
  async find(row: MessageRow): Promise<WarpForms | undefined> {
    const { source_chain_key: chainKey, source_height: height, source_log_index: logIndex } = row;
    const network = this.networks.all().find(({ name }) => name === row.network);
    if (chainKey === null || height === null || logIndex === null || network === undefined) return undefined;
    const messenger = evmHexOf(row.contract);
    const [log] = await this.repository.findLogsAt([{ chainKey, messenger, height, logIndex }]);
    if (log === undefined) return undefined;
    const unsignedMessage = sentWarpMessage({
      networkId: await network.getNetworkId(),
      sourceBlockchainId: idToString(row.source_blockchain_id),
      messenger,
      log: { topics: log.topics.map(evmHexOf), data: evmHexOf(log.data) },
    });
    if (unsignedMessage === undefined) return undefined;
    if (messageStatusOf(row) !== 'pending') return { unsignedMessage, deliverable: undefined };
    const destinationBlockchainId = idToCb58(row.destination_blockchain_id);
    const message = { message: unsignedMessage, destinationBlockchainId };
    const source = this.chains.ofBlockchain(row.network, idToString(row.source_blockchain_id));
    const isExpected = source?.signOnSight === true;
    return { unsignedMessage, deliverable: await this.deliverables.find(network, message, { isExpected }) };
  }
}
