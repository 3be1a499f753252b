import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { bls } from '../../../src/avalanche/bls/bls.js';
import { fromHex } from '../../../src/avalanche/ids/hex.js';
import { PRIMARY_NETWORK_ID } from '../../../src/avalanche/ids/id.js';
import { InfoClient } from '../../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../../src/avalanche/rpc/platform-client.js';
import {
  type CanonicalValidatorSet,
  makeCanonicalValidatorSet,
} from '../../../src/avalanche/warp/canonical-validator-set.js';
import { unpackMessage } from '../../../src/avalanche/warp/message.js';
import { verifyMessage } from '../../../src/avalanche/warp/verify-message.js';
import { blockHashRequests, type RequestMaker } from '../../bench/messages.js';
import type { ServiceProcess } from '../topology/service-process.js';
import type { Caller } from './caller.js';

const PATH = '/v1/signatureAggregator/fuji/aggregateSignatures';
const ROUTE = '/v1/signatureAggregator/{network}/aggregateSignatures';
const QUORUM_PERCENTAGE = 67;
const NODE_TIMEOUT_MS = 60_000;
const ASK_AGAIN_AFTER_MS = 1_000;

const SignedSchema = z.object({ signedMessage: z.string() });

/** One message, from its first request to its signature. */
export interface AggregationStory {
  readonly message: string;
  readonly askedAt: number;
  attempts: number;
  signedAt: number | undefined;
  /** Answers that were none: a signed message that a chain would refuse. */
  wrong: string[];
}

/** Whether a signed message is what the chain that receives it would accept. */
export class SignatureCheck {
  private constructor(
    private readonly networkId: number,
    private readonly validatorSet: CanonicalValidatorSet,
    readonly makeRequest: RequestMaker,
  ) {}

  static async create(nodeUrl: string): Promise<SignatureCheck> {
    const rpc = new JsonRpcClient({ urls: [nodeUrl], timeoutMs: NODE_TIMEOUT_MS });
    const networkId = await new InfoClient(rpc).getNetworkId();
    const entries = await new PlatformClient(rpc).getValidatorsAt({
      subnetId: PRIMARY_NETWORK_ID,
      height: 'proposed',
    });
    rpc.close();
    const makeRequest = await blockHashRequests(nodeUrl);
    return new SignatureCheck(networkId, makeCanonicalValidatorSet(entries), makeRequest);
  }

  /** @returns what is wrong; undefined for nothing */
  complaint(asked: string, body: string): string | undefined {
    try {
      const { signedMessage } = SignedSchema.parse(JSON.parse(body));
      if (!signedMessage.startsWith(asked)) return 'another message';
      verifyMessage({
        message: unpackMessage(fromHex(signedMessage)),
        networkId: this.networkId,
        validatorSet: this.validatorSet,
        quorumNumerator: QUORUM_PERCENTAGE,
        quorumDenominator: 100,
        bls,
      });
      return undefined;
    } catch (error) {
      return String(error);
    }
  }
}

/** Asks for a new message until it is signed, of another process each time, as integrators do. */
export async function runAggregation(options: {
  caller: Caller;
  check: SignatureCheck;
  nextApi: () => ServiceProcess;
  stories: AggregationStory[];
  signal: AbortSignal;
}): Promise<void> {
  const { caller, check, nextApi, stories, signal } = options;
  const { message } = check.makeRequest();
  const story: AggregationStory = {
    message,
    askedAt: performance.now(),
    attempts: 0,
    signedAt: undefined,
    wrong: [],
  };
  stories.push(story);
  while (!signal.aborted) {
    story.attempts += 1;
    const question = {
      kind: 'aggregations',
      route: ROUTE,
      path: PATH,
      body: JSON.stringify({ message }),
    } as const;
    const { outcome, body } = await caller.ask(nextApi(), question);
    if (outcome === 201) {
      const complaint = check.complaint(message, body);
      if (complaint === undefined) {
        story.signedAt = performance.now();
        return;
      }
      story.wrong.push(complaint);
    }
    await delay(ASK_AGAIN_AFTER_MS);
  }
}
