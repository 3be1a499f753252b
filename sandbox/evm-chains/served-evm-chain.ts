import type { Address, Hash, Hex } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { EvmRecording, RecordedCall, RecordedEvmBlock } from '../recording/evm-recording.js';
import { HttpFault, tooManyRequests } from '../rpc/endpoint.js';
import { type EvmChainBehaviour, distort } from './misconduct.js';

interface Place {
  readonly height: number;
  readonly index: number;
}

/** What the node shows of its recorded C-chain, which depends on how it behaves. */
export class ServedEvmChain {
  behaviour: EvmChainBehaviour = { kind: 'honest' };
  private readonly places: ReadonlyMap<string, Place>;
  private readonly answers: ReadonlyMap<string, RecordedCall['answer']>;

  constructor(readonly recording: EvmRecording) {
    this.places = new Map(
      recording.blocks.flatMap(({ block }, height) =>
        block.transactions.map(({ hash }, index) => [hash, { height, index }] as const),
      ),
    );
    this.answers = new Map(recording.calls.map(({ to, data, answer }) => [`${to} ${data}`, answer]));
  }

  /** Height of the last block. */
  get tip(): number {
    const last = this.recording.blocks.length - 1;
    switch (this.behaviour.kind) {
      case 'empty':
        return 0;
      case 'tip':
        return Math.min(last, this.behaviour.height);
      default:
        return last;
    }
  }

  /** Height of the last block whose outcome is settled; undefined before Helicon, when that was every block's own. */
  get settledHeight(): number | undefined {
    const settled = this.recording.blocks[this.tip]?.block.settledHeight;
    return settled === undefined ? undefined : Number(settled);
  }

  get hasTracer(): boolean {
    return this.behaviour.kind !== 'noTracer';
  }

  at(height: number): RecordedEvmBlock | undefined {
    return height <= this.tip ? distort(this.behaviour, height, this.recording.blocks) : undefined;
  }

  heightOf(blockHash: Hash): number | undefined {
    const heights = Array.from({ length: this.tip + 1 }, (_, height) => height);
    return heights.find((height) => this.at(height)?.block.hash === blockHash);
  }

  transaction(hash: Hash): { readonly block: RecordedEvmBlock; readonly index: number } | undefined {
    const place = this.places.get(hash);
    const block = place && this.at(place.height);
    return block && place && { block, index: place.index };
  }

  balance(address: Address, height: number): Hex {
    return this.recording.balances[address]?.[height] ?? '0x0';
  }

  /** As it is in the end. */
  code(address: Address): Hex {
    return this.recording.code[address] ?? '0x';
  }

  /** As it is in the end; undefined for what was not asked when the chain was recorded. */
  call(to: Address, data: Hex): RecordedCall['answer'] | undefined {
    return this.answers.get(`${to} ${data}`);
  }

  /** Throws HttpFault when the node does not get to answering. */
  answerOrNot(): void {
    const { behaviour } = this;
    if (behaviour.kind === 'timeout') throw new HttpFault('silence');
    if (behaviour.kind === 'tooManyRequests') throw tooManyRequests(behaviour.retryAfterSeconds);
  }
}
