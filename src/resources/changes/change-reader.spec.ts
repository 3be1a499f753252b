import { describe, expect, it } from '@jest/globals';
import { P_CHAIN } from '../../../test/support/http/fed-p-chain.js';
import { type Change, ChangeReader } from './change-reader.js';
import type { ChangeRow } from './change.repository.js';

const SUBSCRIPTION = { network: 'fuji', addresses: [], evmAddresses: [], nodeIds: [] } as const;

const row = (kind: ChangeRow['kind'], height: number, id: string): ChangeRow => ({
  kind,
  height: String(height),
  id,
  nodeId: null,
  validationId: null,
  weight: null,
  isActive: null,
});

describe(ChangeReader.name, () => {
  it('passes over what has gone meanwhile, and counts it in the places of the others', async () => {
    const rows = [
      row('utxo.created', 7, 'gone'),
      row('utxo.created', 7, 'a'),
      row('utxo.consumed', 7, 'gone'),
      row('utxo.consumed', 8, 'gone'),
      row('utxo.consumed', 9, 'a'),
      row('message.sent', 9, 'gone'),
    ];
    const reader = new ChangeReader(
      { find: async () => rows } as never,
      { describe: async () => new Map([['a', { utxoId: 'a', consumingTxHash: 'b' }]]) } as never,
      { describe: async () => new Map() } as never,
      { fromPrimary: (read: () => unknown) => read() } as never,
    );
    const range = {
      chain: P_CHAIN,
      place: { height: 6n },
      to: 9n,
      others: { own: undefined, reached: new Map() },
    };
    const changes: Change[] = [];
    for await (const change of reader.read(SUBSCRIPTION, range)) changes.push(change);
    expect(changes).toEqual([
      { kind: 'utxo.created', data: '{"utxoId":"a"}', place: { height: 7n, sent: 2 } },
      { kind: 'utxo.consumed', data: '{"utxoId":"a","consumingTxHash":"b"}', place: { height: 9n, sent: 1 } },
    ]);
  });
});
