import { Module } from '@nestjs/common';
import { UsageRollUpModule } from '../src/access/usage/usage-roll-up.module.js';
import { EvmIndexModule } from '../src/indexes/evm/evm-index.module.js';
import type { Projection } from '../src/indexes/evm/projections/projection.js';
import { PROJECTIONS, Projections } from '../src/indexes/evm/projections/projections.js';
import { OnSightModule } from '../src/resources/interchain-messages/on-sight/on-sight.module.js';
import { MessageProjection } from '../src/resources/interchain-messages/message-projection.js';
import { NativeSupplyIndexModule } from '../src/resources/native-supply/native-supply-index.module.js';
import { NftIndexModule } from '../src/resources/nft-tokens/index/nft-index.module.js';
import { NftUpdates } from '../src/resources/nft-tokens/index/nft-updates.projection.js';
import { OperationStoreModule } from '../src/resources/operations/operation-store.module.js';
import { IndexAlarmsModule } from '../src/indexes/engine/progress/index-alarms.js';
import { PChainIndexModule } from '../src/indexes/p-chain/p-chain-index.module.js';
import { SignatureStoreModule } from '../src/resources/signature-aggregator/store/signature-store.module.js';
import { SigningModule } from '../src/resources/signature-aggregator/signing.module.js';
import { WebhookDeliveryModule } from '../src/resources/webhooks/webhook-delivery.module.js';
import { TransactionExportsModule } from '../src/exports/transaction-exports.module.js';
import { XChainIndexModule } from '../src/indexes/x-chain/x-chain-index.module.js';
import { AuditReports } from './audit-reports.js';
import { ApiUsageActivities } from './api-usage.activities.js';
import { IndexActivities } from './index.activities.js';
import { NativeSupplyActivities } from './native-supply.activities.js';
import { NftActivities } from './nft.activities.js';
import { SignatureAggregationActivities } from './signature-aggregation.activities.js';
import { TransactionExportActivities } from './transaction-export.activities.js';
import { WebhookActivities } from './webhook.activities.js';
import { WatchActivities } from './watch.activities.js';

const ACTIVITIES = [
  SignatureAggregationActivities,
  IndexActivities,
  WatchActivities,
  TransactionExportActivities,
  NftActivities,
  WebhookActivities,
  NativeSupplyActivities,
  ApiUsageActivities,
];

/** All that is made of watched logs. */
const PROJECTION_PROVIDER = {
  provide: PROJECTIONS,
  inject: [MessageProjection, NftUpdates],
  useFactory: (...projections: Projection[]) => projections,
};

@Module({
  imports: [
    SignatureStoreModule,
    SigningModule,
    PChainIndexModule,
    XChainIndexModule,
    EvmIndexModule,
    OperationStoreModule,
    TransactionExportsModule,
    NftIndexModule,
    WebhookDeliveryModule,
    NativeSupplyIndexModule,
    UsageRollUpModule,
    IndexAlarmsModule,
    OnSightModule,
  ],
  providers: [...ACTIVITIES, AuditReports, Projections, MessageProjection, PROJECTION_PROVIDER],
  exports: ACTIVITIES,
})
export class ActivitiesModule {}
