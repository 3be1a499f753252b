import { describe, expect, it } from '@jest/globals';
import { PRIMARY_NETWORK } from '../ids.js';
import type { Transaction, UnsignedTx } from '../transaction.js';
import { utxoId } from '../utxo-id.js';
import {
  base,
  burnedBy,
  codeOf,
  DAY,
  GENESIS_TIME,
  idOf,
  input,
  nodeOf,
  output,
  ownedBy,
  TestChain,
  UPGRADES,
} from '../../../../test/support/p-chain/test-chain.js';
import {
  addPermissionlessDelegator,
  addPermissionlessValidator,
  advanceTo,
} from '../../../../test/support/p-chain/test-transactions.js';
import { AVAX } from './chain-rules.js';

/** How avalanchego keeps it: by id, and the last decision counts. */
describe('a transaction that stands in two blocks', () => {
  it('is decided by the last of them', () => {
    const chain = new TestChain();
    const propose = (transaction: Transaction, type: 'ApricotCommit' | 'ApricotAbort'): void => {
      chain.apply({ type: 'ApricotProposal', transaction });
      chain.apply({ type });
    };
    const advance = chain.transaction(advanceTo(GENESIS_TIME + 1));
    propose(advance, 'ApricotAbort');
    propose(chain.transaction(advanceTo(GENESIS_TIME + 2)), 'ApricotAbort');
    propose(advance, 'ApricotCommit');
    const { transactions } = chain.take();
    expect([...transactions.values()]).toMatchObject([
      { txId: advance.id, isCommitted: true, blockHeight: 4n },
      { isCommitted: false, blockHeight: 2n },
    ]);
    expect(chain.time).toBe(GENESIS_TIME + 1);
  });
});

describe('the order of blocks', () => {
  it('takes block 0, which names the genesis, and then only children', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    chain.apply({ type: 'ApricotCommit' });
    expect(chain.take().tip).toEqual({ ...chain.state.tip, height: 0n, blockId: idOf('block 0') });
    const standard = { type: 'BanffStandard', time: BigInt(chain.time), transactions: [] } as const;
    const next = { ...standard, id: idOf('x'), parentId: idOf('block 0'), height: 1n };
    expect(codeOf(() => chain.replay.apply({ ...next, height: 2n }))).toBe('WRONG_PARENT');
    expect(codeOf(() => chain.replay.apply({ ...next, parentId: idOf('elsewhere') }))).toBe('WRONG_PARENT');
    expect(codeOf(() => chain.replay.apply(next))).toBe('accepted');
    expect(codeOf(() => chain.replay.apply(next))).toBe('WRONG_PARENT');
  });

  it('keeps a proposal back until its option', () => {
    const chain = new TestChain();
    chain.apply({ type: 'ApricotProposal', transaction: chain.transaction(advanceTo(GENESIS_TIME + 1)) });
    expect(chain.replay.isUndecided).toBe(true);
    expect(chain.replay.takeChanges()).toBeNull();
    expect(codeOf(() => chain.apply({ type: 'ApricotStandard', transactions: [] }))).toBe('STATE_MISMATCH');
  });

  it('refuses an option that decides about nothing', () => {
    const chain = new TestChain();
    chain.apply({ type: 'ApricotStandard', transactions: [] });
    expect(codeOf(() => chain.apply({ type: 'ApricotCommit' }))).toBe('STATE_MISMATCH');
  });

  it('does not let time go back', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    expect(codeOf(() => chain.accept(UPGRADES.durango - 1))).toBe('STATE_MISMATCH');
  });

  it('joins the changes of several blocks', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    const { unsigned, id } = chain.transaction({ ...base(), type: 'CreateSubnet', owner: ownedBy('a') });
    const created = { id, unsigned, credentials: [] };
    const transferred = chain.transaction({
      ...base(),
      type: 'TransferSubnetOwnership',
      subnetId: id,
      subnetAuth: { signatureIndices: [0] },
      owner: ownedBy('b'),
    });
    const time = BigInt(chain.time);
    chain.apply({ type: 'BanffStandard', time, transactions: [created] });
    chain.apply({ type: 'BanffStandard', time: time + 5n, transactions: [transferred] });
    const changes = chain.take();
    expect(changes.tip).toMatchObject({ height: 1n, time: UPGRADES.durango + 5 });
    expect(changes.subnets.get(id)).toMatchObject({ blockHeight: 0n, owner: ownedBy('b') });
    expect([...changes.transactions.keys()]).toEqual([id, transferred.id]);
    expect(chain.replay.takeChanges()).toBeNull();
  });
});

describe('a block that fails', () => {
  it('leaves the state as it was', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    chain.accept(chain.time, addPermissionlessValidator('n', chain.time + 30 * DAY));
    const before = [...chain.state.snapshot().stakers, ...chain.state.snapshot().stakes];
    const bad: UnsignedTx = {
      ...base(),
      type: 'RemoveSubnetValidator',
      nodeId: nodeOf('stranger'),
      subnetId: idOf('subnet'),
      subnetAuth: { signatureIndices: [] },
    };
    const good = addPermissionlessDelegator('n', chain.time + 20 * DAY, 30n * AVAX);
    expect(codeOf(() => chain.accept(chain.time + 60, good, bad))).toBe('STATE_MISMATCH');
    expect([...chain.state.snapshot().stakers, ...chain.state.snapshot().stakes]).toEqual(before);
    expect(chain.state.tip.time).toBe(UPGRADES.durango);
  });
});

describe('the money of transactions', () => {
  it('is spent, made, exported and imported, and the rest is burned', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    const cChain = idOf('C');
    const { consumedUtxos, createdUtxos, transactions, ids } = chain.accept(
      chain.time,
      {
        ...base({ inputs: [input(100n, 'a')], outputs: [output(30n)] }),
        type: 'Export',
        destinationChain: cChain,
        exportedOutputs: [output(50n, ownedBy('carol'))],
      },
      {
        ...base({ outputs: [output(8n)] }),
        type: 'Import',
        sourceChain: cChain,
        importedInputs: [input(9n, 'far')],
      },
    );
    expect(
      createdUtxos.map(({ txId, outputIndex, spendableOnChainId, output: { amount } }) => [
        txId,
        outputIndex,
        spendableOnChainId,
        amount,
      ]),
    ).toEqual([
      [ids[0], 0, PRIMARY_NETWORK, 30n],
      [ids[0], 1, cChain, 50n],
      [ids[1], 0, PRIMARY_NETWORK, 8n],
    ]);
    expect(consumedUtxos).toMatchObject([
      { utxoId: utxoId(idOf('a'), 0), createdOnChainId: PRIMARY_NETWORK, consumingTxId: ids[0] },
      { utxoId: utxoId(idOf('far'), 0), createdOnChainId: cChain, consumingTxId: ids[1] },
    ]);
    expect(burnedBy(transactions)).toEqual([20n, 1n]);
  });

  it('counts as burned in AVAX alone', () => {
    const chain = new TestChain({ time: UPGRADES.durango });
    const other = { ...input(1_000n, 'token'), assetId: idOf('token') };
    const { transactions } = chain.accept(chain.time, {
      ...base({ inputs: [input(3n), other], outputs: [output(1n)] }),
      type: 'Base',
    });
    expect(burnedBy(transactions)).toEqual([2n]);
  });
});
