import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { versionText } from '../../../indexes/p-chain/observations/look.js';
import type { CanonicalValidatorSet } from '../../../avalanche/warp/canonical-validator-set.js';
import type { Network, ValidatorSetAtHeight } from '../../../platform/networks/network.js';
import { P_CHAIN_ID } from '../delivery/receiving-chains.js';
import type { ObservedAnswer } from '../../../avalanche/signature-aggregation/collection-request.js';
import type { ClaimedSignature } from '../../../avalanche/signature-aggregation/bisect.js';
import type { NetworkPeers } from '../peers/network-peers.js';
import { PeerConnections } from '../peers/peer-connections.js';
import type { ProvedSignatures } from '../store/signature-keeper.js';
import { type CollectedOutcome, ObservedCollection } from './observed-collection.js';
import {
  type SignerConnection,
  type SignerName,
  SignerObservationRepository,
} from './signer-observation.repository.js';

const WRITE_MS = 5_000;
/** An hour. */
const WRITES_BETWEEN_REMOVALS = 720;
/** Validators with outcomes that wait to be written; while Postgres is away, those beyond are not recorded. */
const MAX_WAITING = 20_000;
const MAX_TEXT = 200;

type Waiting = SignerName & Omit<CollectedOutcome, 'nodeId'>;

export interface CollectionObserver {
  note(answer: ObservedAnswer): void;
  signed(indexes: Iterable<number>): void;
  end(): void;
  /** Of signatures that were proved after the end. */
  proved(signatures: ProvedSignatures): void;
}

/** Records every few seconds which validators this process is connected to, and what they answered, for every process to read. */
@Injectable()
export class SignerObserver implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SignerObserver.name);
  /** By network, and there by subnet and node. */
  private readonly waiting = new Map<string, Map<string, Waiting>>();
  /** By network: who was connected at the last writing. */
  private readonly connected = new Map<string, ReadonlySet<string>>();
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private writes = 0;
  private isStopped = false;

  constructor(
    private readonly connections: PeerConnections,
    private readonly repository: SignerObservationRepository,
  ) {}

  onApplicationBootstrap(): void {
    if (this.connections.collects) this.writeLater();
  }

  /** While there still are connections to Postgres. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.writing;
    for (const network of this.waiting.keys()) await this.unlessAway(() => this.writeOutcomes(network));
  }

  begin(network: Network, sourceBlockchainId: string, at: ValidatorSetAtHeight): CollectionObserver {
    const collection = new ObservedCollection(at.set);
    const keep = (outcomes: readonly CollectedOutcome[]): void =>
      void this.unlessAway(() => this.keepMeaningful(network, sourceBlockchainId, at, outcomes));
    return {
      note: (answer) => collection.note(answer),
      signed: (indexes) => collection.signed(indexes),
      end: () => keep(collection.outcomes()),
      proved: ({ valid, invalid }) => {
        const atMs = performance.now();
        keep([
          ...signersOf(at.set, valid).map(({ nodeId }) => ({ nodeId, signedAtMs: atMs })),
          ...signersOf(at.set, invalid).map(({ nodeId }) => ({ nodeId, wrongKeyAtMs: atMs })),
        ]);
      },
    };
  }

  /**
   * A caller chooses the chain, the subnet and the height. Nothing speaks against validators that need not run the chain, and nothing
   * is learned of a key that is not theirs any more.
   */
  private async keepMeaningful(
    network: Network,
    sourceBlockchainId: string,
    { subnetId, set }: ValidatorSetAtHeight,
    outcomes: readonly CollectedOutcome[],
  ): Promise<void> {
    const [sourceSubnetId, latest] = await Promise.all([
      network.getSubnetOf(sourceBlockchainId),
      network.getValidatorSet({ subnetId, pChainHeight: 0n }),
    ]);
    const runTheChain = sourceBlockchainId === P_CHAIN_ID || sourceSubnetId === subnetId;
    const hasKeptKey = keptKeys(set, latest.set);
    for (const { nodeId, ...outcome } of outcomes) {
      const isMeaningful = runTheChain || outcome.signedAtMs !== undefined;
      if (isMeaningful && hasKeptKey(nodeId)) {
        this.keep(network.name, Object.assign({ subnetId, nodeId }, outcome));
      }
    }
  }

  private keep(network: string, outcome: Waiting): void {
    const waiting = this.waiting.get(network) ?? new Map<string, Waiting>();
    this.waiting.set(network, waiting);
    const key = keyOf(outcome);
    if (waiting.size < MAX_WAITING || waiting.has(key)) {
      waiting.set(key, Object.assign({}, waiting.get(key), outcome));
    }
  }

  private writeLater(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.writing = this.write().finally(() => this.writeLater());
    }, WRITE_MS).unref();
  }

  private async write(): Promise<void> {
    this.writes += 1;
    for (const [network, peers] of this.connections.open) {
      await this.unlessAway(async () => {
        await this.writeConnections(network, peers);
        await this.writeOutcomes(network);
        if (this.writes % WRITES_BETWEEN_REMOVALS === 0) await this.repository.removeOld(network);
      });
    }
  }

  /** No aggregation may depend on being observed. */
  private async unlessAway(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.logger.debug(`what validators answered is not recorded: ${String(error)}`);
    }
  }

  private async writeConnections(network: string, networkPeers: NetworkPeers): Promise<void> {
    const { peers } = networkPeers;
    const versions = new Map(
      peers.connectedPeers().map(({ nodeId, clientVersion }) => [nodeId, versionText(clientVersion)]),
    );
    const rows = networkPeers.sets().flatMap(({ subnetId, set }) =>
      set.validators.flatMap(({ nodeIds }) =>
        nodeIds.map((nodeId): SignerConnection => {
          const isConnected = versions.has(nodeId);
          return {
            subnetId,
            nodeId,
            isConnected,
            connection: isConnected ? 'connected' : peers.connectionState(nodeId).slice(0, MAX_TEXT),
            version: versions.get(nodeId) ?? null,
            addresses: peers.hostsOf(nodeId),
          };
        }),
      ),
    );
    const before = this.connected.get(network) ?? new Set<string>();
    const lost = rows.filter((row) => !row.isConnected && before.has(keyOf(row)));
    await this.repository.saveConnections(network, rows, { isLost: false });
    await this.repository.saveConnections(network, lost, { isLost: true });
    this.connected.set(network, new Set(rows.flatMap((row) => (row.isConnected ? [keyOf(row)] : []))));
  }

  /** An observation that could not be written is lost: newer ones follow. */
  private async writeOutcomes(network: string): Promise<void> {
    const rows = [...(this.waiting.get(network)?.values() ?? [])];
    this.waiting.delete(network);
    const nowMs = performance.now();
    const ago = (atMs: number | undefined): number | null => (atMs === undefined ? null : nowMs - atMs);
    await this.repository.saveOutcomes(
      network,
      rows.map(({ subnetId, nodeId, answeredAtMs, latencyMs, signedAtMs, wrongKeyAtMs, refusal }) => ({
        subnetId,
        nodeId,
        answeredAgoMs: ago(answeredAtMs),
        latencyMs: latencyMs ?? null,
        signedAgoMs: ago(signedAtMs),
        refusedAgoMs: ago(refusal?.atMs),
        refusal: refusal?.text.slice(0, MAX_TEXT) ?? null,
        isOwnRefusal: refusal?.isOwn ?? null,
        wrongKeyAgoMs: ago(wrongKeyAtMs),
      })),
    );
  }
}

/** Nodes that signed; not of keys that several share, for it is not known which of them did. */
export function signersOf(
  { validators }: CanonicalValidatorSet,
  claims: readonly ClaimedSignature[],
): { nodeId: string; publicKeyBytes: Uint8Array }[] {
  return claims.flatMap(({ index }) => {
    const validator = validators[index];
    if (validator?.nodeIds.length !== 1) return [];
    return validator.nodeIds.map((nodeId) => ({ nodeId, publicKeyBytes: validator.publicKeyBytes }));
  });
}

/** Whether a node of a set still has its key in the latest one. */
function keptKeys(set: CanonicalValidatorSet, latest: CanonicalValidatorSet): (nodeId: string) => boolean {
  if (set === latest) return () => true;
  const [before, now] = [keysOf(set), keysOf(latest)];
  return (nodeId) => {
    const [one, other] = [before.get(nodeId), now.get(nodeId)];
    return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
  };
}

function keysOf({ validators }: CanonicalValidatorSet): Map<string, Uint8Array> {
  return new Map(
    validators.flatMap(({ nodeIds, publicKeyBytes }) => nodeIds.map((nodeId) => [nodeId, publicKeyBytes])),
  );
}

function keyOf({ subnetId, nodeId }: SignerName): string {
  return `${subnetId} ${nodeId}`;
}
