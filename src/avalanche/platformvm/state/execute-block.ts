import type { Block, OptionBlock, ProposalBlock } from '../block.js';
import type { StateChanges } from './changes.js';
import { advanceTime, deactivatePoorL1Validators } from './advance-time.js';
import { executeProposal } from './execute-proposal.js';
import { executeTransaction } from './execute-transaction.js';
import type { ReadonlyPChainState } from './p-chain-state.js';
import { toSeconds } from './stakers.js';
import { StateDiff } from './state-diff.js';
import type { Transaction } from '../transaction.js';

export type DecisionBlock = Exclude<Block, ProposalBlock | OptionBlock>;

/** Changes of a state by a block without a proposal; the state stays as it is. Throws PlatformVmError. */
export function executeBlock(state: ReadonlyPChainState, block: DecisionBlock): StateChanges {
  const diff = new StateDiff(state, block.height, block.id);
  if (block.type === 'BanffStandard') advanceTime(diff, toSeconds(block.time));
  executeDecisions(diff, block.type === 'ApricotAtomic' ? [block.transaction] : block.transactions);
  return diff.finish({ height: block.height, blockId: block.id });
}

/** Changes of a state by a proposal once its option block has decided. Throws PlatformVmError. */
export function executeProposalBlock(
  state: ReadonlyPChainState,
  proposal: ProposalBlock,
  option: OptionBlock,
): StateChanges {
  const diff = new StateDiff(state, proposal.height, proposal.id);
  if (proposal.type === 'BanffProposal') {
    advanceTime(diff, toSeconds(proposal.time));
    executeDecisions(diff, proposal.transactions);
  }
  const isCommitted = option.type === 'ApricotCommit' || option.type === 'BanffCommit';
  executeProposal(diff, proposal.transaction, isCommitted);
  return diff.finish({ height: option.height, blockId: option.id });
}

function executeDecisions(diff: StateDiff, transactions: readonly Transaction[]): void {
  for (const transaction of transactions) executeTransaction(diff, transaction);
  deactivatePoorL1Validators(diff);
}
