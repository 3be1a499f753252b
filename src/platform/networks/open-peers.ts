import { Injectable } from '@nestjs/common';
import type { PeerNetwork } from '../../avalanche/p2p/network/peer-network.js';

/**
 * The peers that this process is connected to, by network: nodes keep one connection per identity, so those who keep them share
 * them with those who read chains.
 */
@Injectable()
export class OpenPeers {
  private readonly networks = new Map<string, PeerNetwork>();

  set(network: string, peers: PeerNetwork): void {
    this.networks.set(network, peers);
  }

  /** Undefined before they are open, and in a process that has none. */
  of(network: string): PeerNetwork | undefined {
    return this.networks.get(network);
  }
}
