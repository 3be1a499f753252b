import { Injectable } from '@nestjs/common';
import { ListDatabase } from '../../platform/database/list-database.js';
import { stringifyLossless } from '../../platform/http/adapter/lossless-json.js';
import { InterchainMessagesService } from '../interchain-messages/interchain-messages.service.js';
import { UtxosService } from '../utxos/utxos.service.js';
import type { ChainPlace } from './change-cursor.js';
import { type ChangeKind, ChangeRepository, type ChangeRow, type Subscription } from './change.repository.js';
import { toValidatorChange } from './dto/change.response.js';
import type { FedChain } from './fed-chains.js';

/** Changes that are read at a time. */
const PAGE_SIZE = 200;
/** Steps of all streams that ask Postgres at a time: the pool is there for lists, too. */
const MAX_READS = 4;

export interface Change {
  readonly kind: ChangeKind;
  /** JSON. */
  readonly data: string;
  /** That of the chain after it. */
  readonly place: ChainPlace;
}

export interface ReadRange {
  readonly chain: FedChain;
  readonly place: ChainPlace;
  /** The last block. */
  readonly to: bigint;
  readonly others: { readonly own: string | undefined; readonly reached: ReadonlyMap<string, bigint> };
}

/** Reads changes as lists have what has changed. */
@Injectable()
export class ChangeReader {
  private readonly waiting: (() => void)[] = [];
  private reads = 0;

  constructor(
    private readonly repository: ChangeRepository,
    private readonly utxos: UtxosService,
    private readonly messages: InterchainMessagesService,
    private readonly lists: ListDatabase,
  ) {}

  /** All changes of a range, in order; no more than a page of them in memory. */
  async *read(subscription: Subscription, range: ReadRange): AsyncGenerator<Change, void> {
    let { place } = range;
    for (;;) {
      const begun = place;
      const rows = await this.inTurn(() => this.page(subscription, range, begun));
      if (rows.length === 0) return;
      const page = rows.slice(0, PAGE_SIZE);
      const data = await this.inTurn(() => this.describe(subscription, page));
      for (const [index, { kind, height: decimal }] of page.entries()) {
        const height = BigInt(decimal);
        const sent = place.height === height ? (place.sent ?? 0) + 1 : 1;
        const isLast = rows[index + 1]?.height !== decimal;
        place = isLast ? { height } : { height, sent };
        const text = data[index];
        if (text !== undefined) yield { kind, data: text, place };
      }
      if (rows.length <= PAGE_SIZE) return;
    }
  }

  /** One more than a page, which shows whether its last block is complete. */
  private page(
    subscription: Subscription,
    { chain, to, others }: ReadRange,
    place: ChainPlace,
  ): Promise<ChangeRow[]> {
    const { height, sent } = place;
    return this.repository.find(subscription, {
      chain,
      chainId: others.own,
      from: sent === undefined ? height : height - 1n,
      to,
      skip: sent ?? 0,
      limit: PAGE_SIZE + 1,
      others: others.reached,
    });
  }

  /** JSON of each; undefined for those whose row has gone since, as rows do that are made anew. */
  private async describe(
    { network }: Subscription,
    rows: readonly ChangeRow[],
  ): Promise<(string | undefined)[]> {
    const idsOf = (prefix: string): string[] => [
      ...new Set(rows.filter(({ kind }) => kind.startsWith(prefix)).map(({ id }) => id)),
    ];
    const [utxos, messages] = await this.lists.fromPrimary(() =>
      Promise.all([
        this.utxos.describe(network, idsOf('utxo.')),
        this.messages.describe(network, idsOf('message.')),
      ]),
    );
    const jsonOf = (row: object | undefined): string | undefined => row && stringifyLossless(row);
    return rows.map((row) => {
      switch (row.kind) {
        case 'validator.changed':
          return jsonOf(toValidatorChange(row));
        case 'utxo.created': {
          const utxo = utxos.get(row.id);
          return jsonOf(utxo && { ...utxo, ...UNSPENT });
        }
        case 'utxo.consumed':
          return jsonOf(utxos.get(row.id));
        case 'message.sent':
        case 'message.delivered':
        case 'message.executed':
          return jsonOf(messages.get(row.id));
      }
    });
  }

  private async inTurn<T>(read: () => Promise<T>): Promise<T> {
    if (this.reads >= MAX_READS) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.reads += 1;
    try {
      return await read();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.reads -= 1;
      else next();
    }
  }
}

/** Whether it has been spent since is another change. */
const UNSPENT = {
  consumingTxHash: undefined,
  consumingBlockNumber: undefined,
  consumingBlockTimestamp: undefined,
};
