import { Module } from '@nestjs/common';
import { EvmIndexModule } from '../../../indexes/evm/evm-index.module.js';
import { MetricsModule } from '../../../platform/metrics/metrics.module.js';
import { RunsModule } from '../../signature-aggregator/record/runs.module.js';
import { SignableMessagesModule } from '../../signature-aggregator/signable-messages.module.js';
import { SignatureStoreModule } from '../../signature-aggregator/store/signature-store.module.js';
import { EarlySignatures } from './early-signatures.js';
import { SightedSigner } from './sighted-signer.js';

/** Of workers: it is the process that indexes a message that has it signed. */
@Module({
  imports: [EvmIndexModule, MetricsModule, RunsModule, SignableMessagesModule, SignatureStoreModule],
  providers: [EarlySignatures, SightedSigner],
})
export class OnSightModule {}
