import type { LogFilter } from '../rpc/log-filter.js';
import type { Address, Hash } from '../rpc/hex-values.js';
import {
  NATIVE_COIN_MINTED_TOPIC,
  TRANSFER_BATCH_TOPIC,
  TRANSFER_SINGLE_TOPIC,
  TRANSFER_TOPIC,
} from './transfers.js';

const TRANSFERS: readonly Hash[] = [TRANSFER_TOPIC];
const ERC1155_TRANSFERS: readonly Hash[] = [TRANSFER_SINGLE_TOPIC, TRANSFER_BATCH_TOPIC];

/** Logs of movements from or to accounts that name them in a topic, in three filters whatever the number of accounts. */
export function transferFilters(addresses: readonly Address[]): LogFilter[] {
  const ours = addresses.map(toTopic);
  const named: LogFilter['topics'][] = [
    [TRANSFERS, ours],
    [[...TRANSFERS, ...ERC1155_TRANSFERS, NATIVE_COIN_MINTED_TOPIC], null, ours],
    [ERC1155_TRANSFERS, null, null, ours],
  ];
  return named.map((topics) => ({ address: undefined, topics }));
}

function toTopic(address: Address): Hash {
  return `0x${address.slice(2).padStart(64, '0')}`;
}
