import { hrpOfNetwork, packAddress } from '../../../src/avalanche/ids/address.js';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { idFromString, idToString } from '../../../src/avalanche/ids/id.js';
import { nodeIdToString } from '../../../src/avalanche/ids/node-id.js';
import { packUtxo } from '../../../src/avalanche/platformvm/codec/utxo.js';
import { PRIMARY_NETWORK, type Id } from '../../../src/avalanche/platformvm/ids.js';
import type { OutputOwners, PChainOwner } from '../../../src/avalanche/platformvm/output.js';
import type {
  AutoRenewal,
  Delegator,
  L1Validator,
  Subnet,
  Validator,
} from '../../../src/avalanche/platformvm/state/records.js';
import type { PChainRecording, RecordedAnswers } from '../../../sandbox/recording/p-chain-recording.js';
import type { PChainLedger } from './p-chain-ledger.js';

/** Values that only the asked node knows: its own view of the others. */
const NODE_VIEW = ['uptime', 'connected'];

/** The figures of a ledger and of a node, in the node's form; equal as a whole or the ledger is wrong. */
export interface Comparison {
  ours: Record<string, unknown>;
  nodes: Record<string, unknown>;
}

/**
 * Puts side by side everything that a node answered at a height and what the ledger has for it: chain time, supply,
 * stake, validators with their delegators and potential rewards, subnets, L1 validators with their balances, the
 * UTXOs of all recorded addresses and those of rewards. The ledger must stand at the same height.
 */
export function comparePChain(ledger: PChainLedger, answers: RecordedAnswers, networkId: number): Comparison {
  const printer = new Printer(ledger, networkId);
  return {
    ours: {
      height: ledger.tip.height.toString(),
      timestamp: ledger.tip.time,
      supply: mapKeys(answers.supply, (subnet) => printer.supply(subnet)),
      totalStake: mapKeys(answers.totalStake, (subnet) => printer.totalStake(subnet)),
      validators: mapKeys(answers.validators, (subnet) => printer.validators(subnet)),
      subnets: mapKeys(answers.subnets, (subnet) => printer.subnet(subnet)),
      l1Validators: mapKeys(answers.l1Validators, (id) => printer.l1Validator(id)),
      utxos: printer.utxosOf(Object.keys(answers.utxos)),
      rewardUtxos: mapKeys(answers.rewardUtxos, (txId) => printer.rewardUtxos(txId)),
      unknown: printer.unknownTo(answers),
    },
    nodes: {
      height: answers.height,
      timestamp: answers.timestamp,
      supply: answers.supply,
      totalStake: mapKeys(answers.totalStake, (subnet) => answers.totalStake[subnet]?.['weight']),
      validators: mapKeys(answers.validators, (subnet) =>
        keyed((answers.validators[subnet] ?? []).map(withoutNodeView), idOfValidator),
      ),
      subnets: answers.subnets,
      l1Validators: answers.l1Validators,
      utxos: answers.utxos,
      rewardUtxos: mapKeys(answers.rewardUtxos, (txId) => [...(answers.rewardUtxos[txId] ?? [])].sort()),
      unknown: [],
    },
  };
}

/** The same for what a recording has of its end only: all transactions, subnets and blockchains there are. */
export function compareEnd(ledger: PChainLedger, { final, networkId }: PChainRecording): Comparison {
  const printer = new Printer(ledger, networkId);
  return {
    ours: {
      txStatus: Object.fromEntries(
        [...ledger.transactions.values()].map(({ txId, isCommitted }) => [
          toText(txId),
          { status: isCommitted ? 'Committed' : 'Aborted' },
        ]),
      ),
      blockchains: keyed(printer.blockchains(), ({ id }) => id),
      subnets: printer.subnetIds(),
    },
    nodes: {
      txStatus: final.txStatus,
      blockchains: keyed(final.blockchains, ({ id }) => String(id)),
      subnets: final.subnets.map(({ id }) => id).sort(),
    },
  };
}

/** Prints a ledger's records as `platform.*` of avalanchego v1.15.0 does (vms/platformvm/service.go). */
class Printer {
  constructor(
    private readonly ledger: PChainLedger,
    private readonly networkId: number,
  ) {}

  supply(subnet: string): unknown {
    const { tip, stakes } = this.ledger;
    return { supply: stakes.get(toId(subnet))?.supply?.toString(), height: tip.height.toString() };
  }

  totalStake(subnet: string): string {
    const subnetId = toId(subnet);
    const l1Weight = this.l1ValidatorsOf(subnetId).reduce((sum, { weight }) => sum + weight, 0n);
    return ((this.ledger.stakes.get(subnetId)?.totalWeight ?? 0n) + l1Weight).toString();
  }

  validators(subnet: string): Record<string, unknown> {
    const subnetId = toId(subnet);
    const stakers = [...this.ledger.stakers.values()].filter(
      (staker) => staker.subnetId === subnetId && staker.status === 'active',
    );
    const delegators = stakers.filter((staker) => staker.kind === 'delegator');
    const validators = stakers
      .filter((staker) => staker.kind === 'validator')
      .map((validator) => this.validator(validator, delegators));
    const l1Validators = this.l1ValidatorsOf(subnetId).map((validator) => this.l1Fields(validator));
    return keyed([...validators, ...l1Validators], idOfValidator);
  }

  subnet(subnet: string): unknown {
    const record = this.ledger.subnets.get(toId(subnet));
    if (record === undefined) return undefined;
    const { owner, transformation, conversion } = record;
    return {
      isPermissioned: transformation === null && conversion === null,
      controlKeys: owner?.addresses.map((address) => this.address(address)),
      threshold: String(owner?.threshold),
      locktime: String(owner?.locktime),
      subnetTransformationTxID: toText(transformation?.txId),
      ...printConversion(conversion),
    };
  }

  /** Null for one that was removed. */
  l1Validator(id: string): unknown {
    const record = this.ledger.l1Validators.get(toId(id));
    if (record === undefined || record.weight === 0n) return null;
    const { subnetId } = record;
    return {
      ...this.l1Fields(record),
      subnetID: toText(subnetId),
      height: this.ledger.tip.height.toString(),
    };
  }

  /** Amounts that addresses can spend on the P-chain, without what they stake. */
  utxosOf(addresses: readonly string[]): Record<string, string[]> {
    const found = new Map(addresses.map((address): [string, string[]] => [address, []]));
    for (const utxo of this.ledger.unspent()) {
      if (utxo.isStaked || utxo.spendableOnChainId !== PRIMARY_NETWORK) continue;
      for (const address of utxo.output.owners.addresses) {
        found.get(this.address(address))?.push(toHex(packUtxo(utxo)));
      }
    }
    return Object.fromEntries([...found].map(([address, utxos]) => [address, utxos.sort()]));
  }

  rewardUtxos(stakerTxId: string): string[] {
    const txId = toId(stakerTxId);
    const rewards = [...this.ledger.utxos.values()].filter(
      (utxo) => utxo.txId === txId && utxo.rewardType !== null,
    );
    return rewards.map((utxo) => toHex(packUtxo(utxo))).sort();
  }

  blockchains() {
    return [...this.ledger.blockchains.values()]
      .filter(({ blockchainId }) => blockchainId !== PRIMARY_NETWORK) // the node does not list itself
      .map(({ blockchainId, name, subnetId, vmId }) => {
        return { id: toText(blockchainId), name, subnetID: toText(subnetId), vmID: toText(vmId) };
      });
  }

  subnetIds(): string[] {
    return [...this.ledger.subnets.keys()].map(toText).sort();
  }

  /** Entries of the ledger that nobody has asked about. */
  unknownTo(answers: RecordedAnswers): string[] {
    const { subnets, l1Validators, stakers } = this.ledger;
    const running = [...stakers.values()].filter(({ status }) => status === 'active');
    const missing = (ids: Iterable<Id>, among: object): string[] =>
      [...ids].map(toText).filter((id) => !Object.hasOwn(among, id));
    return [
      ...missing(subnets.keys(), { ...answers.subnets, [toText(PRIMARY_NETWORK)]: true }),
      ...missing(l1Validators.keys(), answers.l1Validators),
      ...missing(new Set(running.map(({ subnetId }) => subnetId)), answers.validators),
    ];
  }

  private validator(record: Validator, delegators: readonly Delegator[]): Record<string, unknown> {
    const common = this.stakerFields(record);
    if (record.isPermissioned) return common;
    const waiting = this.waitingDelegators(record);
    const waitingWeight = waiting.reduce((sum, { weight }) => sum + weight, 0n);
    return {
      ...common,
      ...this.rewardOwners(record),
      potentialReward: record.potentialReward.toString(),
      accruedDelegateeReward: record.delegateeReward.toString(),
      delegationFee: ((record.shares ?? 0) / 10_000).toFixed(4),
      ...(record.signer === null ? {} : { signer: printSigner(record.signer) }),
      ...(record.autoRenewal === null ? {} : this.renewalConfig(record.autoRenewal)),
      delegatorCount: String(record.delegatorCount - waiting.length),
      delegatorWeight: (record.delegatedWeight - waitingWeight).toString(),
      delegators: delegators
        .filter(({ validatorTxId }) => validatorTxId === record.txId)
        .map((delegator) => this.delegator(delegator))
        .sort(byTxId),
    };
  }

  /** Counted by the ledger, and not by the node before they start. */
  private waitingDelegators({ txId }: Validator): Delegator[] {
    return [...this.ledger.stakers.values()]
      .filter((staker) => staker.kind === 'delegator')
      .filter(({ validatorTxId, status }) => validatorTxId === txId && status === 'pending');
  }

  private rewardOwners({ validationRewardsOwner, delegationRewardsOwner }: Validator): object {
    return {
      validationRewardOwner: validationRewardsOwner && this.owners(validationRewardsOwner),
      delegationRewardOwner: delegationRewardsOwner && this.owners(delegationRewardsOwner),
    };
  }

  private renewalConfig({ authority, nextPeriod, autoCompoundShares }: AutoRenewal): object {
    return {
      validatorAuthority: this.owners(authority),
      nextPeriod: String(nextPeriod),
      autoCompoundRewardShares: String(autoCompoundShares),
    };
  }

  private delegator(record: Delegator) {
    return {
      ...this.stakerFields(record),
      rewardOwner: this.owners(record.rewardsOwner),
      potentialReward: record.potentialReward.toString(),
    };
  }

  private stakerFields({ txId, nodeId, start, end, weight }: Validator | Delegator) {
    return {
      txID: toText(txId),
      startTime: String(start),
      endTime: String(end),
      weight: weight.toString(),
      nodeID: nodeIdToString(fromHex(nodeId)),
    };
  }

  private l1ValidatorsOf(subnetId: Id): L1Validator[] {
    return [...this.ledger.l1Validators.values()].filter(
      (validator) => validator.subnetId === subnetId && validator.weight > 0n,
    );
  }

  private l1Fields(record: L1Validator): Record<string, unknown> {
    const { endAccumulatedFee, nodeId, publicKey } = record;
    const balance = endAccumulatedFee === 0n ? 0n : endAccumulatedFee - this.ledger.tip.accruedFees;
    return {
      nodeID: nodeIdToString(fromHex(nodeId)),
      weight: record.weight.toString(),
      startTime: String(record.start),
      validationID: toText(record.validationId),
      publicKey: `0x${toHex(publicKey)}`,
      remainingBalanceOwner: this.owners(record.remainingBalanceOwner),
      deactivationOwner: this.owners(record.deactivationOwner),
      minNonce: record.minNonce.toString(),
      balance: balance.toString(),
    };
  }

  private owners({ threshold, addresses, ...rest }: OutputOwners | PChainOwner): unknown {
    return {
      locktime: String('locktime' in rest ? rest.locktime : 0),
      threshold: String(threshold),
      addresses: addresses.map((address) => this.address(address)),
    };
  }

  private address(bytes: string): string {
    const hrp = hrpOfNetwork(this.networkId);
    return packAddress({ chainAlias: 'P', hrp, bytes: fromHex(bytes) });
  }
}

function printSigner(signer: NonNullable<Validator['signer']>): unknown {
  return {
    publicKey: `0x${toHex(signer.publicKey)}`,
    proofOfPossession: `0x${toHex(signer.proofOfPossession)}`,
  };
}

function printConversion(conversion: Subnet['conversion']): object {
  return {
    conversionID: toText(conversion?.conversionId),
    managerChainID: toText(conversion?.managerChainId),
    managerAddress: conversion === null ? null : `0x${conversion.managerAddress}`,
  };
}

function withoutNodeView(validator: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(validator).filter(([key]) => !NODE_VIEW.includes(key));
  const { delegators, ...rest } = Object.fromEntries(entries);
  if (!Array.isArray(delegators)) return delegators === undefined ? rest : { ...rest, delegators: [] };
  return { ...rest, delegators: (delegators as { txID: string }[]).toSorted(byTxId) };
}

function idOfValidator(validator: Record<string, unknown>): string {
  return String(validator['txID'] ?? validator['validationID']);
}

function byTxId(a: { txID: string }, b: { txID: string }): number {
  return a.txID < b.txID ? -1 : 1;
}

function keyed<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, T> {
  return Object.fromEntries(items.map((item) => [keyOf(item), item]));
}

function mapKeys<T>(of: object, map: (key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.keys(of).map((key) => [key, map(key)]));
}

function toId(text: string): Id {
  return toHex(idFromString(text));
}

/** The node prints what is not there as the id of zeros. */
function toText(id: Id = PRIMARY_NETWORK): string {
  return idToString(fromHex(id));
}
