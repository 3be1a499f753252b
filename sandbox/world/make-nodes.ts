import { setImmediate as nextTurn } from 'node:timers/promises';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../src/avalanche/ids/id.js';
import { nodeIdFromString, nodeIdToString } from '../../src/avalanche/ids/node-id.js';
import { type Id, PRIMARY_NETWORK } from '../../src/avalanche/platformvm/ids.js';
import type { AcceptedChain } from '../accepted-chain.js';
import { parseBehaviour } from '../behaviour.js';
import { parseChainBehaviour } from '../chain-behaviour.js';
import { ServedEvmChain } from '../evm-chains/served-evm-chain.js';
import { deriveBytes } from '../derived-keys.js';
import { PChainBlocks } from '../p-chain/p-chain-blocks.js';
import { RecordedPChain } from '../p-chain/recorded-p-chain.js';
import { ServedPChain } from '../p-chain/served-p-chain.js';
import type { AcceptedChains } from '../peer/chain-responder.js';
import { SimulatedNode } from '../peer/simulated-node.js';
import { stakedChain } from '../generated/staked-chain.js';
import type { EvmRecording } from '../recording/evm-recording.js';
import type { PChainRecording } from '../recording/p-chain-recording.js';
import type { XChainContent } from '../recording/x-chain-recording.js';
import type { FullSandboxOptions, SandboxValidatorOptions } from '../options.js';
import { SigningStock, type ValidatorSigner } from '../signer.js';
import type { L1Member } from './l1.js';
import { PChainClock } from './p-chain-clock.js';
import { Transactions } from './transactions.js';
import {
  deriveApiNode,
  deriveValidatorNode,
  type NodeIdentity,
  RETIRED_KEY_INDEX,
} from './validator-node.js';
import { type ChainIds, World } from './world.js';
import { RecordedXChain } from '../x-chain/recorded-x-chain.js';
import { ServedXChain } from '../x-chain/served-x-chain.js';

const DEFAULT_WEIGHT = 2_000_000_000_000_000n;
const DEFAULT_L1_WEIGHT = 100n;
/** 1 AVAX; as much as a month of fees on a real network takes. */
const DEFAULT_L1_BALANCE = 1_000_000_000n;

/** Farther than anything on Earth or in orbit around it. */
const MAX_ROUND_TRIP_MS = 10_000;

/** Making an identity takes milliseconds: the process may want to do something else in between. */
const IDENTITIES_PER_TURN = 8;

export interface Nodes {
  readonly world: World;
  /** Null: the P-chain has heights only. */
  readonly pChain: ServedPChain | null;
  /** Those that have blocks, by their blockchain ids in cb58. */
  readonly evmChains: ReadonlyMap<string, ServedEvmChain>;
  /** Null: the X-chain has no blocks. */
  readonly xChain: ServedXChain | null;
  readonly transactions: Transactions;
  /** BLS keys by node id, the retired validator's among them. */
  readonly signers: ReadonlyMap<string, ValidatorSigner>;
  readonly validators: readonly SimulatedNode[];
  readonly apiIdentity: NodeIdentity;
  readonly apiNode: SimulatedNode;
}

/** Derives everything of a sandbox from its options; nothing listens yet. Throws RangeError. */
export async function makeNodes(options: FullSandboxOptions): Promise<Nodes> {
  const keys = { seed: options.seed, stock: new SigningStock(options.seed) };
  const identities = await makeIdentities(options.validators, keys);
  const apiIdentity = deriveApiNode(keys);
  const retired = { nodeId: retiredNodeId(options.seed), signer: keys.stock.signerOf(RETIRED_KEY_INDEX) };
  const signers = new Map(
    [...identities, apiIdentity, retired].map(({ nodeId, signer }) => [nodeId, signer]),
  );
  const recorded = options.recording && (await RecordedPChain.load(options.recording));
  const world = makeWorld({ options, recorded, identities, retired });
  const pChain = recorded && serve(recorded, world);
  const xChain = options.xChainRecording && serveXChain(options.xChainRecording, world);
  const { host, publicIp, ancestorsPerAnswer } = options;
  const chains = acceptedChains({ world, pChain, xChain });
  const common = { world, host, publicIp, chains, ancestorsPerAnswer, gossip: () => validators };
  const validators = identities.map((identity, index) => {
    const {
      behaviour = 'honest',
      chainBehaviour = 'honest',
      roundTripMs = 0,
      address = 'public',
    } = options.validators[index] ?? {};
    return new SimulatedNode({
      ...common,
      identity,
      behaviour: parseBehaviour(behaviour),
      chainBehaviour: parseChainBehaviour(chainBehaviour),
      roundTripMs: parseRoundTrip(roundTripMs),
      address,
    });
  });
  const apiNode = new SimulatedNode({
    ...common,
    identity: apiIdentity,
    behaviour: { kind: 'honest' },
    chainBehaviour: { kind: 'honest' },
    roundTripMs: 0,
    address: 'none',
  });
  const transactions = new Transactions({ world, signers });
  const evmChains = serveEvmChains(options.evmRecordings, world);
  return {
    world,
    pChain,
    evmChains,
    xChain,
    transactions,
    signers,
    validators,
    apiIdentity,
    apiNode,
  };
}

function serve(recorded: RecordedPChain, { clock }: World): ServedPChain {
  const tip = (): bigint => clock.height;
  return new ServedPChain(recorded, new PChainBlocks(recorded, tip), tip);
}

/** Those that all nodes have, whatever the API node's JSON-RPC makes of them. */
function acceptedChains({
  world,
  pChain,
  xChain,
}: Pick<Nodes, 'world' | 'pChain' | 'xChain'>): AcceptedChains {
  const chains = new Map<Id, AcceptedChain>();
  if (pChain !== null) chains.set(PRIMARY_NETWORK, pChain);
  if (xChain !== null) chains.set(toHex(world.xChainId), xChain);
  return chains;
}

/**
 * Local networks have the same genesis and hence one C-chain; on another network the recorded one is not this node's, and neither
 * are those that were recorded beside it.
 */
function serveEvmChains(
  recordings: readonly EvmRecording[],
  { cChainId }: World,
): ReadonlyMap<string, ServedEvmChain> {
  const served = new Map(recordings.map((each) => [each.blockchainId, new ServedEvmChain(each)]));
  return served.has(idToString(cChainId)) ? served : new Map();
}

/** As for the C-chain. */
function serveXChain(recording: XChainContent, { xChainId }: World): ServedXChain | null {
  if (recording.blockchainIds.X !== idToString(xChainId)) return null;
  return new ServedXChain(new RecordedXChain(recording));
}

/** A P-chain that stakes the validators of these options. */
export async function makeStakedChain(
  validators: readonly SandboxValidatorOptions[],
  { seed, ...chain }: { seed: string; networkId: number; lastTime: number | undefined },
): Promise<PChainRecording> {
  const identities = await makeIdentities(validators, { seed, stock: new SigningStock(seed) });
  const staked = identities.map(({ nodeId, signer }, index) => {
    const { weight = DEFAULT_WEIGHT, keyless = false } = validators[index] ?? {};
    return { nodeId, weight, signer: keyless ? null : signer };
  });
  return stakedChain(
    staked.filter(({ weight }) => weight > 0n),
    chain,
  );
}

async function makeIdentities(
  validators: readonly SandboxValidatorOptions[],
  keys: { seed: string; stock: SigningStock },
): Promise<NodeIdentity[]> {
  if (validators.length === 0) throw new RangeError('at least one validator');
  const identities: NodeIdentity[] = [];
  for (const [index, { sharesKeyWith = index }] of validators.entries()) {
    if (!Number.isInteger(sharesKeyWith) || sharesKeyWith < 0 || sharesKeyWith > index) {
      throw new RangeError('sharesKeyWith is the index of an earlier validator');
    }
    identities.push(deriveValidatorNode(keys, index, sharesKeyWith));
    if (index % IDENTITIES_PER_TURN === IDENTITIES_PER_TURN - 1) await nextTurn();
  }
  return identities;
}

function makeWorld({
  options,
  recorded,
  identities,
  retired,
}: {
  options: FullSandboxOptions;
  recorded: RecordedPChain | null;
  identities: readonly NodeIdentity[];
  retired: { nodeId: string; signer: ValidatorSigner };
}): World {
  const { seed, networkId, baseHeight, blockIntervalMs } = options;
  const optionsOf = (index: number | undefined) => options.validators[index ?? 0] ?? {};
  const members = identities.flatMap(({ index, nodeId, signer }): L1Member[] => {
    const { l1Weight = DEFAULT_L1_WEIGHT, l1Balance = DEFAULT_L1_BALANCE } = optionsOf(index);
    return l1Weight === 0n
      ? []
      : [{ nodeId, publicKey: signer.publicKey, weight: l1Weight, balance: l1Balance }];
  });
  const joiner = members.pop();
  if (joiner === undefined) throw new RangeError('the L1 needs at least one validator');
  const formerMember = {
    ...retired,
    publicKey: retired.signer.publicKey,
    weight: 1n,
    balance: DEFAULT_L1_BALANCE,
  };
  return new World({
    seed,
    networkId,
    clock: new PChainClock({ baseHeight, blockIntervalMs }),
    recorded: recorded ?? undefined,
    ids: recorded?.ids ?? idsOf(options),
    keys: new Map(identities.map(({ nodeId, signer }) => [nodeId, signer.publicKey])),
    primary: identities.flatMap(({ index, nodeId, signer }) => {
      const { weight = DEFAULT_WEIGHT, keyless = false } = optionsOf(index);
      return weight === 0n ? [] : [{ nodeId, weight, publicKey: keyless ? null : signer.publicKey }];
    }),
    founders: [...members, formerMember].sort(byNodeId),
    retiredNodeId: retired.nodeId,
    joiner,
  });
}

/** Of chains that are served without a P-chain. */
function idsOf({ xChainRecording, evmRecordings: [cChain] }: FullSandboxOptions): Partial<ChainIds> {
  const xChain = xChainRecording && {
    xChain: idFromString(xChainRecording.blockchainIds.X),
    avax: idFromString(xChainRecording.avaxAssetId),
  };
  return Object.assign({}, xChain, cChain && { cChain: idFromString(cChain.blockchainId) });
}

function parseRoundTrip(roundTripMs: number): number {
  if (roundTripMs >= 0 && roundTripMs <= MAX_ROUND_TRIP_MS) return roundTripMs;
  throw new RangeError(`roundTripMs must be between 0 and ${MAX_ROUND_TRIP_MS}`);
}

function retiredNodeId(seed: string): string {
  return nodeIdToString(deriveBytes(seed, 'retired').slice(0, 20));
}

/** The order that a ConvertSubnetToL1Tx demands. */
function byNodeId(a: { nodeId: string }, b: { nodeId: string }): number {
  return Buffer.compare(nodeIdFromString(a.nodeId), nodeIdFromString(b.nodeId));
}
