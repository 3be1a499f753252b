import { Injectable } from '@nestjs/common';
import { LOWEST_PRIORITY } from '../../../../workflows/contracts/aggregate-signatures.js';
import { evmBytesOf } from '../../../avalanche/evm/rpc/hex-values.js';
import { sentWarpMessage } from '../../../avalanche/icm/sent-message.js';
import { evmChainKey } from '../../../platform/database/chains.js';
import { Database } from '../../../platform/database/database.js';
import { Networks } from '../../../platform/networks/networks.module.js';
import { RequestedMessages } from '../../signature-aggregator/message/requested-messages.js';
import { RunRecorder } from '../../signature-aggregator/record/run-recorder.js';
import { RunResults } from '../../signature-aggregator/record/run-results.js';
import { SignatureRepository } from '../../signature-aggregator/store/signature.repository.js';
import { isYoung, type SightedMessage } from './sighted-message.js';

/** Asks for the signatures of a sighted message as a caller would who delivers it, but behind all callers. */
@Injectable()
export class SightedSigner {
  constructor(
    private readonly networks: Networks,
    private readonly database: Database,
    private readonly signatures: SignatureRepository,
    private readonly messages: RequestedMessages,
    private readonly recorder: RunRecorder,
    private readonly results: RunResults,
  ) {}

  /**
   * Resolves when it is signed and stored. `passed_over`: it has waited for long, or no messenger sends such a message. Throws as the
   * request of a caller fails; stops waiting once `signal` is aborted.
   */
  async sign(sighted: SightedMessage, signal: AbortSignal): Promise<'signed' | 'known' | 'passed_over'> {
    const { chain, id, log, destinationBlockchainId } = sighted;
    const network = this.networks.byName(chain.network);
    const message = sentWarpMessage({
      networkId: await network.getNetworkId(),
      sourceBlockchainId: chain.blockchainId,
      messenger: log.address,
      log,
    });
    if (message === undefined || !isYoung(log)) return 'passed_over';
    if ((await this.isDelivered(sighted)) || (await this.signatures.hasSignatures(message))) return 'known';
    const origin = { requestId: `on-sight-${id}`, owner: `on sight: ${chain.network} ${chain.chainId}` };
    const request = { message, destinationBlockchainId };
    const input = await this.messages.forDestination(network, request, origin);
    Object.assign(input, { priorityKey: LOWEST_PRIORITY });
    const runId = await this.recorder.record(input, { isCollectedHere: false });
    await this.results.of(runId, input, signal);
    return 'signed';
  }

  /** A message that is sent again, or a chain that was not indexed for some minutes. */
  private async isDelivered({ chain, id, log }: SightedMessage): Promise<boolean> {
    const rows = await this.database.query({
      text: `SELECT FROM icm_deliveries WHERE network = $1 AND message_id = $2 UNION ALL
             SELECT FROM icm_fees WHERE network = $1 AND message_id = $2 AND chain_key = $3 AND contract = $4 AND is_credited`,
      values: [chain.network, evmBytesOf(id), evmChainKey(chain), evmBytesOf(log.address)],
    });
    return rows.length > 0;
  }
}
