import { fromHex } from '../ids/hex.js';
import type { Id } from '../platformvm/ids.js';
import type { BlockServers } from './block-servers.js';
import { ChainSyncError } from './chain-sync.error.js';
import { idOf, openBlock, type OpenedBlock } from './containers.js';
import type { ContainerChain } from './container-chain.js';

/** Other nodes' hints that are tried before a height is given up. */
const MAX_HINTS = 10;

/** A block that is known to be accepted, from which others are reached by their hashes. */
export type Anchor = OpenedBlock;

/** Whether a container is accepted; throws ChainSyncError TOO_FEW_VOTES where that cannot be known now. */
export type Confirm = (containerId: Id, signal: AbortSignal) => Promise<boolean>;

interface Hint {
  readonly nodeId: string;
  readonly containerId: Id;
}

/** Finds accepted blocks by their height: single nodes name them, and a quorum confirms them. */
export class Anchors {
  constructor(
    private readonly chain: ContainerChain,
    private readonly servers: BlockServers,
    private readonly confirm: Confirm,
  ) {}

  /**
   * The accepted block at a height. `known` is a container that nodes surely have.
   * Throws ChainSyncError, or the signal's reason.
   */
  async at(height: bigint, known: Id, signal: AbortSignal): Promise<Anchor> {
    for (let hints = 0; hints < MAX_HINTS; hints++) {
      const hint = await this.askForHint(height, known, signal);
      if (!(await this.confirm(hint.containerId, signal))) {
        this.servers.distrust(hint.nodeId, `${hint.containerId} at height ${height} is not accepted`);
        continue;
      }
      const anchor = await openBlock(this.chain, this.servers, hint.containerId, signal);
      if (anchor.height === height) return anchor;
      this.servers.distrust(hint.nodeId, `block ${anchor.height} was named for height ${height}`);
    }
    throw new ChainSyncError('NOT_ACCEPTED', `nothing of what ${MAX_HINTS} nodes named is accepted`);
  }

  /** The last accepted block of one node, if it is above a height; undefined when it is not. Throws as `at` does. */
  async above(height: bigint, known: Id, signal: AbortSignal): Promise<Anchor | undefined> {
    const hint = await this.servers.ask({
      question: { kind: 'pullQuery', containerId: fromHex(known), requestedHeight: 0n },
      accept: ({ acceptedId, acceptedHeight }) => ({
        containerId: idOf(acceptedId),
        isHigher: acceptedHeight > height,
      }),
      signal,
    });
    // One that is not accepted may be so in a moment: nodes are some seconds apart.
    if (!hint.isHigher || !(await this.confirm(hint.containerId, signal))) return undefined;
    const anchor = await openBlock(this.chain, this.servers, hint.containerId, signal);
    return anchor.height > height ? anchor : undefined;
  }

  private askForHint(height: bigint, known: Id, signal: AbortSignal): Promise<Hint> {
    return this.servers.ask({
      question: { kind: 'pullQuery', containerId: fromHex(known), requestedHeight: height },
      accept: ({ acceptedHeight, acceptedId, idAtHeight }, nodeId) => {
        if (acceptedHeight < height) return undefined;
        return { nodeId, containerId: idOf(acceptedHeight === height ? acceptedId : idAtHeight) };
      },
      signal,
    });
  }
}
