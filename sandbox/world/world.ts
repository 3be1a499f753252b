import { toHex } from '../../src/avalanche/ids/hex.js';
import { EMPTY_ID, idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { deriveBytes } from '../derived-keys.js';
import type { L1Standing, RecordedPChain } from '../p-chain/recorded-p-chain.js';
import { Epochs } from './epochs.js';
import {
  L1,
  REGISTRATION_EXPIRY,
  withWeight,
  type L1Member,
  type L1Validation,
  type Registration,
} from './l1.js';
import { type PChainClock, PROPOSED_HEIGHT_LAG } from './p-chain-clock.js';
import { Versions } from './versions.js';
import { MAX_UINT64 } from '../../src/avalanche/codec/packer.js';

/** The node id under which the P-chain lists the weight of all L1 validators without balance. */
export const EMPTY_NODE_ID = 'NodeID-111111111111111111116DBWJs';

/** Heights of the sandbox's past, before its first own block. */
const HEIGHTS = {
  conversion: 10n,
  registration: 12n,
  weight: 14n,
  removal: 16n,
  secondRegistration: 17n,
  secondRemoval: 18n,
} as const;
export const FIRST_OWN_HEIGHT = 20n;

export interface PrimaryValidator {
  readonly nodeId: string;
  /** Null for a validator of the time before BLS keys: it counts and cannot sign. */
  readonly publicKey: Uint8Array | null;
  readonly weight: bigint;
}

export interface ValidatorAt {
  readonly nodeId: string;
  readonly publicKey: Uint8Array | null;
  readonly weight: bigint;
}

/** The P-chain's state from one height on. */
interface Snapshot {
  readonly height: bigint;
  readonly primary: readonly PrimaryValidator[];
  readonly l1: readonly L1Validation[];
  readonly l1NodeIds: ReadonlySet<string>;
}

/** Bytes. */
export interface ChainIds {
  readonly xChain: Uint8Array;
  readonly cChain: Uint8Array;
  /** Of the asset. */
  readonly avax: Uint8Array;
}

export interface WorldOptions {
  readonly seed: string;
  readonly networkId: number;
  readonly clock: PChainClock;
  /** Its L1s exist here, too. */
  readonly recorded?: RecordedPChain | undefined;
  /** Those that are left out follow from the seed. */
  readonly ids: Partial<ChainIds>;
  /** BLS keys of all nodes that may validate anything, by node id. */
  readonly keys: ReadonlyMap<string, Uint8Array>;
  readonly primary: readonly PrimaryValidator[];
  /** Validators that the conversion put in place, in its order, the one with `retiredNodeId` among them. */
  readonly founders: readonly L1Member[];
  readonly retiredNodeId: string;
  /** Joins after the conversion, by a registration, and then has its weight changed to this one. */
  readonly joiner: L1Member;
}

/** One change of a validator set, as `setValidators` takes it. */
export interface ValidatorChange {
  readonly nodeId: string;
  readonly weight: bigint;
  /** L1 only, nAVAX. */
  readonly balance?: bigint | undefined;
}

/** Heights, subnets, blockchains and validators: all that the simulated nodes know about the P-chain. */
export class World {
  readonly networkId: number;
  readonly clock: PChainClock;
  readonly epochs: Epochs;
  readonly versions = new Versions();
  readonly cChainId: Uint8Array;
  readonly xChainId: Uint8Array;
  readonly assetId: Uint8Array;
  readonly l1: L1;
  /** The past of the L1, for the transactions that made it. */
  readonly history: {
    joined: Registration;
    weightChanged: L1Validation;
    retired: L1Validation;
    /** The retired node, registered again and removed again. */
    returned: Registration;
  };
  private readonly recorded: RecordedPChain | undefined;
  private readonly snapshots: Snapshot[];
  private readonly usedValidationIds = new Set<string>();
  private readonly keys: ReadonlyMap<string, Uint8Array>;
  private readonly keyless: ReadonlySet<string>;
  private registrations = 0n;

  constructor(options: WorldOptions) {
    const { seed, primary } = options;
    this.networkId = options.networkId;
    this.clock = options.clock;
    this.epochs = new Epochs(options.clock);
    this.recorded = options.recorded;
    const { ids } = options;
    this.cChainId = ids.cChain ?? deriveBytes(seed, 'C-chain');
    this.xChainId = ids.xChain ?? deriveBytes(seed, 'X-chain');
    this.assetId = ids.avax ?? deriveBytes(seed, 'AVAX');
    this.keys = options.keys;
    this.keyless = new Set(primary.flatMap(({ nodeId, publicKey }) => (publicKey === null ? [nodeId] : [])));
    this.l1 = new L1({
      subnetId: deriveBytes(seed, 'L1 subnet'),
      blockchainId: deriveBytes(seed, 'L1 blockchain'),
      managerAddress: deriveBytes(seed, 'validator manager').slice(0, 20),
      founders: options.founders,
    });
    const { joiner } = options;
    const joined = this.register({ ...joiner, weight: joiner.weight + 1n });
    const weightChanged: L1Validation = { ...joined, weight: joiner.weight, minNonce: 1n };
    const retired = this.l1.founders.find(({ nodeId }) => nodeId === options.retiredNodeId);
    if (retired === undefined) throw new RangeError('the retired validator is no founder');
    const { nodeId, publicKey, weight, balance } = retired;
    const returned = this.register({ nodeId, publicKey, weight, balance });
    this.history = { joined, weightChanged, retired, returned };
    this.snapshots = this.makePast(primary);
    for (const { validationId } of [...this.l1.founders, joined, returned]) {
      this.usedValidationIds.add(toHex(validationId));
    }
  }

  get subnetId(): string {
    return idToString(this.l1.subnetId);
  }

  /** Validators as `getValidatorsAt` lists them; none for an unknown subnet or a height before its first validator. */
  validatorsAt(subnetId: string, height: bigint): ValidatorAt[] {
    const snapshot = this.snapshotAt(height);
    if (subnetId === PRIMARY_NETWORK_ID) return [...snapshot.primary];
    return subnetId === this.subnetId ? mergeInactive(snapshot.l1) : [];
  }

  /** The height at which the validators of this height last changed. */
  unchangedSince(height: bigint): bigint {
    return this.snapshotAt(height).height;
  }

  currentPrimary(): readonly PrimaryValidator[] {
    return this.snapshotAt(this.clock.height).primary;
  }

  currentL1(): readonly L1Validation[] {
    return this.snapshotAt(this.clock.height).l1;
  }

  validation(validationId: Uint8Array): L1Validation | undefined {
    const id = toHex(validationId);
    return this.currentL1().find((validation) => toHex(validation.validationId) === id);
  }

  /** Of a validation that goes on, simulated or recorded. */
  l1Standing(validationId: Uint8Array): L1Standing | undefined {
    return this.validation(validationId) ?? this.recorded?.l1Standing(idToString(validationId)) ?? undefined;
  }

  /** Whether a registration was redeemed once: then it cannot be again, whatever became of the validator. */
  wasRegistered(validationId: Uint8Array): boolean {
    const isRecorded = this.recorded?.l1Standing(idToString(validationId)) !== undefined;
    return isRecorded || this.usedValidationIds.has(toHex(validationId));
  }

  /** Of an L1, simulated or recorded; undefined for other subnets. Cb58. */
  conversionIdOf(subnetId: string): string | undefined {
    return subnetId === this.subnetId
      ? idToString(this.l1.conversionId)
      : this.recorded?.conversionIdOf(subnetId);
  }

  /** Whether this node validates the L1, hence runs its blockchain. */
  tracksL1(nodeId: string): boolean {
    return this.snapshotAt(this.clock.height).l1NodeIds.has(nodeId);
  }

  /** The subnet that validates a blockchain; undefined when there is no such blockchain. */
  subnetOf(blockchainId: string): string | undefined {
    if (blockchainId === idToString(this.l1.blockchainId)) return this.subnetId;
    const ofPrimaryNetwork = [EMPTY_ID, this.cChainId, this.xChainId].map(idToString);
    return ofPrimaryNetwork.includes(blockchainId) ? PRIMARY_NETWORK_ID : undefined;
  }

  /**
   * Replaces a validator set from the next block on, whose height it returns; earlier heights keep theirs. Enough blocks
   * follow for the proposed height to get there at once. Nodes must be of this sandbox.
   * Throws RangeError.
   */
  setValidators(subnetId: string, validators: readonly ValidatorChange[]): bigint {
    const isPrimary = subnetId === PRIMARY_NETWORK_ID;
    if (!isPrimary && subnetId !== this.subnetId) throw new RangeError('no such subnet in this sandbox');
    this.checkChanges(validators);
    const { primary, l1 } = this.snapshotAt(this.clock.height);
    const next = isPrimary
      ? { primary: validators.map((change) => this.primaryValidator(change)), l1 }
      : { primary, l1: this.changedL1(l1, validators) };
    this.clock.advance(1);
    const { height } = this.clock;
    this.snapshots.push(makeSnapshot(height, next.primary, next.l1));
    this.clock.advance(PROPOSED_HEIGHT_LAG);
    return height;
  }

  private makePast(primary: readonly PrimaryValidator[]): Snapshot[] {
    const { joined, weightChanged, retired, returned } = this.history;
    const { founders } = this.l1;
    const withJoined = [...founders, joined];
    const withNewWeight = withWeight(withJoined, joined.validationId, weightChanged.weight);
    const withoutRetired = withWeight(withNewWeight, retired.validationId, 0n);
    return [
      makeSnapshot(0n, primary, []),
      makeSnapshot(HEIGHTS.conversion, primary, founders),
      makeSnapshot(HEIGHTS.registration, primary, withJoined),
      makeSnapshot(HEIGHTS.weight, primary, withNewWeight),
      makeSnapshot(HEIGHTS.removal, primary, withoutRetired),
      makeSnapshot(HEIGHTS.secondRegistration, primary, [...withoutRetired, returned]),
      makeSnapshot(HEIGHTS.secondRemoval, primary, withoutRetired),
    ];
  }

  private snapshotAt(height: bigint): Snapshot {
    const snapshot = this.snapshots.findLast((candidate) => candidate.height <= height);
    if (snapshot === undefined) throw new RangeError('heights are not negative');
    return snapshot;
  }

  private register(member: L1Member) {
    return this.l1.register(member, REGISTRATION_EXPIRY + this.registrations++);
  }

  private primaryValidator({ nodeId, weight }: ValidatorChange): PrimaryValidator {
    return { nodeId, weight, publicKey: this.keyless.has(nodeId) ? null : (this.keys.get(nodeId) ?? null) };
  }

  private changedL1(current: readonly L1Validation[], changes: readonly ValidatorChange[]): L1Validation[] {
    return changes.map(({ nodeId, weight, balance }) => {
      const known = current.find((validation) => validation.nodeId === nodeId);
      const publicKey = this.keys.get(nodeId);
      if (known === undefined) {
        if (publicKey === undefined) throw new RangeError(`${nodeId} has no BLS key`);
        const joined = this.register({ nodeId, publicKey, weight, balance: balance ?? 1_000_000_000n });
        this.usedValidationIds.add(toHex(joined.validationId));
        return joined;
      }
      const minNonce = weight === known.weight ? known.minNonce : known.minNonce + 1n;
      return { ...known, weight, minNonce, balance: balance ?? known.balance };
    });
  }

  private checkChanges(changes: readonly ValidatorChange[]): void {
    const total = changes.reduce((sum, { weight }) => sum + weight, 0n);
    if (changes.some(({ weight }) => weight <= 0n) || total > MAX_UINT64) {
      throw new RangeError('weights are positive and sum up to at most 2^64-1');
    }
    if (new Set(changes.map(({ nodeId }) => nodeId)).size !== changes.length) {
      throw new RangeError('a node is named twice');
    }
    const stranger = changes.find(({ nodeId }) => !this.keys.has(nodeId));
    if (stranger !== undefined) throw new RangeError(`${stranger.nodeId} is no validator of this sandbox`);
  }
}

function makeSnapshot(
  height: bigint,
  primary: readonly PrimaryValidator[],
  l1: readonly L1Validation[],
): Snapshot {
  return { height, primary, l1, l1NodeIds: new Set(l1.map(({ nodeId }) => nodeId)) };
}

/** Those without balance count with their weight, but under no node id and without a key. */
function mergeInactive(validations: readonly L1Validation[]): ValidatorAt[] {
  const active = validations.filter(({ balance }) => balance > 0n);
  const inactiveWeight = validations
    .filter(({ balance }) => balance === 0n)
    .reduce((sum, { weight }) => sum + weight, 0n);
  const listed: ValidatorAt[] = active.map(({ nodeId, publicKey, weight }) => ({
    nodeId,
    publicKey,
    weight,
  }));
  return inactiveWeight === 0n
    ? listed
    : [...listed, { nodeId: EMPTY_NODE_ID, publicKey: null, weight: inactiveWeight }];
}
