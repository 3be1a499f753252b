import type { ChainAnswers, ChainQuestion } from '../messages/chain-question.js';

export interface ChainRequest {
  nodeId: string;
  /** Blockchain id, 32 bytes; the P-chain's is all zero. */
  chainId: Uint8Array;
  /** From sending to answer; it goes out with the request, and nodes cut it to 10 s themselves. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Nodes that can be asked for the containers of their chains. One implementation speaks to real nodes, another one is a test's. */
export interface ChainNetwork {
  /** The nodes that can be asked now. */
  connectedPeers(): readonly { readonly nodeId: string }[];

  /** Settles once: with the answer, whose bytes are untrusted, or with a PeerRequestError. */
  ask<Question extends ChainQuestion>(
    question: Question,
    request: ChainRequest,
  ): Promise<ChainAnswers[Question['kind']]>;
}
