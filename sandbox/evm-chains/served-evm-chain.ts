import { reportedHeight } from '../common-misconduct.js';
import { type Address, type Hash, type Hex, toQuantity } from '../../src/avalanche/evm/rpc/hex-values.js';
import type { EvmRecording, RecordedCall, RecordedEvmBlock } from '../recording/evm-recording.js';
import { EvmFault } from '../rpc/evm-endpoint.js';
import { AccountStates } from './account-states.js';
import type { BlockOrHash } from './arguments.js';
import { TokenBalances } from './token-balances.js';
import { chainOf, type EvmChainBehaviour, distort, isGiven } from './misconduct.js';

interface Place {
  readonly height: number;
  readonly index: number;
}

/** A contract's answer to a call; undefined: it reverts. Throws EvmFault for another refusal, HttpFault for none at all. */
export type EvmContract = (data: Hex, block: BlockOrHash) => Hex | undefined;

/** An EVM chain as the node serves it, which depends on its behaviour. */
export class ServedEvmChain {
  behaviour: EvmChainBehaviour = { kind: 'honest' };
  /** Of a recorded chain those that were asked when it was recorded, as they are in the end. */
  readonly contracts: Map<Address, EvmContract>;
  private content: EvmRecording;
  private transactionPlaces: ReadonlyMap<string, Place> | undefined;
  private tokens: { readonly of: EvmRecording; readonly balances: TokenBalances } | undefined;
  private states: { readonly of: EvmRecording; readonly states: AccountStates } | undefined;
  /** For one behaviour and content. */
  private chain:
    { readonly of: readonly unknown[]; readonly blocks: readonly RecordedEvmBlock[] } | undefined;

  constructor(recording: EvmRecording) {
    this.content = recording;
    this.contracts = recordedContracts(recording);
  }

  get recording(): EvmRecording {
    return this.content;
  }

  /** From now on the chain is another one. */
  replaceBlocks(blocks: readonly RecordedEvmBlock[]): void {
    const [first, ...others] = blocks;
    if (first === undefined) throw new RangeError('a chain has at least block 0');
    this.content = { ...this.content, blocks: [first, ...others] };
    this.transactionPlaces = undefined;
  }

  /** Height of the last block. */
  get tip(): number {
    return reportedHeight(this.behaviour, this.recording.blocks.length - 1);
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
    if (height > this.tip || !isGiven(this.behaviour, height)) return undefined;
    return distort(this.behaviour, height, this.blocks[height]);
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

  /** Of a recorded chain nobody has anything who is not written down. */
  balance(address: Address, height: number): Hex {
    const { balances } = this.recording;
    const isRecorded = Object.keys(balances).length > 0;
    return isRecorded
      ? (balances[address]?.[height] ?? '0x0')
      : toQuantity(this.accounts.balance(address, height));
  }

  nonce(address: Address, height: number): Hex {
    return toQuantity(this.accounts.nonce(address, height));
  }

  /** `balanceOf` of a token; undefined for any other call, and of contracts that are no tokens. */
  tokenBalance(contract: Address, data: Hex, height: number): Hex | undefined {
    const { content } = this;
    if (this.tokens?.of !== content) this.tokens = { of: content, balances: new TokenBalances(content) };
    return this.tokens.balances.answer(contract, data, height);
  }

  /** As it is in the end; of a generated contract no more than that there is some. */
  code(address: Address): Hex {
    return this.recording.code[address] ?? (this.contracts.has(address) ? '0x00' : '0x');
  }

  private get accounts(): AccountStates {
    const { content } = this;
    if (this.states?.of !== content) this.states = { of: content, states: new AccountStates(content) };
    return this.states.states;
  }

  private get blocks(): readonly RecordedEvmBlock[] {
    const { behaviour, content } = this;
    if (this.chain?.of[0] !== behaviour || this.chain.of[1] !== content) {
      this.chain = { of: [behaviour, content], blocks: chainOf(behaviour, content.blocks) };
    }
    return this.chain.blocks;
  }

  private get places(): ReadonlyMap<string, Place> {
    this.transactionPlaces ??= new Map(
      this.recording.blocks.flatMap(({ block }, height) =>
        block.transactions.map(({ hash }, index) => [hash, { height, index }] as const),
      ),
    );
    return this.transactionPlaces;
  }
}

/** Accounts without code were asked, too, and answer like every account. */
function recordedContracts({ calls, code }: EvmRecording): Map<Address, EvmContract> {
  const answers = new Map<Address, Map<Hex, RecordedCall['answer']>>();
  for (const { to, data, answer } of calls.filter((call) => call.to in code)) {
    const ofContract = answers.get(to) ?? new Map<Hex, RecordedCall['answer']>();
    answers.set(to, ofContract.set(data, answer));
  }
  return new Map(
    [...answers].map(([address, byData]) => [
      address,
      (data) => {
        const answer = byData.get(data);
        if (answer === undefined || 'result' in answer) return answer?.result;
        throw new EvmFault(answer.error.message, answer.error.code, answer.error.data);
      },
    ]),
  );
}
