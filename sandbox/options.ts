import { isIPv4 } from 'node:net';
import { MAX_ANCESTORS } from '../src/avalanche/p2p/messages/p2p-message.js';
import type { BehaviourInput } from './behaviour.js';
import type { ChainBehaviourInput } from './chain-behaviour.js';
import { defaultCChainRecording, defaultL1Recording } from './evm-chains/default-recordings.js';
import type { NodeBehaviourInput } from './node-behaviour.js';
import { defaultRecording } from './p-chain/default-recording.js';
import type { AddressKnowledge } from './peer/simulated-node.js';
import type { EvmRecording } from './recording/evm-recording.js';
import type { PChainRecording } from './recording/p-chain-recording.js';
import type { XChainContent } from './recording/x-chain-recording.js';
import { FIRST_OWN_HEIGHT } from './world/world.js';
import { defaultXChainRecording } from './x-chain/default-recording.js';

/** The network id of local networks, which this is one of. */
export const SANDBOX_NETWORK_ID = 12_345;
export const DEFAULT_SEED = 'sandbox';

const DEFAULT_VALIDATORS = 5;
/** Without recorded blocks; otherwise the last of them. */
const DEFAULT_BASE_HEIGHT = 1_000n;
const DEFAULT_BLOCK_INTERVAL_MS = 10_000;

export interface SandboxValidatorOptions {
  /** On the primary network; 2,000,000 AVAX unless given, 0 to be no validator of it. */
  readonly weight?: bigint;
  /** On the L1; 100 unless given, 0 to be no validator of it. */
  readonly l1Weight?: bigint;
  /** nAVAX on the L1; 0 makes it inactive there. */
  readonly l1Balance?: bigint;
  /** Registered on the primary network without a BLS key: counts in the total and cannot sign. */
  readonly keyless?: boolean;
  /** Index of an earlier validator whose BLS key this one uses too. */
  readonly sharesKeyWith?: number;
  readonly behaviour?: BehaviourInput;
  /** How it serves its chains to those who bootstrap from it. */
  readonly chainBehaviour?: ChainBehaviourInput;
  /** Time from it to a client and back, setting up the connection included; 0 unless given. */
  readonly roundTripMs?: number;
  /** Nodes that announce its address; everybody unless given. */
  readonly address?: AddressKnowledge;
}

export interface SandboxOptions {
  readonly validators?: number | readonly SandboxValidatorOptions[];
  /** That many more, which validate the L1 alone. */
  readonly l1Validators?: number;
  /**
   * Validators and node as on the internet (`internet.ts`), on a P-chain without recorded blocks, whose lists all name the same
   * validators: 930 unless a number is given. What else is given goes before it.
   */
  readonly internet?: boolean;
  /**
   * Whether what real validators have long made, and these make for their first connection, is there when it starts: 15 ms of the one
   * processor for each. Unless given, it is on the internet.
   */
  readonly prepared?: boolean;
  /** Everything that is not chance in the sandbox follows from it: ids, keys, node ids. */
  readonly seed?: string;
  /** Address to bind to. */
  readonly host?: string;
  /** 0 for a free one. */
  readonly httpPort?: number;
  /** IPv4 address that the validators announce; the host they bind to unless that is no address to dial. */
  readonly publicIp?: string | undefined;
  readonly networkId?: number;
  /**
   * Blocks and state of the P-chain that the node serves, recorded or generated (`generated/`) for a network of the same id. The
   * recording in the project unless given; null for a chain of heights without blocks, which every other network id has unless given.
   */
  readonly recording?: PChainRecording | null;
  /**
   * Blocks of the P-chain that make its validators what they are, for clients that have no node; the node then lists nothing else.
   * `lastTime`: of the last block (UNIX seconds), which is in 2025 unless given.
   */
  readonly staked?: { readonly lastTime?: number };
  /**
   * Blocks of the EVM chains that the node serves. The recordings in the project unless given, if one of them is the P-chain's
   * C-chain. Of those given without blocks of a P-chain the first is the C-chain.
   */
  readonly evmRecordings?: readonly EvmRecording[];
  /** Blocks of the X-chain, likewise; null: it has none. */
  readonly xChainRecording?: XChainContent | null;
  /** P-chain height at the start: 1000, or that of the last recorded block. Empty blocks fill what is between. */
  readonly baseHeight?: bigint;
  /**
   * 0 lets the P-chain grow on demand only, which is the default after recorded blocks: a restarted sandbox would otherwise
   * be behind what was indexed of it.
   */
  readonly blockIntervalMs?: number;
  /**
   * Containers that a validator reads in the 50 ms that it spends on one answer: some hundreds on real nodes. Unless given, 2000, the
   * most that an answer may have.
   */
  readonly ancestorsPerAnswer?: number;
  /** How the node's JSON-RPC answers; at once and always unless given. */
  readonly node?: NodeBehaviourInput;
}

export type FullSandboxOptions = ReturnType<typeof withDefaults>;

/** Throws RangeError for options that no network could have. */
export function withDefaults(options: SandboxOptions) {
  const { validators = DEFAULT_VALIDATORS, host = '127.0.0.1', networkId = SANDBOX_NETWORK_ID } = options;
  const list =
    typeof validators === 'number' ? new Array<SandboxValidatorOptions>(validators).fill({}) : validators;
  const ofL1 = new Array<SandboxValidatorOptions>(options.l1Validators ?? 0).fill({ weight: 0n });
  const publicIp = options.publicIp ?? (isIPv4(host) && host !== '0.0.0.0' ? host : '127.0.0.1');
  if (!isIPv4(publicIp)) throw new RangeError('publicIp must be an IPv4 address');
  const recording = chooseRecording(options.recording, networkId);
  return {
    validators: [...list, ...ofL1],
    host,
    publicIp,
    recording,
    evmRecordings:
      options.evmRecordings ?? (recording === null ? [] : [defaultCChainRecording(), defaultL1Recording()]),
    xChainRecording: chooseXChain(options.xChainRecording, recording),
    baseHeight: chooseBaseHeight(options.baseHeight, recording),
    seed: options.seed ?? DEFAULT_SEED,
    networkId,
    ancestorsPerAnswer: Math.min(options.ancestorsPerAnswer ?? MAX_ANCESTORS, MAX_ANCESTORS),
    blockIntervalMs: options.blockIntervalMs ?? (recording === null ? DEFAULT_BLOCK_INTERVAL_MS : 0),
  } as const;
}

function chooseRecording(
  wanted: PChainRecording | null | undefined,
  networkId: number,
): PChainRecording | null {
  const recording = wanted === undefined ? defaultRecording() : wanted;
  if (recording === null || recording.networkId === networkId) return recording;
  if (wanted === undefined) return null;
  throw new RangeError(`the recording is of network ${recording.networkId}, this one is ${networkId}`);
}

function chooseXChain(
  wanted: XChainContent | null | undefined,
  recording: PChainRecording | null,
): XChainContent | null {
  if (wanted !== undefined) return wanted;
  return recording === null ? null : defaultXChainRecording();
}

/** The past of the sandbox's own L1 lies below, and so do all recorded blocks. */
function chooseBaseHeight(wanted: bigint | undefined, recording: PChainRecording | null): bigint {
  const lastRecorded = recording === null ? 0n : BigInt(recording.blocks.length - 1);
  const minimum = lastRecorded > FIRST_OWN_HEIGHT ? lastRecorded : FIRST_OWN_HEIGHT;
  const baseHeight = wanted ?? (recording === null ? DEFAULT_BASE_HEIGHT : minimum);
  if (baseHeight < minimum) throw new RangeError(`baseHeight must be at least ${minimum}`);
  return baseHeight;
}
