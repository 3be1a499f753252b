import type { AcceptedChain, ServedBlock } from '../accepted-chain.js';
import { answerOrNot, reportedHeight } from '../common-misconduct.js';
import { isGiven, type PChainBehaviour } from './misconduct.js';
import type { PChainBlocks } from './p-chain-blocks.js';
import type { RecordedPChain } from './recorded-p-chain.js';

/** The blocks as the node serves them, which depends on its behaviour. */
export class ServedPChain implements AcceptedChain {
  behaviour: PChainBehaviour = { kind: 'honest' };

  constructor(
    readonly recorded: RecordedPChain,
    readonly blocks: PChainBlocks,
    private readonly tip: () => bigint,
  ) {}

  /** Height of the last block. */
  get height(): bigint {
    return BigInt(reportedHeight(this.behaviour, Number(this.tip())));
  }

  /** A `tip` is no fault of the node: the chain ends there for everybody. */
  get acceptedHeight(): bigint {
    return this.behaviour.kind === 'tip' ? this.height : this.tip();
  }

  at(height: bigint): ServedBlock | undefined {
    answerOrNot(this.behaviour);
    return this.ifThere(this.blocks.at(height));
  }

  byId(id: string): ServedBlock | undefined {
    answerOrNot(this.behaviour);
    return this.ifThere(this.blocks.byId(id));
  }

  byContainerId(id: string): ServedBlock | undefined {
    answerOrNot(this.behaviour);
    return this.ifThere(this.blocks.byContainerId(id));
  }

  private ifThere(block: ServedBlock | undefined): ServedBlock | undefined {
    if (block === undefined || block.height > this.height) return undefined;
    return isGiven(this.behaviour, block.height) ? block : undefined;
  }
}
