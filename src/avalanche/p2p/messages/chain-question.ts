import type { P2pMessage, P2pMessageInit } from './p2p-message.js';
import { EngineType } from '../../proto/generated/p2p_pb.js';

/** A question to a node about the containers of one of its chains. Ids have 32 bytes. */
export type ChainQuestion =
  /** Which of these the node has accepted. */
  | { readonly kind: 'getAccepted'; readonly containerIds: readonly Uint8Array[] }
  /** This container and those before it, as many as the node likes to send. */
  | { readonly kind: 'getAncestors'; readonly containerId: Uint8Array; readonly engine: 'dag' | 'chain' }
  /** This container. A node that does not have it is silent. */
  | { readonly kind: 'get'; readonly containerId: Uint8Array }
  /**
   * How far the node is, and what it has accepted at a height. The container is one that it surely has: it would ask for
   * another one.
   */
  | { readonly kind: 'pullQuery'; readonly containerId: Uint8Array; readonly requestedHeight: bigint };

export interface ChainAnswers {
  readonly getAccepted: readonly Uint8Array[];
  /** At most MAX_ANCESTORS; none when the node does not have the first. */
  readonly getAncestors: readonly Uint8Array[];
  readonly get: Uint8Array;
  readonly pullQuery: {
    readonly acceptedId: Uint8Array;
    readonly acceptedHeight: bigint;
    /** Accepted where the height is below `acceptedHeight`. */
    readonly idAtHeight: Uint8Array;
  };
}

export type ChainQuestionKind = ChainQuestion['kind'];

type AnswerKind = 'accepted' | 'ancestors' | 'put' | 'chits';

/** The kind of message that answers each. */
export const ANSWER_KINDS: Readonly<Record<ChainQuestionKind, AnswerKind>> = {
  getAccepted: 'accepted',
  getAncestors: 'ancestors',
  get: 'put',
  pullQuery: 'chits',
};

const ENGINE_TYPES = { dag: EngineType.DAG, chain: EngineType.CHAIN } as const;

/** The question as a message; `deadline` in nanoseconds. */
export function toMessage(
  question: ChainQuestion,
  envelope: { chainId: Uint8Array; requestId: number; deadline: bigint },
): P2pMessageInit {
  switch (question.kind) {
    case 'getAccepted':
      return {
        case: 'getAccepted',
        value: { ...envelope, containerIds: [...question.containerIds] },
      };
    case 'getAncestors': {
      const { containerId, engine } = question;
      return { case: 'getAncestors', value: { ...envelope, containerId, engineType: ENGINE_TYPES[engine] } };
    }
    case 'get':
      return { case: 'get', value: { ...envelope, containerId: question.containerId } };
    case 'pullQuery': {
      const { containerId, requestedHeight } = question;
      return { case: 'pullQuery', value: { ...envelope, containerId, requestedHeight } };
    }
  }
}

/** The content of an answer; undefined for one that answers no question of a chain. Byte fields share the message's memory. */
export function toAnswer(message: P2pMessage): ChainAnswers[ChainQuestionKind] | undefined {
  switch (message.case) {
    case 'accepted':
      return message.value.containerIds;
    case 'ancestors':
      return message.value.containers;
    case 'put':
      return message.value.container;
    case 'chits': {
      const { acceptedId, acceptedHeight, preferredIdAtHeight } = message.value;
      return { acceptedId, acceptedHeight, idAtHeight: preferredIdAtHeight };
    }
    default:
      return undefined;
  }
}
