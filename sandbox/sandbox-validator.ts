import { toHex } from '../src/avalanche/ids/hex.js';
import { type Behaviour, type BehaviourInput, parseBehaviour } from './behaviour.js';
import { type ChainBehaviour, type ChainBehaviourInput, parseChainBehaviour } from './chain-behaviour.js';
import type { NodeCounters, SimulatedNode } from './peer/simulated-node.js';
import type { ValidatorSigner } from './signer.js';
import type { World } from './world/world.js';

/** One simulated validator, as tests hold it. */
export class SandboxValidator {
  readonly nodeId: string;
  /** BLS key, 48 compressed bytes. */
  readonly publicKey: Uint8Array;
  private readonly world: World;

  constructor(
    readonly index: number,
    private readonly node: SimulatedNode,
    { world, signers }: { world: World; signers: ReadonlyMap<string, ValidatorSigner> },
  ) {
    const signer = signers.get(node.nodeId);
    if (signer === undefined) throw new RangeError('a validator without a signer');
    this.nodeId = node.nodeId;
    this.publicKey = signer.publicKey;
    this.world = world;
  }

  /** Where it takes connections: `host:port`. */
  get address(): string {
    return this.node.address;
  }

  get port(): number {
    return this.node.port;
  }

  /** On the primary network, at the tip; 0 when it is no validator. */
  get weight(): bigint {
    return this.world.currentPrimary().find(({ nodeId }) => nodeId === this.nodeId)?.weight ?? 0n;
  }

  /** On the L1, at the tip; 0 when it is no validator of it. */
  get l1Weight(): bigint {
    return this.world.currentL1().find(({ nodeId }) => nodeId === this.nodeId)?.weight ?? 0n;
  }

  get behaviour(): Behaviour {
    return this.node.behaviour;
  }

  get chainBehaviour(): ChainBehaviour {
    return this.node.chainBehaviour;
  }

  /** Whether the node announces its address: it takes connections and has an address. */
  get isListed(): boolean {
    return this.node.isListed;
  }

  get roundTripMs(): number {
    return this.node.roundTripMs;
  }

  /** Node ids of the clients that are connected to it and have greeted it. */
  get clients(): readonly string[] {
    return this.node.readyClients;
  }

  /** App requests it was asked since the start, answered or not. */
  get requests(): number {
    return this.node.counters.appRequests;
  }

  get counters(): Readonly<NodeCounters> {
    return this.node.counters;
  }

  /** From now on it behaves so. Only opening a closed port again takes a moment. Throws ZodError. */
  setBehaviour(behaviour: BehaviourInput): void {
    this.node.setBehaviour(parseBehaviour(behaviour));
  }

  /** From now on it serves its chains so. Throws ZodError. */
  setChainBehaviour(behaviour: ChainBehaviourInput): void {
    this.node.setChainBehaviour(parseChainBehaviour(behaviour));
  }

  describe() {
    return {
      index: this.index,
      nodeId: this.nodeId,
      publicKey: `0x${toHex(this.publicKey)}`,
      address: this.address,
      weight: String(this.weight),
      l1Weight: String(this.l1Weight),
      behaviour: this.behaviour,
      chainBehaviour: this.chainBehaviour,
      roundTripMs: this.roundTripMs,
      isListed: this.isListed,
      clients: this.clients.length,
      counters: { ...this.counters },
    };
  }
}
