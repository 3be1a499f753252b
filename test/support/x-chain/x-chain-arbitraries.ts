import fc from 'fast-check';
import type { AvmBlockFields } from '../../../src/avalanche/avm/codec/block.js';
import { packAvmTransaction } from '../../../src/avalanche/avm/codec/transaction.js';
import type { AvmOutput, AvmUtxo } from '../../../src/avalanche/avm/output.js';
import type {
  AssetOperation,
  AvmCredential,
  AvmOperation,
  AvmTransaction,
  AvmUnsignedTx,
} from '../../../src/avalanche/avm/transaction.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { transactionId } from '../../../src/avalanche/platformvm/codec/transaction.js';
import { field } from '../codec-properties.js';
import {
  base as platformBase,
  credential as platformCredential,
  input as platformInput,
  owners,
  transferableOutput as platformOutput,
} from '../p-chain/p-chain-arbitraries.js';

/** Random values of everything that the X-chain's codec carries: well-formed, not meaningful. */

const { uint32, uint64, blob } = field;
const id = field.id.map(toHex);
const few = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(element, { maxLength: 3 });
const unlocked = <T extends object>(element: fc.Arbitrary<T>) =>
  element.map((value) => ({ ...value, stakeableLocktime: null }));

/** One arbitrary per type, so that none can be forgotten. */
type ByType<T extends { readonly type: string }> = {
  readonly [V in T as V['type']]: fc.Arbitrary<V>;
};

const outputs: ByType<AvmOutput> = {
  Transfer: fc.record({ type: fc.constant('Transfer'), amount: uint64, owners }),
  Mint: fc.record({ type: fc.constant('Mint'), owners }),
  NftMint: fc.record({ type: fc.constant('NftMint'), groupId: uint32, owners }),
  NftTransfer: fc.record({
    type: fc.constant('NftTransfer'),
    groupId: uint32,
    payload: blob(40),
    owners,
  }),
  PropertyMint: fc.record({ type: fc.constant('PropertyMint'), owners }),
  PropertyOwned: fc.record({ type: fc.constant('PropertyOwned'), owners }),
};
const anyOutput: fc.Arbitrary<AvmOutput> = fc.oneof(...Object.values(outputs));

export const anyAvmUtxo: fc.Arbitrary<AvmUtxo> = fc.record({
  txId: id,
  outputIndex: uint32,
  assetId: id,
  output: anyOutput,
});

const signatureIndices = few(uint32);

const operations: ByType<AvmOperation> = {
  Mint: fc.record({
    type: fc.constant('Mint'),
    signatureIndices,
    mintOutput: outputs.Mint,
    transferOutput: outputs.Transfer,
  }),
  NftMint: fc.record({
    type: fc.constant('NftMint'),
    signatureIndices,
    groupId: uint32,
    payload: blob(40),
    owners: few(owners),
  }),
  NftTransfer: fc.record({
    type: fc.constant('NftTransfer'),
    signatureIndices,
    output: outputs.NftTransfer,
  }),
  PropertyMint: fc.record({
    type: fc.constant('PropertyMint'),
    signatureIndices,
    mintOutput: outputs.PropertyMint,
    ownedOutput: outputs.PropertyOwned,
  }),
  PropertyBurn: fc.record({ type: fc.constant('PropertyBurn'), signatureIndices }),
};

const assetOperation: fc.Arbitrary<AssetOperation> = fc.record({
  assetId: id,
  inputs: few(fc.record({ txId: id, outputIndex: uint32 })),
  operation: fc.oneof(...Object.values(operations)),
});

const base = {
  ...platformBase,
  outputs: few(unlocked(platformOutput)),
  inputs: few(unlocked(platformInput)),
};

const anyAvmUnsignedTx: ByType<AvmUnsignedTx> = {
  Base: fc.record({ type: fc.constant('Base'), ...base }),
  CreateAsset: fc.record({
    type: fc.constant('CreateAsset'),
    ...base,
    name: fc.string({ unit: 'grapheme', maxLength: 20 }),
    symbol: fc.string({ maxLength: 4 }),
    denomination: fc.nat({ max: 255 }),
    initialStates: few(fc.record({ fxIndex: uint32, outputs: few(anyOutput) })),
  }),
  Operation: fc.record({ type: fc.constant('Operation'), ...base, operations: few(assetOperation) }),
  Import: fc.record({
    type: fc.constant('Import'),
    ...base,
    sourceChain: id,
    importedInputs: few(unlocked(platformInput)),
  }),
  Export: fc.record({
    type: fc.constant('Export'),
    ...base,
    destinationChain: id,
    exportedOutputs: few(unlocked(platformOutput)),
  }),
};

const credential: fc.Arbitrary<AvmCredential> = fc
  .tuple(fc.constantFrom('Transfer' as const, 'Nft' as const, 'Property' as const), platformCredential)
  .map(([type, { signatures }]) => ({ type, signatures }));

export const anyAvmTransaction: fc.Arbitrary<AvmTransaction> = fc
  .record({
    unsigned: fc.oneof<fc.Arbitrary<AvmUnsignedTx>[]>(...Object.values(anyAvmUnsignedTx)),
    credentials: few(credential),
  })
  .map((signed) => ({ id: transactionId(packAvmTransaction(signed)), ...signed }));

export const anyAvmBlock: fc.Arbitrary<AvmBlockFields> = fc.record({
  parentId: id,
  height: uint64,
  time: uint64,
  merkleRoot: id,
  transactions: few(anyAvmTransaction),
});
