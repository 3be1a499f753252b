import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createPublicClient, createWalletClient, defineChain, type Hex, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { fromCb58 } from '../../src/avalanche/ids/cb58.js';
import { fromHex, toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString, PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { InfoClient } from '../../src/avalanche/rpc/info-client.js';
import { JsonRpcClient } from '../../src/avalanche/rpc/json-rpc-client.js';
import { PlatformClient } from '../../src/avalanche/rpc/platform-client.js';
import { makeCanonicalValidatorSet } from '../../src/avalanche/warp/canonical-validator-set.js';
import { packHash } from '../../src/avalanche/warp/payload/hash.js';
import { unpackAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { SEND_WARP_MESSAGE_TOPIC, WARP_PRECOMPILE_ADDRESS } from '../../src/avalanche/warp/send-warp-log.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import type { LocalNetwork } from '../../tools/localnet/local-network.js';
import { eventually } from '../support/harness/eventually.js';
import { startLocalNetworkForTest } from '../support/real-nodes/local-network.js';
import { TestService } from '../support/harness/service.js';
import { verifySignedMessage } from '../support/signatures/verify-signed-message.js';

/** The key that every local network's genesis funds; public on purpose. */
const FUNDED_KEY: Hex = `0x${toHex(fromCb58('ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN'))}`;
const LOCAL_NETWORK_ID = 12345;
const warpAbi = parseAbi(['function sendWarpMessage(bytes payload) returns (bytes32)']);

describe('five real avalanchego nodes', () => {
  let network: LocalNetwork;
  let service: TestService;
  let platform: PlatformClient;
  let cChainId: string;

  beforeAll(async () => {
    network = await startLocalNetworkForTest();
    const rpc = new JsonRpcClient({ urls: [network.url], timeoutMs: 60_000 });
    platform = new PlatformClient(rpc);
    cChainId = await new InfoClient(rpc).getBlockchainId({ alias: 'C' });
    service = await TestService.start({ nodeUrl: network.url });
  });

  const cChain = () => {
    const chain = defineChain({
      id: 43112,
      name: 'local C-chain',
      nativeCurrency: { name: 'AVAX', symbol: 'AVAX', decimals: 18 },
      rpcUrls: { default: { http: [`${network.url}/ext/bc/C/rpc`] } },
    });
    const account = privateKeyToAccount(FUNDED_KEY);
    const transport = http();
    return {
      account,
      wallet: createWalletClient({ account, chain, transport }),
      reader: createPublicClient({ chain, transport, pollingInterval: 200 }),
    };
  };

  /** The hash of a new, accepted block. */
  const newBlock = async (): Promise<string> => {
    const { account, wallet, reader } = cChain();
    const hash = await wallet.sendTransaction({ to: account.address, value: 1n });
    return (await reader.waitForTransactionReceipt({ hash })).blockHash;
  };

  const blockHashMessage = (hash: string) =>
    toHex(
      packUnsignedMessage({
        networkId: LOCAL_NETWORK_ID,
        sourceChainId: idFromString(cChainId),
        payload: packHash({ hash: fromHex(hash) }),
      }),
    );

  const expectSigned = async (answer: { status: number; body: unknown }, quorumPercentage: number) => {
    expect(answer).toMatchObject({ status: 201 });
    const entries = await platform.getValidatorsAt({ subnetId: PRIMARY_NETWORK_ID, height: 'proposed' });
    return verifySignedMessage(answer.body, {
      networkId: LOCAL_NETWORK_ID,
      validatorSet: makeCanonicalValidatorSet(entries),
      quorumPercentage,
    });
  };

  it('sign the hash of an accepted C-chain block', async () => {
    const message = blockHashMessage(await newBlock());
    const { signers } = await expectSigned(await service.aggregate({ message }), 67);
    expect(signers).toHaveLength(4);
    const all = await expectSigned(await service.aggregate({ message, quorumPercentage: 100 }), 100);
    expect(all.signers).toEqual([0, 1, 2, 3, 4]);
  });

  it('sign a message that a C-chain contract call sent, given as the log of its receipt', async () => {
    const { wallet, reader, account } = cChain();
    const payload = randomBytes(200);
    const hash = await wallet.writeContract({
      address: WARP_PRECOMPILE_ADDRESS,
      abi: warpAbi,
      functionName: 'sendWarpMessage',
      args: [`0x${toHex(payload)}`],
    });
    const { logs } = await reader.waitForTransactionReceipt({ hash });
    const log = logs.find(({ topics }) => topics[0] === SEND_WARP_MESSAGE_TOPIC);
    const answer = await service.aggregate({
      message: log?.data,
      quorumPercentage: 80,
      quorumPercentageBuffer: 20,
    });
    const { message, signers } = await expectSigned(answer, 80);
    expect(signers).toHaveLength(5);
    const call = unpackAddressedCall(message.unsignedMessage.payload);
    expect(toHex(call.payload)).toBe(toHex(payload));
    expect(toHex(call.sourceAddress)).toBe(account.address.slice(2).toLowerCase());
  });

  it('refuse to sign what they have not accepted, and the answer reports it', async () => {
    const answer = await service.aggregate({ message: blockHashMessage(toHex(randomBytes(32))) });
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({
      message: expect.stringMatching(
        /^failed to collect a threshold of signatures: .*signed weight 0 of \d+ \(0 %\), 5 of 5 validators asked; 5× refused with code \d/,
      ),
    });
  });

  it('give a 503 with the connected weight while two are stopped, and sign the same request after their return', async () => {
    const message = blockHashMessage(await newBlock());
    const stopped = network.nodes.slice(3);
    await Promise.all(stopped.map((node) => node.stop()));
    const refused = await service.aggregate({ message });
    expect(refused).toMatchObject({
      status: 503,
      body: {
        message: expect.stringMatching(
          /^failed to connect to a threshold of stake: 67 % needed, connected weight \d+ of \d+ \(60 %\), signed weight \d+ of \d+ \(60 %\), 3 of 5 validators asked; (2×|1× not connected \([^)]+\), 1×) not connected \(/,
        ),
        error: 'Service Unavailable',
      },
    });
    await Promise.all(stopped.map((node) => node.start()));
    await Promise.all(stopped.map((node) => node.waitUntilHealthy()));
    await eventually(
      'the same request succeeds',
      async () => (await service.aggregate({ message })).status === 201,
    );
    await expectSigned(await service.aggregate({ message }), 67);
  });
});
