import { keccak256 } from '../evm/commitments/keccak.js';
import { fromHex, toHex } from '../ids/hex.js';
import type { ChainAnswers } from '../p2p/messages/chain-question.js';
import type { ChainNetwork } from '../p2p/network/chain-network.js';
import { containerId as idOfContainer, type Envelope, unwrapBlock } from '../platformvm/codec/proposervm.js';
import { type Id, PRIMARY_NETWORK } from '../platformvm/ids.js';
import type { Acceptance } from './acceptance.js';
import { BlockServers } from './block-servers.js';
import { ChainSyncError } from './chain-sync.error.js';
import { idOf, openContainer } from './containers.js';
import type { Logger } from '../logger.js';

/** Nodes that are asked for their last block: some lag, and a stuck one is hours behind. */
const MAX_ASKED = 5;
/** Others are not kept waiting by those that are silent. */
const ANSWER_MS = 1_000;

/** An epoch of ACP-181; all zero of a chain that has its first block alone. */
interface BlockEpoch {
  readonly number: bigint;
  readonly startTimestampSeconds: number;
  readonly pChainHeight: bigint;
}

/** The P-chain heights that the blocks of one chain verify Warp messages with (ACP-181), as its validators have accepted them. */
export class ChainEpoch {
  private readonly servers: BlockServers;

  constructor(
    private readonly network: ChainNetwork,
    chainId: Uint8Array,
    private readonly acceptance: Pick<Acceptance, 'confirm'>,
    private readonly options: { readonly epochSeconds: number; readonly logger: Logger },
  ) {
    this.servers = new BlockServers(network, chainId, options.logger);
  }

  /** The epoch that the chain's next block belongs to. Throws ChainSyncError. */
  async next(signal: AbortSignal): Promise<BlockEpoch> {
    const accepted: (Envelope | null)[] = [];
    for (const containerId of await this.askForLast(signal)) {
      if (!(await this.acceptance.confirm(containerId, signal))) continue;
      const last = await this.open(containerId, signal);
      // An option has its parent's time and epoch (avalanchego v1.15.0 vms/proposervm/post_fork_option.go).
      accepted.push(last?.type === 'option' ? await this.open(last.parentId, signal) : last);
    }
    const [first, ...others] = accepted;
    if (first === undefined) {
      throw new ChainSyncError(
        'NOT_ACCEPTED',
        'nothing that some nodes named as their last block is accepted',
      );
    }
    const last = others.reduce((newest, each) => (timeOf(each) > timeOf(newest) ? each : newest), first);
    return epochAfter(last, this.options.epochSeconds);
  }

  private open(containerId: Id, signal: AbortSignal): Promise<Envelope | null> {
    const source = { servers: this.servers, containerId, hashOf: hashOfEvmContainer };
    return openContainer(source, (container) => unwrapBlock(container).envelope, signal);
  }

  private async askForLast(signal: AbortSignal): Promise<ReadonlySet<Id>> {
    const asked = Math.min(MAX_ASKED, this.network.connectedPeers().length);
    const inquiry = {
      question: { kind: 'pullQuery', containerId: fromHex(PRIMARY_NETWORK), requestedHeight: 0n },
      accept: ({ acceptedId }: ChainAnswers['pullQuery']) => idOf(acceptedId),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    } as const;
    const named = await Promise.allSettled(
      Array.from({ length: Math.max(1, asked) }, () => this.servers.ask(inquiry)),
    );
    signal.throwIfAborted();
    return new Set(named.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  }
}

/**
 * Only the first block of a chain has no envelope, and an EVM names it by the hash of its header. By its bytes, an envelope whose
 * signature was cut off would have the right id, and count as a chain without epochs.
 */
function hashOfEvmContainer(container: Uint8Array): Id {
  if (unwrapBlock(container).envelope !== null) return idOfContainer(container);
  const header = contentOfList(container, 0).start;
  return toHex(keccak256(container.subarray(header, contentOfList(container, header).end)));
}

const LONG_LIST = 0xf7;

/** Where the content of an RLP list of more than 55 bytes is. Of what is none the answer means nothing, and has no block's hash. */
function contentOfList(bytes: Uint8Array, at: number): { start: number; end: number } {
  const start = at + 1 + Math.max(0, (bytes[at] ?? 0) - LONG_LIST);
  const length = bytes.subarray(at + 1, start).reduce((sum, byte) => 256 * sum + byte, 0);
  return { start, end: start + length };
}

function timeOf(envelope: Envelope | null): bigint {
  return envelope?.type === 'block' ? envelope.timestamp : 0n;
}

/**
 * An epoch ends with the first block that is as old as epochs last; the next one has that block's height (avalanchego v1.15.0
 * vms/proposervm/acp181/epoch.go).
 */
function epochAfter(last: Envelope | null, epochSeconds: number): BlockEpoch {
  if (last?.type !== 'block') return { number: 0n, startTimestampSeconds: 0, pChainHeight: 0n };
  const { epoch, timestamp, pChainHeight } = last;
  const isOver = epoch === null || timestamp >= epoch.startTime + BigInt(epochSeconds);
  if (isOver) {
    return { number: (epoch?.number ?? 0n) + 1n, startTimestampSeconds: Number(timestamp), pChainHeight };
  }
  const { number, startTime } = epoch;
  return { number, startTimestampSeconds: Number(startTime), pChainHeight: epoch.pChainHeight };
}
