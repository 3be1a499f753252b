import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import {
  addressesWithFewLargeUtxos,
  comparesAmounts,
  type UtxoListRequest,
  type UtxoRow,
  utxos,
} from './utxo-list.js';

@Injectable()
export class UtxoRepository {
  constructor(private readonly database: Database) {}

  async list(request: UtxoListRequest): Promise<UtxoRow[]> {
    const few = comparesAmounts(request)
      ? await this.database.query<{ address: string }>(addressesWithFewLargeUtxos(request))
      : [];
    return this.database.query<UtxoRow>(
      utxos(
        request,
        few.map(({ address }) => address),
      ),
    );
  }
}
