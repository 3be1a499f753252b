import type { AcceptedChain } from '../accepted-chain.js';
import { answerOrNot, reportedHeight } from '../common-misconduct.js';
import { type BytesEncoding, isGiven } from '../p-chain/misconduct.js';
import { encodeXChainBlock, type XChainBehaviour } from './misconduct.js';
import type { RecordedXChain } from './recorded-x-chain.js';
import { XChainBlocks } from './x-chain-blocks.js';

/** The X-chain as the node serves it, which depends on its behaviour. */
export class ServedXChain implements AcceptedChain {
  behaviour: XChainBehaviour = { kind: 'honest' };
  readonly blocks: XChainBlocks;

  constructor(readonly recorded: RecordedXChain) {
    this.blocks = new XChainBlocks(recorded);
  }

  /** Of the last block. */
  get height(): bigint {
    return BigInt(reportedHeight(this.behaviour, this.recorded.height));
  }

  /** As on the P-chain. */
  get acceptedHeight(): bigint {
    return this.behaviour.kind === 'tip' ? this.height : BigInt(this.recorded.height);
  }

  /** As text; undefined when there is none. Throws HttpFault. */
  block(height: bigint, encoding: BytesEncoding): string | undefined {
    const { behaviour } = this;
    answerOrNot(behaviour);
    const isThere = height <= this.height && isGiven(behaviour, height);
    const bytes = isThere ? this.recorded.block(height) : undefined;
    return bytes && encodeXChainBlock(behaviour, { height, bytes }, encoding);
  }

  /** Throws HttpFault. */
  blockById(id: string, encoding: BytesEncoding): string | undefined {
    const height = this.recorded.heightOf(id);
    return height === undefined ? undefined : this.block(height, encoding);
  }
}
