import { Module } from '@nestjs/common';
import { IndexedNetworksModule } from '../../indexes/overview/indexed-networks.module.js';
import { RefusalsModule } from '../../platform/http/errors/refusals.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { LifecycleModule } from '../health/lifecycle.js';
import { InterchainMessagesModule } from '../interchain-messages/interchain-messages.module.js';
import { UtxosModule } from '../utxos/utxos.module.js';
import { BlockOutlineRepository } from './block-outline.repository.js';
import { BlocksAheadReader } from './blocks-ahead.js';
import { ChangeReader } from './change-reader.js';
import { ChangeRepository } from './change.repository.js';
import { ChangesController } from './changes.controller.js';
import { ChangesService } from './changes.service.js';
import { FedChains } from './fed-chains.js';
import { IndexedHeights } from './indexed-heights.js';
import { OpenStreams } from './open-streams.js';
import { UtxoChainIds } from './utxo-chain-ids.js';

@Module({
  imports: [
    IndexedNetworksModule,
    LifecycleModule,
    MetricsModule,
    RefusalsModule,
    UtxosModule,
    InterchainMessagesModule,
  ],
  controllers: [ChangesController],
  providers: [
    ChangesService,
    ChangeReader,
    ChangeRepository,
    BlocksAheadReader,
    BlockOutlineRepository,
    UtxoChainIds,
    FedChains,
    IndexedHeights,
    OpenStreams,
  ],
})
export class ChangesModule {}
