import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Statement } from '../database/statement.js';
import {
  addressesWithFewLargeUtxos,
  comparesAmounts,
  type UtxoListRequest,
  type UtxoRow,
  utxos,
} from './utxo-list.js';

@Injectable()
export class UtxoRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(request: UtxoListRequest): Promise<UtxoRow[]> {
    const few = comparesAmounts(request)
      ? await this.run<{ address: string }>(addressesWithFewLargeUtxos(request))
      : [];
    return this.run<UtxoRow>(
      utxos(
        request,
        few.map(({ address }) => address),
      ),
    );
  }

  private run<Row>({ text, values }: Statement): Promise<Row[]> {
    return this.dataSource.query<Row[]>(text, [...values]);
  }
}
