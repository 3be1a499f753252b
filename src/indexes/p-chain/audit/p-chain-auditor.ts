import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { packAddress } from '../../../avalanche/ids/address.js';
import { fromHex, toHex } from '../../../avalanche/ids/hex.js';
import { ID_LENGTH, idToString } from '../../../avalanche/ids/id.js';
import { nodeIdToString } from '../../../avalanche/ids/node-id.js';
import {
  packUnsignedTransaction,
  parseTransaction,
} from '../../../avalanche/platformvm/codec/transaction.js';
import { parseUtxo } from '../../../avalanche/platformvm/codec/utxo.js';
import { loadGenesis } from '../../../avalanche/platformvm/genesis/genesis.js';
import { type Id, PRIMARY_NETWORK, type ShortId } from '../../../avalanche/platformvm/ids.js';
import type { StateSnapshot } from '../../../avalanche/platformvm/state/p-chain-state.js';
import type { Staker, Validator } from '../../../avalanche/platformvm/state/records.js';
import { isStakerTx, type UnsignedTx } from '../../../avalanche/platformvm/transaction.js';
import type { PlatformClient } from '../../../avalanche/rpc/platform-client.js';
import { isNotFound } from '../../../avalanche/rpc/platform-rejections.js';
import { allUtxoPages, UTXOS_PER_PAGE } from '../../../avalanche/rpc/utxo-pages.js';
import { hrpOf } from '../../../platform/config/config.module.js';
import type { Network } from '../../../platform/networks/network.js';
import {
  type AuditReport,
  compareAtOneHeight,
  type Comparison,
} from '../../engine/audit/compare-at-one-height.js';
import { Differences } from '../../engine/audit/differences.js';
import { SAMPLE_SIZE } from '../../engine/audit/sample.js';
import { utxosById } from '../../engine/audit/utxos-by-id.js';
import { PChainStateRepository } from '../p-chain-state.repository.js';
import { AuditRepository } from './audit.repository.js';
import { compareCycles, compareSettlement } from './compare-cycles.js';
import { compareDelegators, compareValidators } from './compare-validators.js';

/** One thing to compare, with the state of the height that the node is at. */
type PChainComparison = Pick<Comparison<StateSnapshot>, 'run'> & { readonly what: string };

/** Compares what the index made of blocks with what a node made of the same blocks. */
@Injectable()
export class PChainAuditor {
  constructor(
    private readonly states: PChainStateRepository,
    private readonly rows: AuditRepository,
  ) {}

  /** Null while the index has no state, and where there is no node. Throws RpcError. */
  async audit(network: Network, signal: AbortSignal): Promise<AuditReport | null> {
    if (!network.hasNode) return null;
    const audit = new Audit(network, this.states, this.rows, signal);
    return audit.run();
  }
}

/** One run: the state of the newest checkpoint is kept from one comparison to the next. */
class Audit {
  private readonly platform: PlatformClient;
  private readonly total = new Differences();
  private readonly skipped: string[] = [];
  private state: StateSnapshot | undefined;

  constructor(
    private readonly network: Network,
    private readonly states: PChainStateRepository,
    private readonly rows: AuditRepository,
    private readonly signal: AbortSignal,
  ) {
    this.platform = network.platform;
  }

  async run(): Promise<AuditReport | null> {
    const first = await this.states.load(this.network.name);
    if (first === undefined) return null;
    this.state = first.snapshot;
    const { networkId, genesisId } = first.checkpoint.identity;
    const { own } = this.network.config;
    const { initialSupply } = await loadGenesis({ networkId, id: genesisId }, own?.genesis);
    for (const comparison of await this.plan(first.snapshot, networkId)) await this.compare(comparison);
    await this.compare(this.paidRewards(initialSupply));
    return {
      height: this.state.tip.height,
      comparisons: this.total.comparisons,
      skipped: this.skipped,
      differences: this.total.found,
    };
  }

  private async plan(state: StateSnapshot, networkId: number): Promise<PChainComparison[]> {
    const stakes = [...state.stakes].filter(({ supply }) => supply !== null).map(({ subnetId }) => subnetId);
    const others = [...state.subnets].map(({ subnetId }) => subnetId).filter((id) => id !== PRIMARY_NETWORK);
    const validators = [...state.stakers].filter(isPrimaryValidator);
    // The sandbox answers for the addresses that were recorded, and not for any other.
    const owners = this.network.isSandbox ? [] : await this.owners();
    return [
      ...[PRIMARY_NETWORK, ...sample(stakes.filter((id) => id !== PRIMARY_NETWORK))].map((id) =>
        this.stake(id),
      ),
      ...[PRIMARY_NETWORK, ...sample(others)].map((id) => this.validators(id)),
      ...sample(validators).map((validator) => this.delegators(validator)),
      this.stakingTransactions(),
      this.cycles(),
      ...[...owners].map((address) => this.unspent(address, hrpOf(this.network.config, networkId))),
    ];
  }

  /** Rewards stand in no block and are the index's own work, so that their owners are looked at as well as any. */
  private async owners(): Promise<ReadonlySet<ShortId>> {
    const { name } = this.network;
    const [any, rewarded] = await Promise.all([
      this.rows.sampleOwners(name, SAMPLE_SIZE),
      this.rows.sampleRewardOwners(name, SAMPLE_SIZE),
    ]);
    return new Set([...any, ...rewarded]);
  }

  private async compare({ what, run }: PChainComparison): Promise<void> {
    const { signal } = this;
    const differences = await compareAtOneHeight({
      height: () => this.platform.getHeight({ signal }),
      stateAt: (height) => this.stateAt(height),
      run,
      signal,
    });
    if (differences === null) this.skipped.push(what);
    else this.total.merge(differences);
  }

  private async stateAt(height: bigint): Promise<StateSnapshot | undefined> {
    const checkpoint = await this.states.findCheckpoint(this.network.name);
    if (checkpoint?.tip.height !== height) return undefined;
    if (this.state?.tip.height !== height) {
      this.state = (await this.states.load(this.network.name))?.snapshot ?? this.state;
    }
    return this.state?.tip.height === height ? this.state : undefined;
  }

  private stake(subnetId: Id): PChainComparison {
    const what = `stake of ${idToString(fromHex(subnetId))}`;
    const query = { subnetId: idToString(fromHex(subnetId)), signal: this.signal };
    return {
      what,
      run: async ({ stakes }, differences) => {
        const ours = [...stakes].find((stake) => stake.subnetId === subnetId);
        const { supply } = await this.platform.getCurrentSupply(query);
        const weight = await this.platform.getTotalStake(query);
        differences.compare(`${what}: supply`, ours?.supply, supply);
        differences.compare(`${what}: total weight`, ours?.totalWeight, weight);
      },
    };
  }

  /** All that has come to the supply of the genesis was paid, will be paid, or is only promised. */
  private paidRewards(initialSupply: bigint): PChainComparison {
    const what = 'rewards paid on the primary network';
    return {
      what,
      run: async ({ stakers }, differences) => {
        const { supply } = await this.platform.getCurrentSupply({ signal: this.signal });
        const open = [...stakers].filter(({ subnetId }) => subnetId === PRIMARY_NETWORK).map(openRewards);
        const paid = supply - initialSupply - open.reduce((sum, each) => sum + each, 0n);
        differences.compare(what, await this.rows.paidRewards(this.network.name), paid);
      },
    };
  }

  private validators(subnetId: Id): PChainComparison {
    const text = idToString(fromHex(subnetId));
    return {
      what: `validators of ${text}`,
      run: async (state, differences) => {
        const answer = await this.platform.getCurrentValidators({ subnetId: text, signal: this.signal });
        compareValidators(differences, subnetId, state, answer);
      },
    };
  }

  private delegators(validator: Validator): PChainComparison {
    const nodeId = nodeIdToString(fromHex(validator.nodeId));
    return {
      what: `delegators of ${nodeId}`,
      run: async (state, differences) => {
        const answer = await this.platform.getCurrentValidators({ nodeIds: [nodeId], signal: this.signal });
        compareDelegators(differences, validator, state, answer);
      },
    };
  }

  /** The list of all, and some transactions as the node has them. */
  private stakingTransactions(): PChainComparison {
    const what = 'staking transactions';
    const { name } = this.network;
    const chosen = places();
    return {
      what,
      run: async ({ stakers }, differences) => {
        const listed = await this.rows.stakingTransactions(name);
        const running = new Map([...stakers].map((staker) => [staker.txId, staker]));
        differences.compareMaps('staking transaction', listed, running, (each, ours, staker) => {
          differences.compare(`${each} type`, ours.txType, staker.txType);
          differences.compare(`${each} time of the block`, ours.blockTime, staker.blockTime);
        });
        differences.compare(`entries of lists of ${what}`, await this.rows.strayListings(name), 0);
        const known = [...listed.keys()].filter((txId) => running.has(txId));
        for (const txId of sample(known, chosen)) await this.compareStaking(txId, differences);
      },
    };
  }

  private async compareStaking(txId: Id, differences: Differences): Promise<void> {
    const what = `staking transaction ${txId}`;
    const tx = await this.transaction(txId);
    if (tx === undefined || !isStakerTx(tx)) {
      differences.compare(`${what} type`, 'of a stake', tx?.type);
      return;
    }
    const ours = await this.rows.stakingTransaction(this.network.name, txId, tx);
    differences.compare(what, ours.unsigned && toHex(ours.unsigned), toHex(packUnsignedTransaction(tx)));
    differences.compare(`${what} addresses`, ours.addresses?.join('+'), ours.expected.join('+'));
  }

  private cycles(): PChainComparison {
    const [first, chosen] = [randomBytes(ID_LENGTH), places()];
    return {
      what: 'cycles of validations that renew themselves',
      run: async (_state, differences) => {
        const renewals = await this.rows.renewalsFrom(this.network.name, first, SAMPLE_SIZE);
        for (const { validator, cycles } of renewals) {
          compareCycles(differences, validator, cycles);
          for (const cycle of sample(cycles, chosen)) {
            compareSettlement(differences, cycle, await this.transaction(cycle.rewardTxId));
          }
        }
      },
    };
  }

  private async transaction(txId: Id): Promise<UnsignedTx | undefined> {
    try {
      const query = { txId: idToString(fromHex(txId)), signal: this.signal };
      return parseTransaction(await this.platform.getTx(query)).unsigned;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  private unspent(owner: ShortId, hrp: string): PChainComparison {
    const address = packAddress({ chainAlias: 'P', hrp, bytes: fromHex(owner) });
    return {
      what: `UTXOs of ${address}`,
      run: async (_state, differences) => {
        const ours = await this.rows.unspentUtxos(this.network.name, owner);
        const theirs = utxosById(parseUtxo, await this.allUtxos(address));
        differences.compareMaps('UTXO', ours, theirs, (what, database, node) =>
          differences.compare(what, database, node),
        );
      },
    };
  }

  private allUtxos(address: string): Promise<Uint8Array[]> {
    const { signal } = this;
    return allUtxoPages((startIndex) =>
      this.platform.getUtxos({ addresses: [address], limit: UTXOS_PER_PAGE, startIndex, signal }),
    );
  }
}

function isPrimaryValidator(staker: Staker): staker is Validator {
  return staker.kind === 'validator' && staker.subnetId === PRIMARY_NETWORK && staker.status === 'active';
}

/** Pending rewards of a staker, and those that are its own already but not paid. */
function openRewards(staker: Staker): bigint {
  if (staker.kind === 'delegator') return staker.potentialReward;
  const { accruedValidationRewards = 0n, accruedDelegateeRewards = 0n } = staker.autoRenewal ?? {};
  return staker.potentialReward + staker.delegateeReward + accruedValidationRewards + accruedDelegateeRewards;
}

/** Of a sample, as shares of what is left in a list: the same ones at a second look at the same list. */
function places(): readonly number[] {
  return Array.from({ length: SAMPLE_SIZE }, () => Math.random());
}

/** A few of them at random. */
function sample<T>(all: readonly T[], chosen = places()): T[] {
  const left = [...all];
  return chosen.flatMap((place) => left.splice(Math.floor(place * left.length), 1));
}
