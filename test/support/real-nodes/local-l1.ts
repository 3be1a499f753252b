import { expect } from '@jest/globals';
import { fromHex, toHex } from '../../../src/avalanche/ids/hex.js';
import { packPredicate } from '../../../src/avalanche/warp/predicate.js';
import type { DeliveryResponse } from '../../../src/resources/signature-aggregator/delivery/delivery.response.js';
import type { EvmChain } from '../../../tools/localnet/l1/evm-chain.js';
import { MESSENGER_ADDRESS } from '../../../tools/localnet/l1/messenger.js';
import { startL1, L1_FLAGS, type L1 } from '../../../tools/localnet/l1/start-l1.js';
import type { Aggregate } from '../../../tools/localnet/l1/relay.js';
import type { LocalNetwork } from '../../../tools/localnet/local-network.js';
import { makeScenario, type Scenario } from '../../../tools/localnet/scenario/context.js';
import { toText } from '../../../tools/localnet/scenario/wallet.js';
import { type TestEvmChain, writeEvmChainsFile } from '../evm/evm-chains-file.js';
import { startLocalNetworkForTest } from './local-network.js';
import { TestService, type ApiAnswer } from '../harness/service.js';

/** A network with an L1, and the service over it, which indexes the C-chain wholly and of the L1 the messages. */
export interface L1TestBed {
  readonly network: LocalNetwork;
  readonly scenario: Scenario;
  readonly l1: L1;
  readonly service: TestService;
  /** The service's answer to POST. */
  readonly aggregate: Aggregate;
}

/** Takes about a minute. */
export async function startL1ForTest(upgrade: object): Promise<L1TestBed> {
  const network = await startLocalNetworkForTest({ flags: L1_FLAGS });
  const scenario = await makeScenario({
    url: network.url,
    genesisSigners: [],
    genesisNodeIds: [],
    guests: [],
    step: () => undefined,
  });
  const l1 = await startL1({ network, scenario, upgrade, progress: () => undefined });
  const service = await TestService.start({
    nodeUrl: network.url,
    env: {
      EVM_CHAINS_FILE: writeEvmChainsFile([
        describeChain(l1.cChain, network.url),
        { ...describeChain(l1.chain, l1.nodes[0]?.url ?? ''), index: 'logs' },
      ]),
    },
  });
  const aggregate: Aggregate = async (request) => signedMessageIn(await service.aggregate(request));
  return { network, scenario, l1, service, aggregate };
}

export function describeChain({ chainId, blockchainId: id }: EvmChain, nodeUrl: string): TestEvmChain {
  const blockchainId = toText(id);
  const rpcUrls = [`${nodeUrl}/ext/bc/${blockchainId}/rpc`];
  return { chainId: BigInt(chainId), blockchainId, rpcUrls, messengers: [MESSENGER_ADDRESS] };
}

/** By nobody but whom the service chooses; with its advice on the delivery. */
export async function signForDestination(
  service: TestService,
  to: EvmChain,
  unsignedMessage: Uint8Array,
): Promise<{ signedMessage: Uint8Array; delivery: DeliveryResponse }> {
  const answer = await service.aggregate({
    message: toHex(unsignedMessage),
    destinationBlockchainId: toText(to.blockchainId),
  });
  const signedMessage = signedMessageIn(answer);
  const { delivery } = answer.body as { delivery: DeliveryResponse };
  expect(delivery.accessList?.[0]?.storageKeys).toEqual(packPredicate(signedMessage));
  return { signedMessage, delivery };
}

/** Throws Error with the answer when it has none. */
export function signedMessageIn({ status, body }: ApiAnswer): Uint8Array {
  if (typeof body === 'object' && body !== null && 'signedMessage' in body) {
    return fromHex(String(body.signedMessage));
  }
  throw new Error(`${status}: ${JSON.stringify(body)}`);
}
