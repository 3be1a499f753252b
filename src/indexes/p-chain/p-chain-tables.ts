import { repeatedNodeIdToString } from '../../avalanche/ids/repeated-texts.js';
import type { ShortId } from '../../avalanche/platformvm/ids.js';
import type { Blockchain, Delegator, Subnet, Validator } from '../../avalanche/platformvm/state/records.js';
import { splitReward } from '../../avalanche/platformvm/state/rewards.js';
import { Table } from '../../platform/database/table.js';
import { delegationCapacity } from './delegation-capacity.js';
import { DelegatorEntity, DelegatorRewardAddress } from './entities/delegator.entities.js';
import { L1ValidatorEntity } from './entities/l1-validator.entity.js';
import { NodeEntity } from './entities/node.entities.js';
import { PChainTransaction } from './entities/p-chain-transaction.entities.js';
import { BlockchainEntity, SubnetEntity, SubnetStakeEntity } from './entities/subnet.entities.js';
import { ValidationCycle } from './entities/validation-cycle.entity.js';
import { ValidatorEntity } from './entities/validator.entity.js';
import { mapGenesisData } from './genesis-data.js';

export const SUBNETS = new Table(SubnetEntity);
export const SUBNET_STAKES = new Table(SubnetStakeEntity);
export const L1_VALIDATORS = new Table(L1ValidatorEntity);
export const BLOCKCHAINS = new Table(BlockchainEntity);
export const TRANSACTIONS = new Table(PChainTransaction);
export const NODES = new Table(NodeEntity);
export const VALIDATION_CYCLES = new Table(ValidationCycle);
export const DELEGATORS = new Table(DelegatorEntity);
export const DELEGATOR_REWARD_ADDRESSES = new Table(DelegatorRewardAddress);

/** The uptime is polled, of active validators only. */
export const VALIDATORS = new Table(ValidatorEntity, {
  without: ['uptimePerformance'],
  onUpdate: { uptime_performance: "CASE WHEN EXCLUDED.status = 'active' THEN $row.uptime_performance END" },
});

/** With what the lists filter and sort it by. */
export function toValidatorRow(validator: Validator, subnet: Subnet | undefined) {
  return {
    ...validator,
    nodeIdText: repeatedNodeIdToString(validator.nodeId),
    delegationCapacity: delegationCapacity(validator, subnet),
  };
}

export function toDelegatorRow(delegator: Delegator) {
  return { ...delegator, validatorPart: splitReward(delegator.potentialReward, delegator.shares).taken };
}

export function toNodeRow(nodeId: ShortId) {
  return { nodeId, nodeIdText: repeatedNodeIdToString(nodeId) };
}

/** One for each address that a delegation's rewards belong to. */
export function toRewardAddressRows({ txId, status, start, nodeId, rewardsOwner }: Delegator) {
  return rewardsOwner.addresses.map((address) => ({ txId, address, status, start, nodeId }));
}

/** With the specification's form of the genesis; null for a VM that is no EVM. */
export function toBlockchainRow(blockchain: Blockchain) {
  return { ...blockchain, ...mapGenesisData(blockchain.genesisData) };
}
