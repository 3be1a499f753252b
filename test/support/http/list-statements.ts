import type { DataSource } from 'typeorm';
import { DelegatorEntity } from '../../../src/indexes/p-chain/entities/delegator.entities.js';
import { NodeEntity } from '../../../src/indexes/p-chain/entities/node.entities.js';
import { L1ValidatorEntity } from '../../../src/indexes/p-chain/entities/l1-validator.entity.js';
import { StakingTransactionEntity } from '../../../src/indexes/p-chain/entities/staking-transaction.entities.js';
import { ValidationCycle } from '../../../src/indexes/p-chain/entities/validation-cycle.entity.js';
import { BlockchainEntity, SubnetEntity } from '../../../src/indexes/p-chain/entities/subnet.entities.js';
import { ValidatorEntity } from '../../../src/indexes/p-chain/entities/validator.entity.js';
import { UtxoEntity } from '../../../src/indexes/utxos/utxo.entities.js';
import { Database } from '../../../src/platform/database/database.js';
import { ListDatabase } from '../../../src/platform/database/list-database.js';
import { IcmListing, IcmSend } from '../../../src/resources/interchain-messages/entities/icm.entities.js';
import { InterchainMessageRepository } from '../../../src/resources/interchain-messages/interchain-message.repository.js';
import { TransactionMessageRepository } from '../../../src/resources/interchain-messages/transaction-message.repository.js';
import { TransferRepository } from '../../../src/resources/interchain-messages/transfers/transfer.repository.js';
import { DelegatorRepository } from '../../../src/resources/delegators/delegator.repository.js';
import { L1ValidatorListRepository } from '../../../src/resources/l1-validators/l1-validator.repository.js';
import { PaidRewardRepository } from '../../../src/resources/rewards/paid-reward.repository.js';
import { PendingRewardRepository } from '../../../src/resources/rewards/pending-reward.repository.js';
import { BlockchainRepository } from '../../../src/resources/subnets/blockchain.repository.js';
import { SubnetRepository } from '../../../src/resources/subnets/subnet.repository.js';
import { StakingTransactionRepository } from '../../../src/resources/staking-transactions/staking-transaction.repository.js';
import { BalanceRepository } from '../../../src/resources/utxos/balance.repository.js';
import { UtxoRepository } from '../../../src/resources/utxos/utxo.repository.js';
import { CycleRepository } from '../../../src/resources/validation-cycles/cycle.repository.js';
import { ValidatorRepository } from '../../../src/resources/validators/validator.repository.js';

/** The repositories of the lists, for what looks at their statements. */
export function listRepositories(dataSource: DataSource) {
  const database = new ListDatabase(new Database(dataSource));
  return {
    messages: new InterchainMessageRepository(dataSource.getRepository(IcmListing), database),
    transactionMessages: new TransactionMessageRepository(dataSource.getRepository(IcmSend), database),
    transfers: new TransferRepository(dataSource.getRepository(IcmSend), database),
    blockchains: new BlockchainRepository(dataSource.getRepository(BlockchainEntity), database),
    cycles: new CycleRepository(
      dataSource.getRepository(ValidationCycle),
      dataSource.getRepository(ValidatorEntity),
      database,
    ),
    l1Validators: new L1ValidatorListRepository(dataSource.getRepository(L1ValidatorEntity), database),
    pendingRewards: new PendingRewardRepository(dataSource.getRepository(ValidatorEntity), database),
    paidRewards: new PaidRewardRepository(dataSource.getRepository(UtxoEntity), database),
    delegators: new DelegatorRepository(dataSource.getRepository(DelegatorEntity), database),
    subnets: new SubnetRepository(dataSource.getRepository(SubnetEntity), database),
    balances: new BalanceRepository(database),
    stakingTransactions: new StakingTransactionRepository(
      dataSource.getRepository(StakingTransactionEntity),
      database,
    ),
    utxos: new UtxoRepository(dataSource.getRepository(UtxoEntity), database),
    validators: new ValidatorRepository(
      dataSource.getRepository(ValidatorEntity),
      dataSource.getRepository(NodeEntity),
      database,
    ),
  };
}
