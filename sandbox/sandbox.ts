import { greatest } from '../src/avalanche/bigints.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toHex } from '../src/avalanche/ids/hex.js';
import { idToString, PRIMARY_NETWORK_ID } from '../src/avalanche/ids/id.js';
import { describeEvmChain } from './evm-chains/describe.js';
import type { ServedEvmChain } from './evm-chains/served-evm-chain.js';
import { EvmChainBehaviourSchema, type EvmChainBehaviourInput } from './evm-chains/misconduct.js';
import { makeControlApi } from './control-api.js';
import { makeHealthRoute } from './health-route.js';
import { SandboxHttpServer } from './http-server.js';
import type { NodeBehaviourInput } from './node-behaviour.js';
import { NodeFront } from './node-front.js';
import { type FullSandboxOptions, type SandboxOptions, withDefaults } from './options.js';
import { PChainBehaviourSchema, type PChainBehaviourInput } from './p-chain/misconduct.js';
import type { SimulatedNode } from './peer/simulated-node.js';
import { makeEndpoints } from './rpc/services.js';
import { SandboxValidator } from './sandbox-validator.js';
import { onTheInternet } from './internet.js';
import { type Examples, makeExamples } from './world/examples.js';
import { makeNodes, makeStakedChain, type Nodes } from './world/make-nodes.js';
import { XChainBehaviourSchema, type XChainBehaviourInput } from './x-chain/misconduct.js';
import { formatVersion, type Version } from './world/versions.js';
import type { ValidatorChange, World } from './world/world.js';

export type { EvmChainBehaviourInput } from './evm-chains/misconduct.js';
export type { NodeBehaviourInput } from './node-behaviour.js';
export { DEFAULT_SEED, SANDBOX_NETWORK_ID } from './options.js';
export type { SandboxOptions } from './options.js';
export type { PChainBehaviourInput } from './p-chain/misconduct.js';
export type { XChainBehaviourInput } from './x-chain/misconduct.js';
export type { SandboxValidator } from './sandbox-validator.js';

/** A running sandbox: simulated validators, and a simulated node that knows them. */
export class Sandbox {
  readonly networkId: number;
  /** Ids as text. */
  readonly cChainId: string;
  readonly xChainId: string;
  readonly l1ChainId: string;
  readonly l1SubnetId: string;
  readonly validators: readonly SandboxValidator[];
  private readonly world: World;
  private readonly front: NodeFront;
  private readonly http: SandboxHttpServer;
  private readonly boundTo: string;
  /** Underneath those of any behaviour. */
  private readonly startAnswers: NodeBehaviourInput['answers'];
  private httpPort = 0;

  private constructor(
    private readonly nodes: Nodes,
    options: SandboxOptions,
  ) {
    const { world } = nodes;
    this.world = world;
    this.networkId = world.networkId;
    this.cChainId = idToString(world.cChainId);
    this.xChainId = idToString(world.xChainId);
    this.l1ChainId = idToString(world.l1.blockchainId);
    this.l1SubnetId = world.subnetId;
    this.validators = nodes.validators.map((node, index) => new SandboxValidator(index, node, nodes));
    this.boundTo = options.host ?? '127.0.0.1';
    this.front = new NodeFront(world.clock);
    this.startAnswers = options.node?.answers;
    this.front.setBehaviour(options.node ?? {});
    const routes = [makeControlApi(this), makeHealthRoute(this.validators)];
    this.http = new SandboxHttpServer({
      host: this.boundTo,
      port: options.httpPort ?? 0,
      nodeId: this.nodeId,
      endpoints: makeEndpoints(nodes),
      front: this.front,
      plain: (request) => routes.map((route) => route(request)).find((answer) => answer !== undefined),
    });
  }

  /** Throws RangeError for options that no network could have; the system's error when a port is taken. */
  static async start(given: SandboxOptions): Promise<Sandbox> {
    const options = given.internet === true ? onTheInternet(given) : given;
    const nodes = await makeNodes(await withStakedChain(withDefaults(options), options.staked));
    const sandbox = new Sandbox(nodes, options);
    try {
      await Promise.all(sandbox.allNodes().map((node) => node.start()));
      if (options.prepared ?? options.internet === true) await sandbox.prepare();
      sandbox.httpPort = await sandbox.http.listen();
      return sandbox;
    } catch (error) {
      await Promise.all(sandbox.allNodes().map((node) => node.stop()));
      throw error;
    }
  }

  /** Base URL of the simulated node. */
  get url(): string {
    return `http://${this.host}`;
  }

  /** Of the same, with the port. */
  get host(): string {
    return `${this.boundTo === '0.0.0.0' ? '127.0.0.1' : this.boundTo}:${this.httpPort}`;
  }

  /** Of the node that serves JSON-RPC; it is a peer too, and no validator. */
  get nodeId(): string {
    return this.nodes.apiNode.nodeId;
  }

  /** Blockchains whose messages the validators sign, beside the P-chain. */
  get sourceBlockchainIds(): { readonly cChainId: string; readonly l1ChainId: string } {
    return { cChainId: this.cChainId, l1ChainId: this.l1ChainId };
  }

  get height(): bigint {
    return this.world.clock.height;
  }

  get proposedHeight(): bigint {
    return this.world.clock.proposedHeight;
  }

  /** How the node serves the blocks of the P-chain. Throws RangeError when it has none. */
  setPChainBehaviour(behaviour: PChainBehaviourInput): void {
    if (this.nodes.pChain === null) throw new RangeError('this sandbox has no P-chain blocks');
    this.nodes.pChain.behaviour = PChainBehaviourSchema.parse(behaviour);
  }

  /** How the node serves its C-chain. Throws RangeError when it has none. */
  setCChainBehaviour(behaviour: EvmChainBehaviourInput): void {
    this.cChain.behaviour = EvmChainBehaviourSchema.parse(behaviour);
  }

  /** Its blocks and contracts, which can be replaced. Throws RangeError when it has none. */
  get cChain(): ServedEvmChain {
    const served = this.nodes.evmChains.get(this.cChainId);
    if (served === undefined) throw new RangeError('this sandbox has no C-chain blocks');
    return served;
  }

  /** Of the C-chain's JSON-RPC. */
  get cChainUrl(): string {
    return `${this.url}/ext/bc/C/rpc`;
  }

  /** How the node serves its X-chain. Throws RangeError when it has none. */
  setXChainBehaviour(behaviour: XChainBehaviourInput): void {
    if (this.nodes.xChain === null) throw new RangeError('this sandbox has no X-chain blocks');
    this.nodes.xChain.behaviour = XChainBehaviourSchema.parse(behaviour);
  }

  /**
   * How the node's JSON-RPC answers from now on: slowly, within a limit, with gaps, from several nodes. The `answers` that it was
   * started with remain, as far as these are of other methods. Throws ZodError.
   */
  setNodeBehaviour(behaviour: NodeBehaviourInput): void {
    this.front.setBehaviour({ ...behaviour, answers: { ...this.startAnswers, ...behaviour.answers } });
  }

  /** JSON-RPC calls to the node since the start, answered or not, by method, e.g. `info.peers`. */
  get calls(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.front.calls);
  }

  /** Requests that held several calls, since the start. */
  get batches(): number {
    return this.front.batches;
  }

  /** Requests of JSON-RPC that it was answering at the same time, at most. */
  get mostRequestsAtOnce(): number {
    return this.front.mostAtOnce;
  }

  /** The version of the nodes, and the lowest version that they accept. */
  get versions(): { readonly node: string; readonly floor: string } {
    const { node, floor } = this.world.versions;
    return { node: formatVersion(node), floor: formatVersion(floor) };
  }

  /**
   * As when the network is upgraded: the nodes run and claim that version, and put up with none below the floor. Clients that
   * claim less are disconnected at once, by real nodes with the next ping.
   */
  setVersions({
    node,
    floor,
  }: {
    readonly node?: Version | undefined;
    readonly floor?: Version | undefined;
  }): void {
    const { versions } = this.world;
    if (node !== undefined) versions.node = { ...versions.node, ...node };
    if (floor === undefined) return;
    versions.floor = floor;
    for (const each of this.allNodes()) each.checkVersions();
  }

  /**
   * Share of the primary network's weight, from 0 to 1, whose validators have greeted a client: of the client that has most, as
   * clients know nothing of each other's connections.
   */
  get connectedStakeShare(): number {
    const weights = new Map(this.world.currentPrimary().map(({ nodeId, weight }) => [nodeId, weight]));
    const connected = new Map<string, bigint>();
    for (const { nodeId, clients } of this.validators) {
      for (const client of clients) {
        connected.set(client, (connected.get(client) ?? 0n) + (weights.get(nodeId) ?? 0n));
      }
    }
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0n);
    const most = greatest(0n, ...connected.values());
    return total === 0n ? 0 : Number(most) / Number(total);
  }

  /** Messages, as hex, that the validators sign; a label makes different ones of the EVM chains'. */
  examples(label?: string | number): Examples {
    return makeExamples(this.world, label);
  }

  /** Accepts that many P-chain blocks at once. */
  advance(blocks: number): void {
    this.world.clock.advance(blocks);
  }

  /**
   * Begins the next epoch of all blockchains (ACP-181), with today's proposed height; the first began with the sandbox, and none
   * ends by itself. @returns that height
   */
  beginEpoch(): bigint {
    return this.world.epochs.begin().pChainHeight;
  }

  /** The P-chain height that EVM chains verify with. */
  get epochHeight(): bigint {
    return this.world.epochs.current.pChainHeight;
  }

  /**
   * Replaces the validators of the primary network or of the L1. Heights before keep theirs; enough blocks follow for the proposed height to
   * see the change at once. On the L1 a changed weight raises the nonce, and newcomers are registered.
   * @returns the first height with the new set
   * Throws RangeError.
   */
  setValidators(subnetId: string, validators: readonly ValidatorChange[]): bigint {
    return this.world.setValidators(subnetId, validators);
  }

  /** Changes one validator's weight on the primary network. Throws RangeError. */
  setWeight(index: number, weight: bigint): bigint {
    const changed = this.validators[index];
    if (changed === undefined) throw new RangeError(`no validator ${index}`);
    const validators = this.world.currentPrimary().map((entry) => ({
      nodeId: entry.nodeId,
      weight: entry.nodeId === changed.nodeId ? weight : entry.weight,
    }));
    return this.setValidators(PRIMARY_NETWORK_ID, validators);
  }

  /** All there is to know, as plain JSON; `GET /sandbox` answers with it. */
  describe() {
    const { world, nodes } = this;
    const { l1 } = world;
    const cChain = nodes.evmChains.get(this.cChainId);
    return {
      sandbox: 'simulated validators: they sign any well-formed message, nothing here has any value',
      networkId: this.networkId,
      nodeId: this.nodeId,
      url: this.url,
      height: String(this.height),
      proposedHeight: String(this.proposedHeight),
      epochHeight: String(this.epochHeight),
      versions: this.versions,
      nodeBehaviour: this.front.behaviour,
      ...this.observe(),
      pChain: nodes.pChain && {
        lastRecordedBlock: String(nodes.pChain.recorded.tip.height),
        behaviour: nodes.pChain.behaviour,
      },
      cChain: cChain === undefined ? null : describeEvmChain(cChain),
      evmChains: [...nodes.evmChains.values()].map(describeEvmChain),
      xChain: nodes.xChain && {
        lastRecordedBlock: String(nodes.xChain.recorded.height),
        behaviour: nodes.xChain.behaviour,
      },
      primaryNetworkId: PRIMARY_NETWORK_ID,
      cChainId: this.cChainId,
      xChainId: this.xChainId,
      l1: {
        subnetId: this.l1SubnetId,
        blockchainId: this.l1ChainId,
        conversionId: idToString(l1.conversionId),
        managerAddress: `0x${toHex(l1.managerAddress)}`,
        validations: world.currentL1().map(({ validationId, nodeId, weight, balance, minNonce }) => ({
          validationId: idToString(validationId),
          nodeId,
          weight: String(weight),
          balance: String(balance),
          minNonce: String(minNonce),
        })),
      },
      transactions: Object.fromEntries([...nodes.transactions.all()].map(([name, { txId }]) => [name, txId])),
      xChainTransaction: nodes.transactions.ofXChain.txId,
      examples: this.examples(),
      validators: this.validators.map((validator) => validator.describe()),
    };
  }

  /** Values that change by themselves; `GET /sandbox/observations` answers with them and is cheap to poll. */
  observe() {
    return { connectedStakeShare: this.connectedStakeShare, calls: this.calls };
  }

  /** Closes every port and connection. */
  async stop(): Promise<void> {
    await Promise.all([this.http.close(), ...this.allNodes().map((node) => node.stop())]);
  }

  /** Work that real validators spread over many machines must not count as the client's time. */
  private async prepare(): Promise<void> {
    for (const node of this.allNodes()) {
      node.prepare();
      await nextTurn();
    }
    for (const signer of this.nodes.signers.values()) {
      signer.proofOfPossession();
      await nextTurn();
    }
  }

  private allNodes(): SimulatedNode[] {
    return [...this.nodes.validators, this.nodes.apiNode];
  }
}

async function withStakedChain(
  options: FullSandboxOptions,
  staked: SandboxOptions['staked'],
): Promise<FullSandboxOptions> {
  if (staked === undefined) return options;
  const { validators, seed, networkId } = options;
  const recording = await makeStakedChain(validators, { seed, networkId, lastTime: staked.lastTime });
  const baseHeight = BigInt(recording.blocks.length - 1);
  return { ...options, recording, baseHeight, blockIntervalMs: 0 };
}

/** Starts simulated validators and a simulated node that lists them. Everything listens on loopback unless configured otherwise. */
export function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return Sandbox.start(options);
}
