export interface AppRequest {
  nodeId: string;
  /** Blockchain id, 32 bytes; the P-chain's is all zero. */
  chainId: Uint8Array;
  /** Handler prefix and body. */
  appBytes: Uint8Array;
  /** From sending to answer; nodes get the same and cut it to 10 s themselves. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Nodes that can be asked things. One implementation speaks to real nodes, another one is a test's. */
export interface AppRequestNetwork {
  isConnected(nodeId: string): boolean;

  /**
   * Keeps these nodes connected, as far as their addresses are known, until the returned function is called. The most important come
   * first: they are connected first.
   */
  track(nodeIds: readonly string[]): () => void;

  /** Calls the listener with every node that becomes able to answer, until the returned function is called. */
  onConnected(listener: (nodeId: string) => void): () => void;

  /** Settles once: with the body of the answer (untrusted bytes), or with a PeerRequestError. */
  appRequest(request: AppRequest): Promise<Uint8Array>;

  /** One short phrase for people: `connected`, `no address`, `refused`, `handshake failed: …`, `benched: …` and so on. */
  connectionState(nodeId: string): string;
}
