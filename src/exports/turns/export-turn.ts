import { TRANSACTION_EXPORT_PRIMARY_NETWORK } from '../../../workflows/contracts/export-transactions.js';
import { LedgerWork } from '../ledger/ledger-work.js';
import { isNodeFailure } from '../rows/export-node.js';
import type { TurnContent } from '../rows/part-content.js';
import { EvmWork } from './evm-work.js';
import { currentChain, endSlice, type ExportPosition, type Slice } from './export-position.js';
import type { ExportSources, TurnInput, TurnWork } from './turn-input.js';

/**
 * A stretch of an export's file, from a position on: it plans slices of days, and takes one step after the other through each. It moves
 * by whole steps, so that the position behind it is exact.
 */
export class ExportTurn {
  private readonly work: TurnWork;
  private mayGoOn: (position: ExportPosition) => boolean = () => false;

  constructor(
    private readonly input: TurnInput,
    private current: ExportPosition,
    sources: ExportSources,
    private readonly signal: AbortSignal,
  ) {
    const hasTime = (): boolean => this.mayGoOn(this.current);
    const { request } = input;
    this.work =
      request.type === TRANSACTION_EXPORT_PRIMARY_NETWORK
        ? new LedgerWork({ ...input, request }, sources)
        : new EvmWork({ ...input, request }, sources, { signal, hasTime });
  }

  get position(): ExportPosition {
    return this.current;
  }

  /** Takes at least one step; ends when the export does, or when it is cancelled. */
  async *content(mayGoOn: (position: ExportPosition) => boolean): AsyncGenerator<TurnContent, void> {
    this.mayGoOn = mayGoOn;
    const begin = this.current;
    do {
      this.signal.throwIfAborted();
      const { slice } = this.current;
      try {
        this.current = slice === null ? await this.work.plan(this.current) : yield* this.step(slice);
        if (slice !== null && this.current.slice === null) yield { position: this.current };
      } catch (error) {
        // The steps so far are worth keeping: otherwise a node that fails now and then would hold the export up forever.
        if (this.current === begin || !isNodeFailure(error)) throw error;
        return;
      }
    } while (this.current.state === 'more' && this.mayGoOn(this.current));
  }

  private async *step(slice: Slice): AsyncGenerator<Buffer, ExportPosition> {
    const { current: position, input } = this;
    const chainSlice = currentChain(slice);
    if (chainSlice === undefined) return endSlice(position, slice, input.period, input.limits);
    return yield* this.work.step(position, slice, chainSlice);
  }
}
