import { describe, expect, it, jest } from '@jest/globals';
import { fastify } from 'fastify';
import type { RequestGate } from '../../../access/limits/request-gate.js';
import { toHex } from '../../../avalanche/ids/hex.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { packUnsignedMessage } from '../../../avalanche/warp/unsigned-message.js';
import type { FinishedRequests } from '../../../platform/http/requests/finished-requests.js';
import type { Networks } from '../../../platform/networks/networks.module.js';
import type { TaskQueueWatch } from '../../../platform/temporal/task-queue-watch.js';
import type { PricedAggregations } from '../priced-aggregations.js';
import type { SignatureAggregatorService } from '../signature-aggregator.service.js';
import { GoAggregator } from './go-aggregator.js';
import type { GoRequestMetrics } from './go-request-metrics.js';

const NETWORK_ID = 12_345;
const body = {
  message: toHex(
    packUnsignedMessage({
      networkId: NETWORK_ID,
      sourceChainId: new Uint8Array(32),
      payload: new Uint8Array(),
    }),
  ),
};

/** The answer to a message where networks report these ids. */
async function answerOf(ids: Record<string, () => Promise<number>>): Promise<unknown> {
  const networks = Object.entries(ids).map(([name, getNetworkId]) => ({ name, getNetworkId }));
  const aggregate = jest.fn(async ({ network }: { network: string }) => ({ signedMessage: network }));
  const go = new GoAggregator(
    { all: () => networks } as unknown as Networks,
    { aggregate } as unknown as SignatureAggregatorService,
    { during: async (_: unknown, work: () => unknown) => work() } as unknown as PricedAggregations,
    { guard: () => undefined } as unknown as RequestGate,
    { follow: () => undefined } as unknown as FinishedRequests,
    { during: async (work: () => unknown) => work() } as unknown as GoRequestMetrics,
    {} as TaskQueueWatch,
  );
  const server = fastify();
  go.serve(server);
  const answer = await server.inject({ method: 'POST', url: '/aggregate-signatures', payload: body });
  return answer.json();
}

describe(GoAggregator.name, () => {
  const away = new RpcError('NODE_UNREACHABLE', 'away', { host: 'node', method: 'info.getNetworkID' });

  const is = (id: number) => async (): Promise<number> => Promise.resolve(id);

  it("waits for no other network's node", async () => {
    const silent = async () => new Promise<number>(() => undefined);
    expect(await answerOf({ mainnet: silent, fuji: is(NETWORK_ID) })).toEqual({ 'signed-message': 'fuji' });
  });

  it('refuses a message of no network that is served, unless one that is away may be it', async () => {
    const others = await answerOf({ mainnet: is(1), fuji: is(5) });
    expect(others).toMatchObject({ error: expect.stringContaining('is not served here') });
    const unknown = await answerOf({ mainnet: is(1), fuji: async () => Promise.reject(away) });
    expect(unknown).toMatchObject({ error: expect.stringContaining("the network's node") });
  });
});
