import { ServiceSecret } from '../../src/platform/secrets/service-secret.entity.js';
import { IndexCoverageEntity } from '../../src/indexes/engine/coverage/index-coverage.entity.js';
import {
  IndexCheckpoint,
  IndexProgressEntity,
} from '../../src/indexes/engine/progress/index-progress.entities.js';
import {
  EvmAtomicTotal,
  EvmAtomicTransaction,
} from '../../src/indexes/evm/entities/evm-atomic-transaction.entity.js';
import { EvmBuildEntity } from '../../src/indexes/evm/entities/evm-build.entity.js';
import { EvmBlockEntity, EvmTransactionEntity } from '../../src/indexes/evm/entities/evm-block.entities.js';
import { EvmLogEntity, ProjectionCheckpoint } from '../../src/indexes/evm/entities/evm-log.entities.js';
import { EvmToken } from '../../src/indexes/evm/entities/evm-token.entity.js';
import {
  EvmTransfer,
  EvmInternalTransfer,
  EvmAtomicTransfer,
} from '../../src/indexes/evm/entities/evm-transfer.entities.js';
import {
  DelegatorEntity,
  DelegatorRewardAddress,
} from '../../src/indexes/p-chain/entities/delegator.entities.js';
import { L1ValidatorEntity } from '../../src/indexes/p-chain/entities/l1-validator.entity.js';
import {
  NodeEntity,
  NodeObservation,
  ObservedNode,
} from '../../src/indexes/p-chain/entities/node.entities.js';
import {
  PChainTransaction,
  PChainTotal,
} from '../../src/indexes/p-chain/entities/p-chain-transaction.entities.js';
import {
  StakingListing,
  StakingTransactionEntity,
} from '../../src/indexes/p-chain/entities/staking-transaction.entities.js';
import {
  SubnetEntity,
  SubnetStakeEntity,
  BlockchainEntity,
} from '../../src/indexes/p-chain/entities/subnet.entities.js';
import { ValidationCycle } from '../../src/indexes/p-chain/entities/validation-cycle.entity.js';
import { ValidatorSetMember } from '../../src/indexes/p-chain/entities/validator-set.entity.js';
import { ValidatorEntity } from '../../src/indexes/p-chain/entities/validator.entity.js';
import { UtxoEntity, UtxoListing, UtxoCheck } from '../../src/indexes/utxos/utxo.entities.js';
import {
  AssetEntity,
  XChainTotal,
  XChainTransaction,
  XChainVertex,
} from '../../src/indexes/x-chain/entities/x-chain.entities.js';
import {
  Webhook,
  WebhookAddress,
  WebhookMessage,
  WebhookOutboxEntry,
} from '../../src/resources/webhooks/webhook.entities.js';
import { ApiOrganisation, ApiPlan, ApiKey } from '../../src/access/keys/api-key.entities.js';
import { RateLimitWindow } from '../../src/access/limits/rate-limit-window.entity.js';
import { ApiRequest, ApiUsage, ApiUsageProgress } from '../../src/access/usage/usage.entities.js';
import {
  ExportLogWindowEntity,
  ExportStateEntity,
} from '../../src/exports/search/search-records.entities.js';
import { ExportProofEntity } from '../../src/exports/proof/export-proof.entity.js';
import { ExportPartEntity } from '../../src/exports/turns/export-part.entity.js';
import {
  IcmSend,
  IcmSender,
  IcmDelivery,
  IcmExecution,
  IcmFee,
  IcmListing,
  IcmListVersion,
  IcmChain,
} from '../../src/resources/interchain-messages/entities/icm.entities.js';
import { NativeSupply } from '../../src/resources/native-supply/native-supply.entity.js';
import { SupplyBaseline } from '../../src/resources/native-supply/supply-baseline.entity.js';
import { NftTokenEntity } from '../../src/resources/nft-tokens/nft-token.entity.js';
import { OperationEntity, ExportClaim } from '../../src/resources/operations/operation.entities.js';
import {
  ValidatorSignature,
  AggregatedSignature,
} from '../../src/resources/signature-aggregator/store/signature.entities.js';
import { SignerObservation } from '../../src/resources/signature-aggregator/observe/signer-observation.entity.js';
import {
  ServiceProcess,
  AggregationCount,
  StatusMinute,
} from '../../src/resources/status/status.entities.js';

/** Of all tables, for what needs them without the modules that own them. */
export const ENTITIES = [
  ServiceSecret,
  IndexCoverageEntity,
  IndexCheckpoint,
  IndexProgressEntity,
  EvmAtomicTotal,
  EvmAtomicTransaction,
  EvmBlockEntity,
  EvmBuildEntity,
  EvmTransactionEntity,
  EvmLogEntity,
  ProjectionCheckpoint,
  EvmToken,
  EvmTransfer,
  EvmInternalTransfer,
  EvmAtomicTransfer,
  DelegatorEntity,
  DelegatorRewardAddress,
  L1ValidatorEntity,
  NodeEntity,
  NodeObservation,
  ObservedNode,
  PChainTransaction,
  PChainTotal,
  StakingListing,
  StakingTransactionEntity,
  SubnetEntity,
  SubnetStakeEntity,
  BlockchainEntity,
  ValidationCycle,
  ValidatorEntity,
  ValidatorSetMember,
  UtxoEntity,
  UtxoListing,
  UtxoCheck,
  AssetEntity,
  XChainTotal,
  XChainTransaction,
  XChainVertex,
  ApiOrganisation,
  ApiPlan,
  ApiKey,
  Webhook,
  WebhookAddress,
  WebhookMessage,
  WebhookOutboxEntry,
  RateLimitWindow,
  ApiRequest,
  ApiUsage,
  ApiUsageProgress,
  ExportPartEntity,
  ExportStateEntity,
  ExportProofEntity,
  ExportLogWindowEntity,
  IcmSend,
  IcmSender,
  IcmDelivery,
  IcmExecution,
  IcmFee,
  IcmListing,
  IcmListVersion,
  IcmChain,
  NativeSupply,
  SupplyBaseline,
  NftTokenEntity,
  OperationEntity,
  ExportClaim,
  ValidatorSignature,
  AggregatedSignature,
  SignerObservation,
  ServiceProcess,
  AggregationCount,
  StatusMinute,
];
