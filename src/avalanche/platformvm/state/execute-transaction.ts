import { fromHex, toHex } from '../../ids/hex.js';
import {
  unpackRegisterL1Validator,
  validationIdOfRegistration,
} from '../../warp/message/register-l1-validator.js';
import { unpackL1ValidatorWeight } from '../../warp/message/l1-validator-weight.js';
import { validationIdOfConversion } from '../../warp/message/subnet-to-l1-conversion.js';
import type { PChainOwner as WarpOwner } from '../../warp/message/p-chain-owner.js';
import { packUnsignedTransaction } from '../codec/transaction.js';
import { conversionIdOf, isL1Transaction, unpackOrder } from '../l1-transaction.js';
import type { Id } from '../ids.js';
import type { PChainOwner, TransferableInput, TransferableOutput } from '../output.js';
import { PRIMARY_NETWORK } from '../ids.js';
import type { BaseFields, Transaction, UnsignedTx, TxOf } from '../transaction.js';
import type { L1Validator, TransactionRecord } from './records.js';
import { removed } from './staker-status.js';
import { addStaker, toSeconds } from './stakers.js';
import { mismatch, type StateDiff } from './state-diff.js';

/** A transaction that takes effect with its block (avalanchego v1.14.2 txs/executor/standard_tx_executor.go). */
export function executeTransaction(diff: StateDiff, { id, unsigned: tx }: Transaction): void {
  const base = moveFunds(diff, id, tx);
  applyEffect(diff, id, tx);
  recordTransaction(diff, id, tx, { isCommitted: true, ...avaxOf(diff, base, tx) });
}

export function recordTransaction(
  diff: StateDiff,
  txId: Id,
  tx: UnsignedTx,
  outcome: AvaxFlow & { isCommitted: boolean },
): void {
  diff.transactions.set(txId, {
    txId,
    type: tx.type,
    blockHeight: diff.blockHeight,
    blockTime: diff.time,
    l1Transaction: isL1Transaction(tx) ? packUnsignedTransaction(tx) : null,
    ...outcome,
  });
}

/** Spends the inputs and creates the ordinary outputs. Throws STATE_MISMATCH for a transaction that has none. */
export function moveFunds(diff: StateDiff, txId: Id, tx: UnsignedTx): BaseFields {
  if (!('inputs' in tx)) throw mismatch(`${tx.type} is no decision`);
  for (const input of tx.inputs) consume(diff, txId, input, PRIMARY_NETWORK);
  tx.outputs.forEach((output, outputIndex) => {
    diff.createUtxo({ txId, outputIndex, assetId: output.assetId, output });
  });
  return tx;
}

/** AVAX that went in, and of it what came out neither as an output nor as a stake, an export or an L1 balance. */
export type AvaxFlow = Pick<TransactionRecord, 'avaxSpent' | 'burned'>;

export function avaxOf(diff: StateDiff, base: BaseFields, tx: UnsignedTx): AvaxFlow {
  const { avaxAssetId } = diff.base.rules;
  const sum = (amounts: readonly (TransferableInput | TransferableOutput)[]) =>
    amounts.reduce((total, { assetId, amount }) => (assetId === avaxAssetId ? total + amount : total), 0n);
  const avaxSpent = sum(base.inputs) + (tx.type === 'Import' ? sum(tx.importedInputs) : 0n);
  let burned = avaxSpent - sum(base.outputs);
  if ('stake' in tx) burned -= sum(tx.stake);
  if (tx.type === 'Export') burned -= sum(tx.exportedOutputs);
  if (tx.type === 'RegisterL1Validator' || tx.type === 'IncreaseL1ValidatorBalance') burned -= tx.balance;
  if (tx.type === 'ConvertSubnetToL1') {
    for (const { balance } of tx.validators) burned -= balance;
  }
  return { avaxSpent, burned };
}

function consume(diff: StateDiff, consumingTxId: Id, input: TransferableInput, createdOnChainId: Id): void {
  diff.consumeUtxo({
    txId: input.txId,
    outputIndex: input.outputIndex,
    assetId: input.assetId,
    amount: input.amount,
    createdOnChainId,
    consumingTxId,
  });
}

function applyEffect(diff: StateDiff, txId: Id, tx: UnsignedTx): void {
  switch (tx.type) {
    case 'Base':
      return;
    case 'AddValidator':
    case 'AddDelegator':
    case 'AddSubnetValidator':
    case 'AddPermissionlessValidator':
    case 'AddPermissionlessDelegator':
    case 'AddAutoRenewedValidator':
      addStaker(diff, txId, tx);
      return;
    case 'Import':
      for (const input of tx.importedInputs) consume(diff, txId, input, tx.sourceChain);
      return;
    case 'Export':
      tx.exportedOutputs.forEach((output, i) => {
        const outputIndex = tx.outputs.length + i;
        const { assetId } = output;
        diff.createUtxo({ txId, outputIndex, assetId, output, spendableOnChainId: tx.destinationChain });
      });
      return;
    case 'CreateSubnet':
      diff.putSubnet({
        subnetId: txId,
        blockHeight: diff.blockHeight,
        blockTime: diff.time,
        owner: tx.owner,
        transformation: null,
        conversion: null,
      });
      return;
    case 'CreateChain':
      createChain(diff, txId, tx);
      return;
    case 'TransferSubnetOwnership':
      diff.putSubnet({ ...diff.getSubnet(tx.subnetId), owner: tx.owner });
      return;
    case 'RemoveSubnetValidator':
      removeSubnetValidator(diff, txId, tx);
      return;
    case 'TransformSubnet':
      transformSubnet(diff, txId, tx);
      return;
    case 'ConvertSubnetToL1':
      convertSubnetToL1(diff, txId, tx);
      return;
    case 'RegisterL1Validator':
      registerL1Validator(diff, txId, tx);
      return;
    case 'SetL1ValidatorWeight':
      setL1ValidatorWeight(diff, txId, { message: tx.message, outputCount: tx.outputs.length });
      return;
    case 'IncreaseL1ValidatorBalance':
      increaseBalance(diff, tx.validationId, tx.balance);
      return;
    case 'DisableL1Validator':
      disableL1Validator(diff, txId, { validationId: tx.validationId, outputCount: tx.outputs.length });
      return;
    case 'SetAutoRenewedValidatorConfig':
      setAutoRenewal(diff, tx);
      return;
    case 'AdvanceTime':
    case 'RewardValidator':
    case 'RewardAutoRenewedValidator':
      throw mismatch(`${tx.type} is no decision`);
  }
}

function createChain(diff: StateDiff, txId: Id, tx: TxOf<'CreateChain'>): void {
  diff.blockchains.push({
    blockchainId: txId,
    subnetId: tx.subnetId,
    name: tx.chainName,
    vmId: tx.vmId,
    fxIds: tx.fxIds,
    genesisData: tx.genesisData,
    blockHeight: diff.blockHeight,
    blockTime: diff.time,
  });
}

function removeSubnetValidator(diff: StateDiff, txId: Id, tx: TxOf<'RemoveSubnetValidator'>): void {
  const validator = diff.getValidator(tx.subnetId, tx.nodeId);
  if (!validator.isPermissioned) throw mismatch(`validator ${validator.txId} cannot be removed`);
  diff.putStaker(removed(validator, { endTxId: txId, endedAt: diff.time }));
}

function transformSubnet(diff: StateDiff, txId: Id, tx: TxOf<'TransformSubnet'>): void {
  const { assetId, maximumSupply, minConsumptionRate, maxConsumptionRate } = tx;
  const { maxValidatorStake, maxValidatorWeightFactor } = tx;
  diff.putSubnet({
    ...diff.getSubnet(tx.subnetId),
    transformation: {
      txId,
      assetId,
      maximumSupply,
      minConsumptionRate,
      maxConsumptionRate,
      maxValidatorStake,
      maxValidatorWeightFactor,
    },
  });
  diff.putStake({ ...diff.getStake(tx.subnetId), supply: tx.initialSupply });
}

function convertSubnetToL1(diff: StateDiff, txId: Id, tx: TxOf<'ConvertSubnetToL1'>): void {
  const subnetId = fromHex(tx.subnetId);
  tx.validators.forEach((validator, index) => {
    const { nodeId, weight, balance, signer, remainingBalanceOwner, deactivationOwner } = validator;
    diff.putL1Validator({
      validationId: toHex(validationIdOfConversion(subnetId, index)),
      subnetId: tx.subnetId,
      nodeId,
      publicKey: signer.publicKey,
      proofOfPossession: signer.proofOfPossession,
      remainingBalanceOwner,
      deactivationOwner,
      start: diff.time,
      weight,
      minNonce: 0n,
      endAccumulatedFee: balance === 0n ? 0n : diff.accruedFees + balance,
      txId,
    });
  });
  diff.putSubnet({
    ...diff.getSubnet(tx.subnetId),
    conversion: {
      txId,
      conversionId: toHex(conversionIdOf(tx)),
      managerChainId: tx.managerChainId,
      managerAddress: toHex(tx.managerAddress),
    },
  });
}

function registerL1Validator(diff: StateDiff, txId: Id, tx: TxOf<'RegisterL1Validator'>): void {
  const packed = unpackOrder(tx.message).order;
  const order = unpackRegisterL1Validator(packed);
  diff.putL1Validator({
    validationId: toHex(validationIdOfRegistration(packed)),
    subnetId: toHex(order.subnetId),
    nodeId: toHex(order.nodeId),
    publicKey: order.blsPublicKey,
    proofOfPossession: tx.proofOfPossession,
    remainingBalanceOwner: toOwner(order.remainingBalanceOwner),
    deactivationOwner: toOwner(order.disableOwner),
    start: diff.time,
    weight: order.weight,
    minNonce: 0n,
    endAccumulatedFee: tx.balance === 0n ? 0n : diff.accruedFees + tx.balance,
    txId,
  });
}

function setL1ValidatorWeight(
  diff: StateDiff,
  txId: Id,
  tx: { message: Uint8Array; outputCount: number },
): void {
  const order = unpackL1ValidatorWeight(unpackOrder(tx.message).order);
  const validator = diff.getL1Validator(toHex(order.validationId));
  const changed = { ...validator, weight: order.weight, minNonce: order.nonce + 1n };
  if (order.weight > 0n) {
    diff.putL1Validator(changed);
    return;
  }
  refund(diff, validator, { txId, outputIndex: tx.outputCount });
  diff.putL1Validator({ ...changed, endAccumulatedFee: 0n });
}

function increaseBalance(diff: StateDiff, validationId: Id, balance: bigint): void {
  const validator = diff.getL1Validator(validationId);
  const { endAccumulatedFee } = validator;
  const from = endAccumulatedFee === 0n ? diff.accruedFees : endAccumulatedFee;
  diff.putL1Validator({ ...validator, endAccumulatedFee: from + balance });
}

function disableL1Validator(diff: StateDiff, txId: Id, tx: { validationId: Id; outputCount: number }): void {
  const validator = diff.getL1Validator(tx.validationId);
  refund(diff, validator, { txId, outputIndex: tx.outputCount });
  diff.putL1Validator({ ...validator, endAccumulatedFee: 0n });
}

/** Pays back what an active L1 validator has not used up; an inactive one has nothing left. */
function refund(diff: StateDiff, validator: L1Validator, at: { txId: Id; outputIndex: number }): void {
  const { endAccumulatedFee, remainingBalanceOwner, validationId } = validator;
  if (endAccumulatedFee === 0n) return;
  const amount = endAccumulatedFee - diff.accruedFees;
  if (amount <= 0n) throw mismatch(`L1 validator ${validationId} should be inactive by now`);
  diff.createUtxo({
    ...at,
    assetId: diff.base.rules.avaxAssetId,
    output: { amount, stakeableLocktime: null, owners: { locktime: 0n, ...remainingBalanceOwner } },
  });
}

function setAutoRenewal(diff: StateDiff, tx: TxOf<'SetAutoRenewedValidatorConfig'>): void {
  const validator = diff.getStaker(tx.stakerTxId);
  if (validator.kind !== 'validator' || validator.autoRenewal === null) {
    throw mismatch(`staker ${tx.stakerTxId} does not renew itself`);
  }
  const { autoCompoundShares } = tx;
  const autoRenewal = { ...validator.autoRenewal, autoCompoundShares, nextPeriod: toSeconds(tx.period) };
  diff.putStaker({ ...validator, autoRenewal });
}

function toOwner({ threshold, addresses }: WarpOwner): PChainOwner {
  return { threshold, addresses: addresses.map(toHex) };
}
