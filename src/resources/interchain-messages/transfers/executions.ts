import type { Address, Hash } from '../../../avalanche/evm/rpc/hex-values.js';
import { MESSENGER_TOPICS } from '../../../avalanche/icm/messenger-event.js';
import { readTransferrerEvent, TRANSFERRER_TOPICS } from '../../../avalanche/icm/transferrer-event.js';

/** All that `readExecutions` looks at. */
export const EXECUTION_TOPICS: readonly Hash[] = [
  MESSENGER_TOPICS.received,
  MESSENGER_TOPICS.executed,
  MESSENGER_TOPICS.executionFailed,
  TRANSFERRER_TOPICS.tokensRouted,
  TRANSFERRER_TOPICS.tokensAndCallRouted,
  TRANSFERRER_TOPICS.callSucceeded,
  TRANSFERRER_TOPICS.callFailed,
];

/** A log of one messenger's set on one chain. */
export interface ExecutionLog {
  readonly txHash: Hash;
  readonly address: Address;
  readonly topics: readonly Hash[];
}

/** The events that were logged while a message was executed, by whichever contract. */
export interface Execution {
  readonly messageId: Hash;
  readonly routed: readonly { readonly transferrer: Address; readonly messageId: Hash }[];
  readonly calls: readonly {
    readonly transferrer: Address;
    readonly recipientContract: Address;
    readonly isSuccess: boolean;
  }[];
}

interface OpenExecution extends Execution {
  readonly routed: Execution['routed'][number][];
  readonly calls: Execution['calls'][number][];
}

/**
 * The executions of messages, from the logs of some blocks in the order of the chain. A delivery logs that it has
 * received a message, then what the message does, and then that it was executed; a later execution of one that failed logs that at
 * its beginning. Which contract logs what is for the reader to judge: a message's own transferrer is its recipient.
 */
export function readExecutions(messenger: Address, logs: readonly ExecutionLog[]): Execution[] {
  const executions: Execution[] = [];
  let open: OpenExecution | undefined;
  let isDelivery = false;
  let txHash: Hash | undefined;
  const begin = (messageId: Hash): OpenExecution => ({ messageId, routed: [], calls: [] });
  for (const log of logs) {
    const [topic, id] = log.topics;
    if (log.txHash !== txHash) open = undefined;
    txHash = log.txHash;
    if (log.address === messenger && id !== undefined && topic === MESSENGER_TOPICS.received) {
      open = begin(id);
      isDelivery = true;
    } else if (log.address === messenger && id !== undefined && topic === MESSENGER_TOPICS.executed) {
      const isEnd = isDelivery && open?.messageId === id;
      const execution: OpenExecution = isEnd && open !== undefined ? open : begin(id);
      executions.push(execution);
      open = isEnd ? undefined : execution;
      isDelivery = false;
    } else if (log.address === messenger && topic === MESSENGER_TOPICS.executionFailed) {
      open = undefined;
    } else if (open !== undefined) {
      addTo(open, log);
    }
  }
  return executions;
}

function addTo(execution: OpenExecution, log: ExecutionLog): void {
  const event = readTransferrerEvent(log);
  const transferrer = log.address;
  if (event?.kind === 'routed') execution.routed.push({ transferrer, messageId: event.messageId });
  if (event?.kind === 'called') {
    const { recipientContract, isSuccess } = event;
    execution.calls.push({ transferrer, recipientContract, isSuccess });
  }
}
