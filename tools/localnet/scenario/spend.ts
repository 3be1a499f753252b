import { toHex } from '../../../src/avalanche/ids/hex.js';
import { transferableOutput } from '../../../src/avalanche/platformvm/codec/fields.js';
import { packWith } from '../../../src/avalanche/platformvm/codec/bounded-blob.js';
import type { Id, ShortId } from '../../../src/avalanche/platformvm/ids.js';
import type { Utxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import type {
  OutputOwners,
  TransferableInput,
  TransferableOutput,
} from '../../../src/avalanche/platformvm/output.js';
import { selectSigners, type SigningKey } from './signing-key.js';

export interface Spending {
  readonly inputs: TransferableInput[];
  /** Signers, per input. */
  readonly signers: SigningKey[][];
  /** Inputs beyond the requested amounts, by asset. */
  readonly change: TransferableOutput[];
}

/**
 * Chooses of the UTXOs, the first ones first, until the amounts are there. Locked ones are passed over unless they are
 * among `mustSpend`, which are spent in any case. Throws when it is not enough.
 */
export function chooseInputs(request: {
  utxos: readonly Utxo[];
  mustSpend?: readonly Utxo[] | undefined;
  amounts: ReadonlyMap<Id, bigint>;
  keys: ReadonlyMap<ShortId, SigningKey>;
  changeOwners: OutputOwners;
  now: bigint;
}): Spending {
  const { utxos, mustSpend = [], amounts, keys, changeOwners, now } = request;
  const missing = new Map(amounts);
  const chosen: { input: TransferableInput; signers: SigningKey[] }[] = [];
  const spend = (utxo: Utxo): void => {
    const { txId, outputIndex, assetId, output } = utxo;
    const selected = selectSigners(output.owners, keys);
    if (selected === undefined) throw new Error(`no keys for ${txId}:${outputIndex}`);
    const isLocked = output.stakeableLocktime !== null && output.stakeableLocktime > now;
    const input = {
      txId,
      outputIndex,
      assetId,
      amount: output.amount,
      stakeableLocktime: isLocked ? output.stakeableLocktime : null,
      signatureIndices: selected.indices,
    };
    chosen.push({ input, signers: selected.signers });
    missing.set(assetId, (missing.get(assetId) ?? 0n) - output.amount);
  };
  mustSpend.forEach(spend);
  for (const utxo of utxos) {
    if ((missing.get(utxo.assetId) ?? 0n) > 0n && isSpendable(utxo, keys, now)) spend(utxo);
  }
  chosen.sort((a, b) => compareText(inputKey(a.input), inputKey(b.input)));
  return {
    inputs: chosen.map(({ input }) => input),
    signers: chosen.map(({ signers }) => signers),
    change: changeOutputs(missing, changeOwners),
  };
}

function changeOutputs(missing: ReadonlyMap<Id, bigint>, owners: OutputOwners): TransferableOutput[] {
  return [...missing].flatMap(([assetId, amount]) => {
    if (amount > 0n) throw new Error(`${amount} more of ${assetId} needed`);
    return amount === 0n ? [] : [{ assetId, amount: -amount, stakeableLocktime: null, owners }];
  });
}

function isSpendable(utxo: Utxo, keys: ReadonlyMap<ShortId, SigningKey>, now: bigint): boolean {
  const { owners, stakeableLocktime } = utxo.output;
  const isUnlocked = owners.locktime <= now && (stakeableLocktime ?? 0n) <= now;
  return isUnlocked && selectSigners(owners, keys) !== undefined;
}

/** Ascending by asset and packed output, as the codec demands. */
export function sortOutputs<T extends TransferableOutput>(outputs: readonly T[]): T[] {
  return [...outputs].sort((a, b) => compareText(outputKey(a), outputKey(b)));
}

export function addAmounts(
  outputs: readonly { assetId: Id; amount: bigint }[],
  sum: Map<Id, bigint> = new Map<Id, bigint>(),
): Map<Id, bigint> {
  for (const { assetId, amount } of outputs) sum.set(assetId, (sum.get(assetId) ?? 0n) + amount);
  return sum;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function outputKey(output: TransferableOutput): string {
  return toHex(packWith(transferableOutput, output));
}

function inputKey({ txId, outputIndex }: TransferableInput): string {
  return txId + outputIndex.toString(16).padStart(8, '0');
}

/** Of the clock. */
export function nowSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
