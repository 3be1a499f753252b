import { toHex } from '../../src/avalanche/ids/hex.js';
import { hrpOfNetwork, packAddress } from '../../src/avalanche/ids/address.js';
import { idToString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { deriveBytes } from '../derived-keys.js';
import type { ValidatorSigner } from '../signer.js';
import type { SimulatedNode } from '../peer/simulated-node.js';
import type { L1Validation } from '../world/l1.js';
import type { PrimaryValidator, World } from '../world/world.js';

const DAY_SECONDS = 86_400;
const STAKED_SINCE_DAYS = 30;
const STAKED_FOR_DAYS = 335;

export interface ValidatorListingsParts {
  readonly world: World;
  readonly signers: ReadonlyMap<string, ValidatorSigner>;
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
}

/** Validators in the JSON of the several methods that list them. */
export class ValidatorListings {
  private readonly startTime: number;
  private readonly canonicalSets = new Map<bigint, object>();

  constructor(private readonly parts: ValidatorListingsParts) {
    this.startTime = Math.floor(Date.now() / 1000) - STAKED_SINCE_DAYS * DAY_SECONDS;
  }

  /** The map itself is the result. */
  validatorsAt(subnetId: string, height: bigint): object {
    const entries = this.parts.world.validatorsAt(subnetId, height).map(({ nodeId, publicKey, weight }) => {
      return [nodeId, { publicKey: publicKey && `0x${toHex(publicKey)}`, weight: String(weight) }] as const;
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** By subnet id; a subnet without validators is absent. */
  canonicalSetsAt(height: bigint): object {
    const { world } = this.parts;
    const unchangedSince = world.unchangedSince(height);
    const known = this.canonicalSets.get(unchangedSince);
    if (known !== undefined) return known;
    const sets = [PRIMARY_NETWORK_ID, world.subnetId].flatMap((subnetId) => {
      const set = makeCanonicalValidatorSet(world.validatorsAt(subnetId, height));
      if (set.validators.length === 0) return [];
      const validators = set.validators.map(({ publicKeyBytes, weight, nodeIds }) => ({
        publicKey: `0x${toHex(publicKeyBytes)}`,
        weight: String(weight),
        nodeIDs: nodeIds,
      }));
      return [[subnetId, { validators, totalWeight: String(set.totalWeight) }] as const];
    });
    const listed = Object.fromEntries(sets);
    this.canonicalSets.set(unchangedSince, listed);
    return listed;
  }

  /** Those of the tip; all of them when no node is named. */
  currentValidators(subnetId: string, nodeIds: readonly string[]): object[] {
    const { world } = this.parts;
    const wanted = new Set(nodeIds);
    const isWanted = ({ nodeId }: { nodeId: string }) => wanted.size === 0 || wanted.has(nodeId);
    if (subnetId === world.subnetId) {
      return world
        .currentL1()
        .filter(isWanted)
        .map((found) => this.l1Validator(found));
    }
    if (subnetId !== PRIMARY_NETWORK_ID) return [];
    const withDelegators = wanted.size === 1;
    return world
      .currentPrimary()
      .filter(isWanted)
      .map((found) => ({ ...this.primaryValidator(found), ...(withDelegators && { delegators: [] }) }));
  }

  l1Validator({ nodeId, weight, validationId, publicKey, minNonce, balance }: L1Validation) {
    const nobody = { locktime: '0', threshold: '0', addresses: [] };
    return {
      nodeID: nodeId,
      weight: String(weight),
      startTime: String(this.startTime),
      validationID: idToString(validationId),
      publicKey: `0x${toHex(publicKey)}`,
      remainingBalanceOwner: nobody,
      deactivationOwner: nobody,
      minNonce: String(minNonce),
      balance: String(balance),
    };
  }

  private primaryValidator({ nodeId, weight, publicKey }: PrimaryValidator) {
    const { signers, nodes } = this.parts;
    const signer = publicKey === null ? undefined : signers.get(nodeId);
    return {
      txID: idToString(deriveBytes('staking transaction', nodeId)),
      startTime: String(this.startTime),
      endTime: String(this.startTime + STAKED_FOR_DAYS * DAY_SECONDS),
      weight: String(weight),
      nodeID: nodeId,
      validationRewardOwner: this.rewardOwner(),
      delegationRewardOwner: this.rewardOwner(),
      potentialReward: String(weight / 10n),
      accruedDelegateeReward: '0',
      delegationFee: '2.0000',
      uptime: '100.0000',
      connected: nodes.get(nodeId)?.isListed ?? false,
      ...(signer && {
        signer: {
          publicKey: `0x${toHex(signer.publicKey)}`,
          proofOfPossession: `0x${toHex(signer.proofOfPossession())}`,
        },
      }),
      delegatorCount: '0',
      delegatorWeight: '0',
    };
  }

  private rewardOwner() {
    const bytes = deriveBytes('reward owner').slice(0, 20);
    const hrp = hrpOfNetwork(this.parts.world.networkId);
    return { locktime: '0', threshold: '1', addresses: [packAddress({ chainAlias: 'P', hrp, bytes })] };
  }
}
