import type { EvmLog } from '../evm/blocks/block.js';
import type { Address, Hash } from '../evm/rpc/hex-values.js';
import { AbiError, addressOfWord } from './abi-reader.js';

/**
 * Topics of the events of token transferrers (ICTT) that name a message or report how a call ended. Any contract may log them: they count
 * for nothing but the contract that logs them.
 */
export const TRANSFERRER_TOPICS = {
  tokensSent: '0x93f19bf1ec58a15dc643b37e7e18a1c13e85e06cd11929e283154691ace9fb52',
  tokensAndCallSent: '0x5d76dff81bf773b908b050fa113d39f7d8135bb4175398f313ea19cd3a1a0b16',
  tokensRouted: '0x825080857c76cef4a1629c0705a7f8b4ef0282ddcafde0b6715c4fb34b68aaf0',
  tokensAndCallRouted: '0x42eff9005856e3c586b096d67211a566dc926052119fd7cc08023c70937ecb30',
  callSucceeded: '0x104deb555f67e63782bb817bc26c39050894645f9b9f29c4be8ae68d0e8b7ff4',
  callFailed: '0xb9eaeae386d339f8115782f297a9e5f0e13fb587cd6b0d502f113cb8dd4d6cb0',
} as const;

export type TransferrerEvent =
  /** A message that somebody has a transferrer send. */
  | { readonly kind: 'sent'; readonly messageId: Hash; readonly sender: Address }
  /** The second message of a transfer, which a home sends while it executes the first. */
  | { readonly kind: 'routed'; readonly messageId: Hash }
  /** How the call of a recipient's contract ended; after a failure its fallback has the tokens. */
  | { readonly kind: 'called'; readonly recipientContract: Address; readonly isSuccess: boolean };

/** Undefined for what is no event of a transferrer. The data are not read: all that is needed is in the topics. */
export function readTransferrerEvent({ topics }: Pick<EvmLog, 'topics'>): TransferrerEvent | undefined {
  const [topic, first, second] = topics;
  try {
    switch (topic) {
      case TRANSFERRER_TOPICS.tokensSent:
      case TRANSFERRER_TOPICS.tokensAndCallSent:
        if (first === undefined || second === undefined || topics.length > 3) return undefined;
        return { kind: 'sent', messageId: first, sender: addressOfWord(second.slice(2)) };
      case TRANSFERRER_TOPICS.tokensRouted:
      case TRANSFERRER_TOPICS.tokensAndCallRouted:
        return first === undefined || topics.length > 2 ? undefined : { kind: 'routed', messageId: first };
      case TRANSFERRER_TOPICS.callSucceeded:
      case TRANSFERRER_TOPICS.callFailed: {
        if (first === undefined || topics.length > 2) return undefined;
        const isSuccess = topic === TRANSFERRER_TOPICS.callSucceeded;
        return { kind: 'called', recipientContract: addressOfWord(first.slice(2)), isSuccess };
      }
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof AbiError) return undefined;
    throw error;
  }
}
