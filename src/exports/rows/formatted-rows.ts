import {
  type ExportRequest,
  TRANSACTION_EXPORT_PRIMARY_NETWORK,
} from '../../../workflows/contracts/export-transactions.js';
import { formatLedgerHeader } from '../ledger/ledger-csv.js';
import { formatCsvHeader } from './csv.js';
import type { TurnContent } from './part-content.js';
import { TaxRows } from './tax-rows.js';

/** The content of a turn in the format that was asked for. Turns consist of whole blocks, so that nothing is carried from one to the next. */
export class FormattedRows {
  private readonly tax: TaxRows | undefined;
  private readonly header: string;

  constructor({ type, format }: Pick<ExportRequest, 'type' | 'format'>) {
    this.tax = format === 'standard' ? undefined : new TaxRows(format);
    this.header =
      this.tax?.header() ??
      (type === TRANSACTION_EXPORT_PRIMARY_NETWORK ? formatLedgerHeader() : formatCsvHeader());
  }

  async *of(
    content: AsyncGenerator<TurnContent, void>,
    { withHeader }: { readonly withHeader: boolean },
  ): AsyncGenerator<TurnContent, void> {
    const { tax } = this;
    if (withHeader) yield Buffer.from(this.header);
    if (tax === undefined) return yield* content;
    for await (const each of content) {
      // The position behind a whole slice comes behind all of its rows.
      const rows = Buffer.isBuffer(each) ? tax.add(each) : tax.end();
      if (rows.length > 0) yield Buffer.from(rows);
      if (!Buffer.isBuffer(each)) yield each;
    }
    const last = tax.end();
    if (last.length > 0) yield Buffer.from(last);
  }
}
