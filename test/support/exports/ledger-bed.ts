import { beforeAll, expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { AvmOutput } from '../../../src/avalanche/avm/output.js';
import { parseAvmBlock } from '../../../src/avalanche/avm/codec/block.js';
import { loadAvmGenesis } from '../../../src/avalanche/avm/genesis/genesis.js';
import { AvmExecution } from '../../../src/avalanche/avm/state/avm-execution.js';
import { readAtomicTransactions } from '../../../src/avalanche/evm/blocks/atomic-transactions.js';
import { parseHeader } from '../../../src/avalanche/evm/blocks/block.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../../src/avalanche/ids/id.js';
import { parseBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import { PRIMARY_NETWORK } from '../../../src/avalanche/platformvm/ids.js';
import { BlockReplay } from '../../../src/avalanche/platformvm/state/block-replay.js';
import { genesisState } from '../../../src/avalanche/platformvm/state/genesis-state.js';
import type { RewardType } from '../../../src/avalanche/platformvm/state/records.js';
import { utxoId } from '../../../src/avalanche/platformvm/utxo-id.js';
import { dayOf } from '../../../src/exports/turns/days.js';
import type { ExportProgress, LedgerRequest } from '../../../workflows/contracts/export-transactions.js';
import { defaultCChainRecording } from '../../../sandbox/evm-chains/default-recordings.js';
import type { PChainRecording } from '../../../sandbox/recording/p-chain-recording.js';
import { generateEvmChain } from '../../../sandbox/generated/evm-chain-generator.js';
import { defaultXChainRecording } from '../../../sandbox/x-chain/default-recording.js';
import { chainOf } from '../p-chain/p-chain-ledger.js';
import { createEvmChains, NO_LIMITS, readExport, runExport } from './export-run.js';
import { createExporter } from './make-exporter.js';
import { makeStorage } from './export-bed.js';
import { startEvmChain, TEST_CHAIN } from '../evm/evm-index.js';

export type Chain = 'P' | 'X' | 'C';

/** An output as the blocks have it: on which chain it was made and could be spent, and when. */
export interface Coin {
  readonly createdOn: Chain;
  readonly spendableOn: Chain;
  readonly txId: string;
  readonly assetId: string;
  readonly amount: bigint;
  readonly owners: readonly string[];
  readonly createdAt: number;
  readonly rewardType: RewardType | null;
  spentAt?: number;
  spentBy?: string;
}

/** A change of an EVM address by an import or export. */
interface EvmChange {
  readonly address: string;
  readonly assetId: string;
  readonly amount: bigint;
  readonly time: number;
}

/** `key` is the chain and the asset (cb58). */
interface HoldingChange {
  readonly key: string;
  readonly amount: bigint;
}

/** All that three chains did, read from their blocks and never from a table. */
export class DecodedChains {
  readonly coins = new Map<string, Coin>();
  readonly evmChanges: EvmChange[] = [];
  private readonly cb58 = new Map<string, string>();
  private readonly spent: { readonly id: string; readonly at: number; readonly by: string }[] = [];

  /** Of the sandbox's three chains, or of a P-chain alone. */
  static async read(recording: PChainRecording, { withAll }: { withAll: boolean }): Promise<DecodedChains> {
    const hexOf = (id: string): string => toHex(idFromString(id));
    const chains = new Map<string, Chain>([
      [PRIMARY_NETWORK, 'P'],
      [hexOf(recording.blockchainIds.X), 'X'],
      [hexOf(recording.blockchainIds.C), 'C'],
    ]);
    const decoded = new DecodedChains();
    await decoded.addP(recording, chains);
    if (withAll) await decoded.addX(chains);
    if (withAll) decoded.addC(chains);
    for (const { id, at, by } of decoded.spent) {
      const coin = decoded.coins.get(id);
      if (coin !== undefined) Object.assign(coin, { spentAt: at, spentBy: by });
    }
    return decoded;
  }

  private async addP(recording: PChainRecording, chains: ReadonlyMap<string, Chain>): Promise<void> {
    const { genesis, rules } = await chainOf(recording);
    const begun = genesisState(genesis, rules);
    const replay = new BlockReplay(begun.state);
    const all = [begun.changes];
    for (const { bytes } of recording.blocks) {
      replay.apply(parseBlock(fromHex(bytes)));
      const changes = replay.takeChanges();
      if (changes !== null) all.push(changes);
    }
    for (const { createdUtxos, consumedUtxos } of all) {
      for (const { utxoId: id, output, blockTime, spendableOnChainId, ...utxo } of createdUtxos) {
        const { amount, owners } = output;
        const spendableOn = known(chains.get(spendableOnChainId));
        this.add(id, {
          ...utxo,
          createdOn: 'P',
          spendableOn,
          amount,
          owners: owners.addresses,
          createdAt: blockTime,
        });
      }
      for (const each of consumedUtxos) this.spend(each.utxoId, each.blockTime, each.consumingTxId);
    }
  }

  private async addX(chains: ReadonlyMap<string, Chain>): Promise<void> {
    const recording = defaultXChainRecording();
    const blockchainId = toHex(idFromString(recording.blockchainIds.X));
    const genesis = await loadAvmGenesis({ networkId: recording.networkId, blockchainId });
    const execution = new AvmExecution(genesis.identity);
    for (const { id, transaction } of genesis.assets) {
      execution.applyGenesis(id, transaction, { blockHeight: -1n, blockTime: genesis.time });
    }
    for (const hex of recording.blocks) execution.applyBlock(parseAvmBlock(fromHex(hex)));
    const { createdUtxos, consumedUtxos } = execution.takeChanges();
    for (const { utxoId: id, output, blockTime, spendableOnChainId, ...utxo } of createdUtxos) {
      const spendableOn = known(chains.get(spendableOnChainId));
      const owners = output.owners.addresses;
      const common = { createdOn: 'X', spendableOn, createdAt: blockTime, rewardType: null } as const;
      this.add(id, { ...utxo, ...common, amount: amountOf(output), owners });
    }
    for (const each of consumedUtxos) this.spend(each.utxoId, each.blockTime, each.consumingTxId);
  }

  private addC(chains: ReadonlyMap<string, Chain>): void {
    for (const [height, { block }] of defaultCChainRecording().blocks.entries()) {
      const header = parseHeader(block, BigInt(height));
      for (const { id: txId, unsigned } of readAtomicTransactions(header)) {
        const time = header.timestampSeconds;
        if (unsigned.type === 'Import') {
          for (const { address, assetId, amount } of unsigned.outputs) {
            this.evmChanges.push({ address: `0x${address}`, assetId, amount, time });
          }
          for (const input of unsigned.importedInputs) {
            this.spend(utxoId(input.txId, input.outputIndex), time, txId);
          }
          continue;
        }
        for (const { address, assetId, amount } of unsigned.inputs) {
          this.evmChanges.push({ address: `0x${address}`, assetId, amount: -amount, time });
        }
        for (const [index, { assetId, amount, owners }] of unsigned.exportedOutputs.entries()) {
          const spendableOn = known(chains.get(unsigned.destinationChain));
          const common = { createdOn: 'C', spendableOn, rewardType: null, createdAt: time } as const;
          this.add(utxoId(txId, index), { ...common, txId, assetId, amount, owners: owners.addresses });
        }
      }
    }
  }

  /** What an account's holdings rise and fall by, by time: outputs of several owners by equal parts. */
  changesOf(addresses: ReadonlySet<string>): ReadonlyMap<number, readonly HoldingChange[]> {
    const changes = new Map<number, HoldingChange[]>();
    const add = (time: number, chain: Chain, assetId: string, amount: bigint): void => {
      if (amount === 0n) return;
      const change = { key: `${chain} ${this.cb58Of(assetId)}`, amount };
      const known = changes.get(time);
      if (known === undefined) changes.set(time, [change]);
      else known.push(change);
    };
    for (const coin of this.coins.values()) {
      const { createdOn, spendableOn, createdAt, spentAt, assetId } = coin;
      if (createdOn !== spendableOn) continue;
      const part = partOf(coin, addresses);
      add(createdAt, createdOn, assetId, part);
      if (spentAt !== undefined) add(spentAt, createdOn, assetId, -part);
    }
    for (const { address, assetId, amount, time } of this.evmChanges) {
      if (addresses.has(address)) add(time, 'C', assetId, amount);
    }
    return changes;
  }

  /** Everyone who ever held something, and on the EVM. */
  get holders(): string[] {
    const owners = [...this.coins.values()].flatMap((coin) => coin.owners);
    return [...new Set([...owners, ...this.evmChanges.map(({ address }) => address)])].sort();
  }

  /** Seconds in which anything happened, ascending. */
  get times(): number[] {
    const ofCoins = [...this.coins.values()].flatMap((coin) => [
      coin.createdAt,
      coin.spentAt ?? coin.createdAt,
    ]);
    return [...new Set([...ofCoins, ...this.evmChanges.map(({ time }) => time)])].sort((a, b) => a - b);
  }

  get period(): Pick<LedgerRequest, 'firstDate' | 'lastDate'> {
    const { times } = this;
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    return { firstDate: dayOf(first), lastDate: dayOf(last) };
  }

  private cb58Of(id: string): string {
    const text = this.cb58.get(id) ?? idToString(fromHex(id));
    this.cb58.set(id, text);
    return text;
  }

  private add(id: string, coin: Coin): void {
    this.coins.set(id, coin);
  }

  private spend(id: string, at: number, by: string): void {
    this.spent.push({ id, at, by });
  }
}

/** Unit by unit the first owners have one more: written differently from the product's division. */
function partOf({ amount, owners }: Pick<Coin, 'amount' | 'owners'>, ours: ReadonlySet<string>): bigint {
  if (owners.length === 0) return 0n;
  const count = BigInt(owners.length);
  let rest = amount;
  let sum = 0n;
  for (const [index, owner] of owners.entries()) {
    const left = count - BigInt(index);
    // The last ones get the larger parts, as a division that rounds down does it from the first place on.
    const part = rest / left;
    rest -= part;
    if (ours.has(owner)) sum += part;
  }
  return sum;
}

function amountOf(output: AvmOutput): bigint {
  return output.type === 'Transfer' ? output.amount : 0n;
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not a chain of this network');
  return value;
}

export function ledgerRequest(part: Partial<LedgerRequest> & { owners?: readonly string[] }): LedgerRequest {
  const { owners = [], ...rest } = part;
  return {
    type: 'TRANSACTION_EXPORT_PRIMARY_NETWORK',
    network: 'fuji',
    addresses: owners.filter((owner) => !owner.startsWith('0x')).sort(),
    evmAddresses: owners.filter((owner) => owner.startsWith('0x')).sort(),
    firstDate: '2026-01-01',
    lastDate: '2026-01-31',
    timeZone: 'UTC',
    format: 'standard',
    ...rest,
  };
}

export type Row = Readonly<Record<string, string>>;

let cChainUrl: string;

// Registered with the spec file that imports this one. It has too few blocks to prove anything, and so much it says at once.
beforeAll(async () => {
  cChainUrl = (await startEvmChain(generateEvmChain({ blocks: 2 }))).cChainUrl;
});

export function beginLedger(database: DataSource, request: LedgerRequest, durationMs: number) {
  const storage = makeStorage();
  const chain = { ...TEST_CHAIN, rpcUrls: [cChainUrl] };
  const exporter = createExporter(database, createEvmChains([chain]), storage);
  const input = { operationId: randomUUID(), request, limits: NO_LIMITS, durationMs };
  return { exporter, input, storage };
}

export async function exportLedger(
  database: DataSource,
  request: LedgerRequest,
  durationMs = 10_000,
): Promise<{ file: string; rows: Row[]; progress: ExportProgress }> {
  const { exporter, input, storage } = beginLedger(database, request, durationMs);
  const progress = await runExport(exporter, input);
  const file = await readExport(database, storage, input.operationId);
  return { file, rows: rowsOf(file), progress };
}

export function rowsOf(file: string): Row[] {
  const [header = '', ...lines] = file.split('\r\n').slice(0, -1);
  const names = header.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, index) => [names[index] ?? '', cell] as const)),
  );
}

/** In each second in which anything happened, by chain and asset, IN less OUT is by how much the account's holdings change. */
export function expectAddedUp(rows: readonly Row[], decoded: DecodedChains, owners: readonly string[]): void {
  const changes = decoded.changesOf(new Set(owners));
  let next = 0;
  for (const time of decoded.times) {
    const booked: HoldingChange[] = [];
    for (; next < rows.length && Number(rows[next]?.['BlockTimestamp']) <= time; next += 1) {
      const { Chain, AssetId, Direction, RawAmount = '' } = rows[next] ?? {};
      const sign = Direction === 'IN' ? 1n : Direction === 'OUT' ? -1n : 0n;
      booked.push({ key: `${Chain} ${AssetId}`, amount: sign * BigInt(RawAmount) });
    }
    expect({ time, sums: sumsOf(booked) }).toEqual({ time, sums: sumsOf(changes.get(time) ?? []) });
  }
  expect(next).toBe(rows.length);
}

/** Without those that are zero. */
function sumsOf(changes: readonly HoldingChange[]): Record<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { key, amount } of changes) sums.set(key, (sums.get(key) ?? 0n) + amount);
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n));
}
