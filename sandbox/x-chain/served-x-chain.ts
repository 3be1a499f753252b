import { answerOrNot, type BytesEncoding } from '../p-chain/misconduct.js';
import { encodeXChainBlock, type XChainBehaviour } from './misconduct.js';
import type { RecordedXChain } from './recorded-x-chain.js';

/** What the node shows of its X-chain, which depends on how it behaves. */
export class ServedXChain {
  behaviour: XChainBehaviour = { kind: 'honest' };

  constructor(readonly recorded: RecordedXChain) {}

  /** Of the last block. */
  get height(): bigint {
    const { behaviour, recorded } = this;
    if (behaviour.kind === 'empty') return 0n;
    const told = BigInt(behaviour.kind === 'tip' ? behaviour.height : recorded.height);
    return told < BigInt(recorded.height) ? told : BigInt(recorded.height);
  }

  /** As text; undefined when there is none. Throws HttpFault. */
  block(height: bigint, encoding: BytesEncoding): string | undefined {
    const { behaviour } = this;
    answerOrNot(behaviour);
    const isLost = behaviour.kind === 'gap' && BigInt(behaviour.height) === height;
    const bytes = isLost || height > this.height ? undefined : this.recorded.block(height);
    return bytes && encodeXChainBlock(behaviour, { height, bytes }, encoding);
  }

  /** Throws HttpFault. */
  blockById(id: string, encoding: BytesEncoding): string | undefined {
    const height = this.recorded.heightOf(id);
    return height === undefined ? undefined : this.block(height, encoding);
  }
}
