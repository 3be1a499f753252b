import { fromHex } from '../../src/avalanche/ids/hex.js';
import { startL1, L1_FLAGS, type L1 } from '../../src/localnet/l1/start-l1.js';
import type { Aggregate } from '../../src/localnet/l1/relay.js';
import { makeScenario, type Scenario } from '../../src/localnet/scenario/context.js';
import { startLocalNetworkForTest } from './local-network.js';
import { TestService, type ApiAnswer } from './service.js';

/** A network with an L1, and the service over it. */
export interface L1TestBed {
  readonly scenario: Scenario;
  readonly l1: L1;
  readonly service: TestService;
  /** What the service answers to POST. */
  readonly aggregate: Aggregate;
}

/** Takes about a minute. */
export async function startL1ForTest(upgrade: object): Promise<L1TestBed> {
  const network = await startLocalNetworkForTest({ flags: L1_FLAGS });
  const scenario = await makeScenario({
    ...{ url: network.url, genesisSigners: [], genesisNodeIds: [], guests: [], step: () => undefined },
  });
  const [l1, service] = await Promise.all([
    startL1({ network, scenario, upgrade, progress: () => undefined }),
    TestService.start({
      nodeUrl: network.url,
      env: { AGGREGATION_CONNECT_TIMEOUT_MS: '10000', AGGREGATION_REFUSAL_RETRY_MS: '500' },
    }),
  ]);
  const aggregate: Aggregate = async (request) => signedMessageIn(await service.aggregate(request));
  return { scenario, l1, service, aggregate };
}

/** @throws Error with the answer when it has none */
export function signedMessageIn({ status, body }: ApiAnswer): Uint8Array {
  if (typeof body === 'object' && body !== null && 'signedMessage' in body) {
    return fromHex(String(body.signedMessage));
  }
  throw new Error(`${status}: ${JSON.stringify(body)}`);
}
