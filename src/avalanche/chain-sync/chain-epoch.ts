import { keccak256 } from '../evm/commitments/keccak.js';
import { fromHex, toHex } from '../ids/hex.js';
import type { ChainNetwork } from '../p2p/network/chain-network.js';
import { containerId as idOfContainer, type Envelope, unwrapBlock } from '../platformvm/codec/proposervm.js';
import { type Id, PRIMARY_NETWORK } from '../platformvm/ids.js';
import type { Acceptance } from './acceptance.js';
import { BlockServers } from './block-servers.js';
import { ChainSyncError } from './chain-sync.error.js';
import { idOf, openContainer } from './containers.js';
import type { Logger } from '../logger.js';

/** Last blocks that single nodes name, of which one must be accepted: nodes are some seconds apart. */
const MAX_HINTS = 4;

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
    network: ChainNetwork,
    chainId: Uint8Array,
    private readonly acceptance: Pick<Acceptance, 'confirm'>,
    private readonly options: { readonly epochSeconds: number; readonly logger: Logger },
  ) {
    this.servers = new BlockServers(network, chainId, options.logger);
  }

  /** The epoch that the chain's next block belongs to. Throws ChainSyncError. */
  async next(signal: AbortSignal): Promise<BlockEpoch> {
    for (let hints = 0; hints < MAX_HINTS; hints++) {
      const containerId = await this.askForLast(signal);
      if (!(await this.acceptance.confirm(containerId, signal))) continue;
      const read = (container: Uint8Array): BlockEpoch =>
        epochAfter(unwrapBlock(container).envelope, this.options.epochSeconds);
      return openContainer({ servers: this.servers, containerId, hashOf: hashOfEvmContainer }, read, signal);
    }
    throw new ChainSyncError('NOT_ACCEPTED', `none of ${MAX_HINTS} last blocks is accepted`);
  }

  private askForLast(signal: AbortSignal): Promise<Id> {
    return this.servers.ask({
      question: { kind: 'pullQuery', containerId: fromHex(PRIMARY_NETWORK), requestedHeight: 0n },
      accept: ({ acceptedId }) => idOf(acceptedId),
      signal,
    });
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
