import { describe, expect, it } from '@jest/globals';
import type { IndexedNetworks } from '../../indexes/overview/indexed-networks.js';
import type { PageTokens } from '../../platform/http/pagination/page-tokens.js';
import type { AssetRepository } from './asset.repository.js';
import type { KnownSpends } from './known-spends.js';
import type { UtxoRow } from './utxo-list.js';
import type { UtxoRepository } from './utxo.repository.js';
import { UtxosService } from './utxos.service.js';

const UTXOS = 20;
const OWNERS = 1_000;
const ID = 'ab'.repeat(32);

const rowOf = (number: number): UtxoRow =>
  ({
    utxoId: number.toString(16).padStart(64, '0'),
    txId: ID,
    outputIndex: 0,
    assetId: ID,
    amount: 1n,
    createdOnChainId: ID,
    spendableOnChainId: ID,
    blockHeight: 1n,
    blockTime: 1,
    stakeableLocktime: null,
    rewardType: null,
    outputKind: null,
    stakeStart: null,
    stakeEnd: null,
    isStaked: true,
    owner: {
      locktime: 0n,
      threshold: 1,
      addresses: Array.from({ length: OWNERS }, (_, i) => i.toString(16).padStart(40, '0')),
    },
  }) as unknown as UtxoRow;

describe(UtxosService.name, () => {
  it('lets others have their turn while it describes UTXOs with very many owners', async () => {
    const rows = Array.from({ length: UTXOS }, (_, i) => rowOf(i));
    const asset = { name: '', symbol: '', denomination: 0 };
    const service = new UtxosService(
      { find: () => Promise.resolve(rows) } as unknown as UtxoRepository,
      { find: () => Promise.resolve(() => asset) } as unknown as AssetRepository,
      { get: () => Promise.resolve({ hrp: 'fuji' }) } as unknown as IndexedNetworks,
      {} as KnownSpends,
      {} as PageTokens,
    );
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const described = await service.describe('fuji', [ID]);
    isDone = true;
    expect(described.size).toBe(UTXOS);
    expect(described.get(rows[0]?.utxoId ?? '')?.addresses).toHaveLength(OWNERS);
    expect(turns).toBeGreaterThanOrEqual(UTXOS - 1);
  });
});
