import { PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import type { PeerNetwork } from '../../../avalanche/p2p/network/peer-network.js';
import type {
  CanonicalValidator,
  CanonicalValidatorSet,
} from '../../../avalanche/warp/canonical-validator-set.js';
import type { ValidatorSetAtHeight } from '../../../platform/networks/network.js';

/** Validators of L1s that stay connected after a request, so that the next one is fast; those of the primary network always do. */
const MAX_L1_VALIDATORS = 4_000;
/** The same for sets that callers ask by an earlier height. */
const MAX_FORMER_VALIDATORS = 4_000;

/** The usual quorum, with some to spare and a tenth that is not there. */
const NEEDED_PERCENTAGE = 92n;

interface TrackedSet extends ValidatorSetAtHeight {
  /** How many there are. */
  readonly nodes: number;
  readonly release: () => void;
}

/** Which validators a process keeps connected: of each subnet those of its latest set, and for a while those of earlier ones. */
export class TrackedSubnets {
  /** By subnet id, the one that was wanted last at the end. */
  private readonly latest = new Map<string, TrackedSet>();
  /** The same of sets before these, one of each subnet: a caller may name any height, and must not disconnect the present set. */
  private readonly former = new Map<string, TrackedSet>();

  constructor(private readonly peers: Pick<PeerNetwork, 'track' | 'setStaked'>) {}

  has(subnetId: string): boolean {
    return this.latest.has(subnetId);
  }

  setOf(subnetId: string): CanonicalValidatorSet | undefined {
    return this.latest.get(subnetId)?.set;
  }

  /** The latest sets, the one that was wanted last first. */
  all(): ValidatorSetAtHeight[] {
    return [...this.latest.values()].reverse();
  }

  want(at: ValidatorSetAtHeight): void {
    const latest = this.latest.get(at.subnetId);
    if (latest !== undefined && at.pChainHeight < latest.pChainHeight) {
      this.keep(this.latest, latest);
      if (!haveSameNodes(latest.set, at.set)) this.keep(this.former, at);
      releaseOldest(this.former, MAX_FORMER_VALIDATORS, at.subnetId);
      return;
    }
    this.keep(this.latest, at);
    if (at.subnetId === PRIMARY_NETWORK_ID) {
      this.peers.setStaked(at.set.validators.flatMap(({ nodeIds }) => nodeIds));
    }
    releaseOldest(this.latest, MAX_L1_VALIDATORS, at.subnetId, PRIMARY_NETWORK_ID);
  }

  close(): void {
    for (const sets of [this.latest, this.former]) {
      for (const { release } of sets.values()) release();
      sets.clear();
    }
  }

  private keep(sets: Map<string, TrackedSet>, at: ValidatorSetAtHeight): void {
    const { subnetId, set } = at;
    const earlier = sets.get(subnetId);
    sets.delete(subnetId);
    if (earlier !== undefined && haveSameNodes(earlier.set, set)) {
      sets.set(subnetId, { ...earlier, ...at });
      return;
    }
    const byWeight = heaviestFirst(set.validators);
    const nodeIds = byWeight.flatMap((validator) => validator.nodeIds);
    const release = this.peers.track(nodeIds, countNeeded(byWeight, set.totalWeight));
    sets.set(subnetId, { subnetId, pChainHeight: at.pChainHeight, set, nodes: nodeIds.length, release });
    earlier?.release();
  }
}

/** `kept`: the validators of the primary network stay, since they alone report the addresses of all L1s' validators. */
function releaseOldest(sets: Map<string, TrackedSet>, max: number, newest: string, kept?: string): void {
  const counted = [...sets].filter(([subnetId]) => subnetId !== kept);
  let total = counted.reduce((sum, [, { nodes }]) => sum + nodes, 0);
  for (const [subnetId, { nodes, release }] of counted) {
    if (total <= max || subnetId === newest) return;
    sets.delete(subnetId);
    release();
    total -= nodes;
  }
}

/** The digest covers keys and weights; a validator may have moved to another node with both. */
function haveSameNodes(a: CanonicalValidatorSet, b: CanonicalValidatorSet): boolean {
  if (a === b) return true;
  const nodesOf = ({ validators }: CanonicalValidatorSet): string =>
    validators.map(({ nodeIds }) => nodeIds.join()).join(';');
  return a.digest === b.digest && nodesOf(a) === nodesOf(b);
}

function heaviestFirst(validators: readonly CanonicalValidator[]): CanonicalValidator[] {
  return validators.toSorted((a, b) => (a.weight === b.weight ? 0 : a.weight > b.weight ? -1 : 1));
}

/** Nodes of the heaviest validators that hold so much of the weight that what most requests need is among them. */
function countNeeded(byWeight: readonly CanonicalValidator[], totalWeight: bigint): number {
  let weight = 0n;
  let nodes = 0;
  for (const validator of byWeight) {
    if (weight * 100n >= totalWeight * NEEDED_PERCENTAGE) break;
    weight += validator.weight;
    nodes += validator.nodeIds.length;
  }
  return nodes;
}
