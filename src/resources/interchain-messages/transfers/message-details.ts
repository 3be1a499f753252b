import { Injectable } from '@nestjs/common';
import {
  type Address,
  evmBytesOf,
  evmHexOf,
  type Hash,
  type Hex,
} from '../../../avalanche/evm/rpc/hex-values.js';
import { retryExecutionInput } from '../../../avalanche/icm/retry-execution.js';
import { type TransferPayload, unpackTransfer } from '../../../avalanche/icm/transfer-payload.js';
import { messageSetName } from '../../../indexes/evm/sources/logs/log-sets.js';
import { evmChainKey } from '../../../platform/database/chains.js';
import type { MessageRow } from '../message-list.js';
import { type Execution, readExecutions } from './executions.js';
import {
  type ExactPlace,
  type LogPlace,
  type TokenPlace,
  type TokenRow,
  TransferRepository,
} from './transfer.repository.js';

/** A genesis on the P-chain may name any number. */
const MAX_INDEXED_CHAIN_ID = BigInt(Number.MAX_SAFE_INTEGER);

/** A transfer that a message carries, with what is known of it beside that message. */
export interface TransferDetails {
  readonly payload: TransferPayload;
  /** Whose denomination the amount has. */
  readonly token: TokenRow | undefined;
  readonly sender: Address | undefined;
  /** Of a call that was tried. */
  readonly isCallSuccess: boolean | undefined;
  /** The messages of a transfer through its token's home, each as the other one's. */
  readonly first: MessageRow | undefined;
  readonly second: MessageRow | undefined;
}

export interface MessageDetails {
  readonly transfer: TransferDetails | undefined;
  /** The input of the call that executes the message again. */
  readonly retryInput: Hex | undefined;
}

interface Carrier {
  readonly row: MessageRow;
  readonly payload: TransferPayload;
}

/** Read once for all messages of a page. */
interface Surroundings {
  /** By chain, messenger and message. */
  readonly executions: ReadonlyMap<string, Execution>;
  /** The message in whose execution another one was sent, by chain, messenger, sending contract and that other one. */
  readonly origins: ReadonlyMap<string, Hash>;
  /** By network and id. */
  readonly messages: ReadonlyMap<string, MessageRow>;
  /** By chain and contract. */
  readonly tokens: ReadonlyMap<string, TokenRow>;
}

/** Reads all that answers have beyond the rows of messages. Messages without a transfer that did not fail cost no statement. */
@Injectable()
export class MessageDetailsReader {
  constructor(private readonly repository: TransferRepository) {}

  /** Each row with its own, in their order. */
  async read(rows: readonly MessageRow[]): Promise<(readonly [MessageRow, MessageDetails])[]> {
    const payloads = rows.map((row) => unpackTransfer(evmHexOf(row.data)));
    const carriers = rows.flatMap((row, index): Carrier[] => {
      const payload = payloads[index];
      return payload === undefined ? [] : [{ row, payload }];
    });
    const [surroundings, retries] = await Promise.all([
      this.readSurroundings(carriers),
      this.readRetries(rows),
    ]);
    return rows.map((row, index) => {
      const payload = payloads[index];
      const transfer = payload === undefined ? undefined : describe({ row, payload }, surroundings);
      return [row, { transfer, retryInput: retries.get(row) }] as const;
    });
  }

  private async readSurroundings(carriers: readonly Carrier[]): Promise<Surroundings> {
    const [{ executions, origins }, tokens] = await Promise.all([
      this.readExecutions(carriers),
      this.repository.findTokens(carriers.flatMap(({ row }) => tokenPlacesOf(row))),
    ]);
    const ids = carriers.flatMap((carrier) => {
      const [first, second] = [firstIdOf(carrier, origins), secondIdOf(carrier, executions)];
      return [first, second].filter((id) => id !== undefined);
    });
    const networks = [...new Set(carriers.map(({ row }) => row.network))].sort();
    const messages = await this.repository.findMessages(networks, [...new Set(ids)].map(evmBytesOf));
    return {
      executions,
      origins,
      messages: new Map(messages.map((row) => [`${row.network} ${evmHexOf(row.message_id)}`, row])),
      tokens: new Map(tokens.map((token) => [`${token.chain_key} ${evmHexOf(token.contract)}`, token])),
    };
  }

  private async readExecutions(
    carriers: readonly Carrier[],
  ): Promise<Pick<Surroundings, 'executions' | 'origins'>> {
    const places = new Map(
      carriers.flatMap(logPlacesOf).map((place) => [Object.values(place).join(), place]),
    );
    const logs = await this.repository.findLogs([...places.values()]);
    const executions = new Map<string, Execution>();
    const origins = new Map<string, Hash>();
    const chains = new Map([...places.values()].map((place) => [chainOf(place), place]));
    for (const [chain, { chainKey, messenger }] of chains) {
      const logSet = messageSetName(messenger);
      const own = logs.filter((log) => log.chain_key === chainKey && log.log_set === logSet);
      const read = own.map(({ tx_hash: txHash, address, topics }) => ({
        txHash: evmHexOf(txHash),
        address: evmHexOf(address),
        topics: topics.map(evmHexOf),
      }));
      for (const execution of readExecutions(messenger, read)) {
        executions.set(`${chain} ${execution.messageId}`, execution);
        for (const { transferrer, messageId } of execution.routed) {
          origins.set(`${chain} ${transferrer} ${messageId}`, execution.messageId);
        }
      }
    }
    return { executions, origins };
  }

  private async readRetries(rows: readonly MessageRow[]): Promise<ReadonlyMap<MessageRow, Hex>> {
    const failed = rows.flatMap((row) => {
      const place = failedDeliveryOf(row);
      return place === undefined ? [] : [{ row, place }];
    });
    const logs = await this.repository.findLogsAt(failed.map(({ place }) => place));
    const dataAt = new Map(logs.map((log) => [`${log.chain_key} ${log.height} ${log.log_index}`, log.data]));
    return new Map(
      failed.flatMap(({ row, place }): [MessageRow, Hex][] => {
        const data = dataAt.get(`${place.chainKey} ${place.height} ${place.logIndex}`);
        if (data === undefined) return [];
        return [[row, retryExecutionInput(evmHexOf(row.source_blockchain_id), evmHexOf(data))]];
      }),
    );
  }
}

function describe(carrier: Carrier, surroundings: Surroundings): TransferDetails {
  const { row, payload } = carrier;
  const { executions, origins, messages, tokens } = surroundings;
  const messageOf = (id: Hash | undefined): MessageRow | undefined =>
    id === undefined ? undefined : messages.get(`${row.network} ${id}`);
  const first = messageOf(firstIdOf(carrier, origins));
  const second = messageOf(secondIdOf(carrier, executions));
  const sender = row.sender ?? first?.sender ?? null;
  return {
    payload,
    token: tokenPlacesOf(row)
      .map(({ chainKey, contract }) => tokens.get(`${chainKey} ${evmHexOf(contract)}`))
      .find((token) => token !== undefined),
    sender: sender === null ? originSenderOf(payload) : evmHexOf(sender),
    isCallSuccess: isCallSuccess(carrier, executions),
    first: first !== undefined && follows(first, row) ? first : undefined,
    second: second !== undefined && follows(row, second) ? second : undefined,
  };
}

/** Contracts name any message: the second one was sent by whom the first is for, on that chain. */
function follows(first: MessageRow, second: MessageRow): boolean {
  return (
    second.source_chain_key !== null &&
    second.from_address.equals(first.to_address) &&
    second.contract.equals(first.contract) &&
    second.source_blockchain_id.equals(first.destination_blockchain_id)
  );
}

function firstIdOf({ row, payload }: Carrier, origins: Surroundings['origins']): Hash | undefined {
  const place = sideOf(row, 'source');
  if (place === undefined || isMultiHop(payload)) return undefined;
  return origins.get(`${chainOf(place)} ${evmHexOf(row.from_address)} ${evmHexOf(row.message_id)}`);
}

function secondIdOf(carrier: Carrier, executions: Surroundings['executions']): Hash | undefined {
  if (!isMultiHop(carrier.payload)) return undefined;
  const transferrer = evmHexOf(carrier.row.to_address);
  return executionOf(carrier, executions)?.routed.find((each) => each.transferrer === transferrer)?.messageId;
}

function isCallSuccess(carrier: Carrier, executions: Surroundings['executions']): boolean | undefined {
  const { row, payload } = carrier;
  if (payload.kind !== 'sendAndCall') return undefined;
  const transferrer = evmHexOf(row.to_address);
  const { recipientContract } = payload.call;
  return executionOf(carrier, executions)?.calls.find(
    (call) => call.transferrer === transferrer && call.recipientContract === recipientContract,
  )?.isSuccess;
}

function executionOf({ row }: Carrier, executions: Surroundings['executions']): Execution | undefined {
  const place = sideOf(row, 'destination');
  return place === undefined ? undefined : executions.get(`${chainOf(place)} ${evmHexOf(row.message_id)}`);
}

function originSenderOf(payload: TransferPayload): Address | undefined {
  return 'call' in payload ? payload.call.originSender : undefined;
}

function isMultiHop(payload: TransferPayload): boolean {
  return 'secondHop' in payload;
}

/** Where logs report more of a transfer: of its execution, or of the one in which it was sent on. */
function logPlacesOf({ row, payload }: Carrier): LogPlace[] {
  switch (payload.kind) {
    case 'registerRemote':
      return [];
    case 'send':
      return [sideOf(row, 'source')].filter((place) => place !== undefined);
    case 'sendAndCall':
      return [sideOf(row, 'source'), sideOf(row, 'destination')].filter((place) => place !== undefined);
    case 'multiHopSend':
    case 'multiHopSendAndCall':
      return [sideOf(row, 'destination')].filter((place) => place !== undefined);
  }
}

/** Where a message was sent, or executed. */
function sideOf(row: MessageRow, side: 'source' | 'destination'): LogPlace | undefined {
  const [chainKey, height] =
    side === 'source'
      ? [row.source_chain_key, row.source_height]
      : [row.destination_chain_key, row.execution_height];
  if (chainKey === null || height === null) return undefined;
  return { chainKey, messenger: evmHexOf(row.contract), height };
}

function failedDeliveryOf(row: MessageRow): ExactPlace | undefined {
  const {
    destination_chain_key: chainKey,
    destination_height: height,
    destination_log_index: logIndex,
  } = row;
  const isFailed = chainKey !== null && !row.is_executed && row.data.length > 0;
  if (!isFailed || height === null || logIndex === null) return undefined;
  return { chainKey, messenger: evmHexOf(row.contract), height, logIndex };
}

/** The ends of a transfer that may be its token: of a home and a remote, the remote is one. */
function tokenPlacesOf(row: MessageRow): TokenPlace[] {
  const { network, source_evm_chain_id: source, destination_evm_chain_id: destination } = row;
  const place = (text: string | null, contract: Buffer): TokenPlace[] => {
    const chainId = BigInt(text ?? MAX_INDEXED_CHAIN_ID + 1n);
    if (chainId > MAX_INDEXED_CHAIN_ID) return [];
    return [{ chainKey: evmChainKey({ network, chainId }).toString(), contract }];
  };
  return [...place(destination, row.to_address), ...place(source, row.from_address)];
}

function chainOf({ chainKey, messenger }: Pick<LogPlace, 'chainKey' | 'messenger'>): string {
  return `${chainKey} ${messenger}`;
}
