import { BoundedMap } from '../../../avalanche/bounded-map.js';
import type { Logger } from '../../../avalanche/logger.js';
import { parsePeer, parsePeerAddress, type PeerAddress } from '../../../avalanche/p2p/network/address.js';
import { bootstrappersOf } from '../../../avalanche/p2p/network/bootstrappers.js';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import type { PeerInfo } from '../../../avalanche/rpc/info-client.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import type { Network } from '../../../platform/networks/network.js';

/** How often the node is asked where its peers are. */
export interface AddressLimits {
  /** Between two calls at least. */
  addressIntervalMs: number;
  /** How long a node is not asked about again after the first, second, … time; the last counts for all further ones. */
  addressPausesMs: readonly number[];
}

export const DEFAULT_ADDRESS_LIMITS: AddressLimits = {
  addressIntervalMs: 5_000,
  addressPausesMs: [5_000, 15_000, 60_000, 300_000],
};

/** Validators remembered as asked about; more are missing on no network. */
const MAX_ASKED = 20_000;

interface Asked {
  times: number;
  nextAtMs: number;
}

/**
 * Where a network's validators are, as its node and the operator report. On a large network some are always missing: the node is
 * asked about them alone, and less and less often, for all that its connected peers report in the meantime is free.
 */
export class PeerAddresses {
  private readonly asked = new BoundedMap<string, Asked>(MAX_ASKED);
  private lastAskedAtMs = -Infinity;
  private isAsking = false;
  private releaseBootstrappers: (() => void) | undefined;

  constructor(
    private readonly network: Network,
    private readonly peers: PeerNetwork,
    private readonly logger: Logger,
    private readonly limits: AddressLimits,
  ) {}

  /** `told`: all peers of the node, or why it does not report them. */
  begin(told: readonly PeerInfo[] | RpcError, networkId: number): void {
    if (told instanceof RpcError) this.beginWithoutNode(told, networkId);
    else this.take(told);
    if (this.network.hasNode) void this.askForNode();
  }

  /** Asks about those validators that cannot be connected without a new address, when it is time to. Never rejects. */
  async refresh(nodeIds: Iterable<string>): Promise<readonly PeerInfo[]> {
    const nowMs = performance.now();
    if (
      !this.network.hasNode ||
      this.isAsking ||
      nowMs - this.lastAskedAtMs < this.limits.addressIntervalMs
    ) {
      return [];
    }
    const wanted = [...nodeIds].filter((nodeId) => this.isDue(nodeId, nowMs));
    if (wanted.length === 0) return [];
    this.isAsking = true;
    this.lastAskedAtMs = nowMs;
    try {
      const told = await this.network.info.peers({ nodeIds: wanted });
      this.take(told);
      return told;
    } catch (error) {
      this.logger.warn(`addresses of ${this.network.name}'s peers not refreshed: ${String(error)}`);
      return [];
    } finally {
      this.isAsking = false;
      wanted.forEach((nodeId) => this.noteAsked(nodeId));
    }
  }

  private isDue(nodeId: string, nowMs: number): boolean {
    return this.peers.lacksAddress(nodeId) && nowMs >= (this.asked.get(nodeId)?.nextAtMs ?? -Infinity);
  }

  private noteAsked(nodeId: string): void {
    const { addressPausesMs } = this.limits;
    const { times } = this.asked.get(nodeId) ?? { times: 0 };
    const pauseMs = addressPausesMs[Math.min(times, addressPausesMs.length - 1)] ?? Infinity;
    this.asked.set(nodeId, { times: times + 1, nextAtMs: performance.now() + pauseMs });
  }

  private take(told: readonly PeerInfo[]): void {
    this.releaseBootstrappers?.();
    this.releaseBootstrappers = undefined;
    const addresses = told.flatMap(({ nodeId, publicIp }) => parsePeerAddress(nodeId, publicIp));
    this.setAddresses(addresses);
  }

  /** Later ones win: what the operator wrote down is meant, also where it is private. */
  private setAddresses(addresses: readonly PeerAddress[]): void {
    const configured = this.network.config.peers
      .flatMap(parsePeer)
      .map((address) => ({ ...address, isPrivateAllowed: true }));
    this.peers.setAddresses([...addresses, ...configured]);
  }

  /** A few addresses are enough to begin with: connected peers report others. */
  private beginWithoutNode(error: RpcError, networkId: number): void {
    const builtIn = bootstrappersOf(networkId);
    const bootstrappers = builtIn.length > 0 ? builtIn : this.network.config.peers.flatMap(parsePeer);
    this.logger.log(
      `${this.network.name}: no node names its peers (${error.reason}), ` +
        `beginning with ${bootstrappers.length} bootstrappers and listed peers`,
    );
    this.setAddresses(bootstrappers);
    this.releaseBootstrappers = this.peers.track(bootstrappers.map(({ nodeId }) => nodeId));
  }

  /** A node does not list itself among its peers. Public endpoints keep these two calls off, which is no loss. */
  private async askForNode(): Promise<void> {
    const { info } = this.network;
    try {
      const [{ nodeId }, ip] = await Promise.all([info.getNodeId(), info.getNodeIp()]);
      this.setAddresses(parsePeerAddress(nodeId, ip));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }
}
