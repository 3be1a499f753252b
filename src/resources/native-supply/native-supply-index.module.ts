import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IndexCoverageEntity } from '../../indexes/engine/coverage/index-coverage.entity.js';
import {
  IndexCheckpoint,
  IndexProgressEntity,
} from '../../indexes/engine/progress/index-progress.entities.js';
import {
  EvmAtomicTotal,
  EvmAtomicTransaction,
} from '../../indexes/evm/entities/evm-atomic-transaction.entity.js';
import { L1ValidatorEntity } from '../../indexes/p-chain/entities/l1-validator.entity.js';
import { PChainTotal } from '../../indexes/p-chain/entities/p-chain-transaction.entities.js';
import { SubnetStakeEntity } from '../../indexes/p-chain/entities/subnet.entities.js';
import { ValidatorEntity } from '../../indexes/p-chain/entities/validator.entity.js';
import { UtxoEntity } from '../../indexes/utxos/utxo.entities.js';
import { XChainTotal } from '../../indexes/x-chain/entities/x-chain.entities.js';
import { NativeSupply } from './native-supply.entity.js';
import { SupplyRepository } from './supply.repository.js';
import { SupplyReader } from './supply-reader.js';
import { SupplyAuditor } from './supply-auditor.js';
import { SupplyRefresher } from './supply-refresher.js';
import { SupplyBaseline } from './supply-baseline.entity.js';
import { SupplyTotals } from './supply-totals.js';

const READ = [
  ...[IndexCoverageEntity, IndexCheckpoint, IndexProgressEntity],
  ...[EvmAtomicTransaction, EvmAtomicTotal, XChainTotal, SupplyBaseline],
  ...[L1ValidatorEntity, PChainTotal, SubnetStakeEntity, ValidatorEntity, UtxoEntity],
];

/** Providers of the worker for the calculation of the supply. */
@Module({
  imports: [TypeOrmModule.forFeature([NativeSupply, ...READ])],
  providers: [SupplyRepository, SupplyReader, SupplyTotals, SupplyRefresher, SupplyAuditor],
  exports: [SupplyRefresher, SupplyAuditor],
})
export class NativeSupplyIndexModule {}
