import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString } from '../../../src/avalanche/ids/id.js';
import { toHex } from '../../../src/avalanche/ids/hex.js';
import { parseBlock } from '../../../src/avalanche/platformvm/codec/block.js';
import {
  loadGenesis,
  parseGenesis,
  type Genesis,
} from '../../../src/avalanche/platformvm/genesis/genesis.js';
import type { Id } from '../../../src/avalanche/platformvm/ids.js';
import { BlockReplay } from '../../../src/avalanche/platformvm/state/block-replay.js';
import { makeChainRules, type ChainRules } from '../../../src/avalanche/platformvm/state/chain-rules.js';
import type { ChainTip, StateChanges } from '../../../src/avalanche/platformvm/state/changes.js';
import { genesisState } from '../../../src/avalanche/platformvm/state/genesis-state.js';
import { PChainState } from '../../../src/avalanche/platformvm/state/p-chain-state.js';
import type {
  Blockchain,
  CreatedUtxo,
  L1Validator,
  SettledCycle,
  StakeWindow,
  Staker,
  Subnet,
  SubnetStake,
  TransactionRecord,
} from '../../../src/avalanche/platformvm/state/records.js';
import type { PChainRecording } from '../../../sandbox/recording/p-chain-recording.js';

/** Everything that state changes add up to, kept the way an index keeps it: only from what the replay hands out. */
export class PChainLedger {
  private currentTip: ChainTip;
  readonly stakers = new Map<Id, Staker>();
  readonly stakes = new Map<Id, SubnetStake>();
  readonly subnets = new Map<Id, Subnet>();
  readonly l1Validators = new Map<Id, L1Validator>();
  /** Created, spent or not. */
  readonly utxos = new Map<Id, CreatedUtxo>();
  readonly stakeWindows = new Map<Id, StakeWindow>();
  readonly consumed = new Set<Id>();
  readonly blockchains = new Map<Id, Blockchain>();
  readonly settledCycles: SettledCycle[] = [];
  readonly transactions = new Map<Id, TransactionRecord>();

  constructor(genesis: StateChanges) {
    this.currentTip = genesis.tip;
    this.add(genesis);
  }

  get tip(): ChainTip {
    return this.currentTip;
  }

  add(changes: StateChanges): void {
    this.currentTip = changes.tip;
    for (const [id, staker] of changes.stakers) this.stakers.set(id, staker);
    for (const [id, stake] of changes.stakes) this.stakes.set(id, stake);
    for (const [id, subnet] of changes.subnets) this.subnets.set(id, subnet);
    for (const [id, validator] of changes.l1Validators) this.l1Validators.set(id, validator);
    for (const utxo of changes.createdUtxos) this.utxos.set(utxo.utxoId, utxo);
    for (const [id, window] of changes.stakeWindows) this.stakeWindows.set(id, window);
    for (const { utxoId } of changes.consumedUtxos) this.consumed.add(utxoId);
    for (const chain of changes.blockchains) this.blockchains.set(chain.blockchainId, chain);
    this.settledCycles.push(...changes.settledCycles);
    for (const [id, transaction] of changes.transactions) this.transactions.set(id, transaction);
  }

  /** Neither spent nor sent to another chain; staked ones included. */
  *unspent(): Generator<CreatedUtxo & { readonly isStaked: boolean }> {
    for (const [id, utxo] of this.utxos) {
      const stake = this.stakeWindows.get(id) ?? utxo.stake;
      if (!this.consumed.has(id)) yield { ...utxo, isStaked: stake?.isStaked ?? false };
    }
  }
}

/** A ledger and the replay that feeds it, before block 0. */
export class LedgerReplay {
  readonly ledger: PChainLedger;
  private replay: BlockReplay;

  constructor(
    genesis: Genesis,
    private readonly rules: ChainRules,
  ) {
    const { state, changes } = genesisState(genesis, rules);
    this.ledger = new PChainLedger(changes);
    this.replay = new BlockReplay(state);
  }

  /** Throws PlatformVmError. */
  apply(bytes: Uint8Array): void {
    this.replay.apply(parseBlock(bytes));
    const changes = this.replay.takeChanges();
    if (changes !== null) this.ledger.add(changes);
  }

  /** Forgets everything but the ledger, as a process does that ends; between a proposal and its option nothing. */
  restart(): void {
    if (this.replay.isUndecided) return;
    const { tip, stakers, stakes, subnets, l1Validators } = this.ledger;
    const snapshot = {
      tip,
      stakers: stakers.values(),
      stakes: stakes.values(),
      subnets: subnets.values(),
      l1Validators: l1Validators.values(),
    };
    this.replay = new BlockReplay(new PChainState(snapshot, this.rules));
  }
}

type RecordedChain = Pick<
  PChainRecording,
  'networkId' | 'avaxAssetId' | 'upgrades' | 'genesis' | 'validatorFee' | 'blocks'
>;

/** Before block 0 of a recorded chain. Throws PlatformVmError when its genesis is not known. */
export async function startReplay(recording: RecordedChain): Promise<LedgerReplay> {
  const { genesis, rules } = await chainOf(recording);
  return new LedgerReplay(genesis, rules);
}

/** Genesis and rules of a recorded chain. Throws PlatformVmError when its genesis is not known. */
export async function chainOf(recording: RecordedChain): Promise<{ genesis: Genesis; rules: ChainRules }> {
  const { networkId, avaxAssetId, upgrades, genesis: genesisBytes, blocks } = recording;
  const firstBlock = parseBlock(fromHex(blocks[0]?.bytes ?? ''));
  const genesis =
    genesisBytes === null
      ? await loadGenesis({ networkId, id: firstBlock.parentId })
      : parseGenesis(fromHex(genesisBytes));
  const seconds = (name: string): number => Date.parse(String(upgrades[`${name}Time`])) / 1000;
  const rules = makeChainRules({
    networkId,
    avaxAssetId: toHex(idFromString(avaxAssetId)),
    upgrades: {
      banff: seconds('banff'),
      cortina: seconds('cortina'),
      durango: seconds('durango'),
      etna: seconds('etna'),
      helicon: seconds('helicon'),
    },
  });
  return { genesis, rules: { ...rules, ...validatorFeeRules(recording) } };
}

function validatorFeeRules({ validatorFee }: Pick<PChainRecording, 'validatorFee'>): Partial<ChainRules> {
  if (validatorFee === null) return {};
  const { target, minPrice, excessConversionConstant } = validatorFee;
  return {
    validatorFee: {
      target: BigInt(target),
      minPrice: BigInt(minPrice),
      excessConversionConstant: BigInt(excessConversionConstant),
    },
  };
}
