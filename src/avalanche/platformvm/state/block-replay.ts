import { CodecError } from '../../codec/codec.error.js';
import type { Block, OptionBlock, ProposalBlock } from '../block.js';
import { PlatformVmError } from '../platformvm.error.js';
import { CollectedChanges, type StateChanges } from './changes.js';
import { executeBlock, executeProposalBlock } from './execute-block.js';
import type { PChainState } from './p-chain-state.js';
import { mismatch, StateDiff } from './state-diff.js';

/**
 * Applies blocks to a state one after the other and collects what they did. A proposal takes effect with the option
 * block after it. After an error the state must be loaded again.
 */
export class BlockReplay {
  private proposal: ProposalBlock | null = null;
  private collected: CollectedChanges | undefined;

  constructor(readonly state: PChainState) {}

  /** Whether the last block was a proposal whose option is still to come. */
  get isUndecided(): boolean {
    return this.proposal !== null;
  }

  /** Height of the last block given to `apply`, also when it is not decided yet. */
  get height(): bigint {
    return this.proposal?.height ?? this.state.tip.height;
  }

  /** Throws PlatformVmError: WRONG_PARENT, STATE_MISMATCH, MALFORMED (a Warp message inside a transaction). */
  apply(block: Block): void {
    this.checkParent(block);
    const changes = this.execute(block);
    if (changes === null) return;
    this.state.commit(changes);
    (this.collected ??= new CollectedChanges()).add(changes);
  }

  /** Everything decided since the last call; null when that is nothing. */
  takeChanges(): StateChanges | null {
    const changes = this.collected?.endingAt(this.state.tip) ?? null;
    this.collected = undefined;
    return changes;
  }

  private execute(block: Block): StateChanges | null {
    try {
      switch (block.type) {
        case 'ApricotProposal':
        case 'BanffProposal':
          if (this.proposal !== null) throw mismatch(`block ${block.height} follows an undecided proposal`);
          this.proposal = block;
          return null;
        case 'ApricotAbort':
        case 'ApricotCommit':
        case 'BanffAbort':
        case 'BanffCommit':
          return this.decide(block);
        default:
          if (this.proposal !== null) throw mismatch(`block ${block.height} follows an undecided proposal`);
          return executeBlock(this.state, block);
      }
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      throw new PlatformVmError('MALFORMED', `block ${block.height}: ${error.message}`, { cause: error });
    }
  }

  private decide(option: OptionBlock): StateChanges {
    const proposal = this.proposal;
    if (proposal === null) {
      // Block 0 only names the genesis as its parent.
      if (option.height === 0n && option.type === 'ApricotCommit') {
        const { height, id: blockId } = option;
        return new StateDiff(this.state, height, blockId).finish({ height, blockId });
      }
      throw mismatch(`block ${option.height} decides about nothing`);
    }
    this.proposal = null;
    return executeProposalBlock(this.state, proposal, option);
  }

  private checkParent(block: Block): void {
    const { tip } = this.state;
    const parent = this.proposal ?? { id: tip.blockId, height: tip.height };
    if (block.height === parent.height + 1n && block.parentId === parent.id) return;
    throw new PlatformVmError(
      'WRONG_PARENT',
      `block ${block.height} (${block.id}) with parent ${block.parentId} does not follow block ${parent.height} (${parent.id})`,
    );
  }
}
