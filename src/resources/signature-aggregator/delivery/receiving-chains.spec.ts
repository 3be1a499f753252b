import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { idToString, PRIMARY_NETWORK_ID } from '../../../avalanche/ids/id.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import type { EvmChains } from '../../../platform/evm-chains/evm-chains.js';
import type { Network } from '../../../platform/networks/network.js';
import { networkAt } from '../../../../test/support/network.js';
import { ReceivingChains } from './receiving-chains.js';

const idOf = (byte: number) => idToString(new Uint8Array(32).fill(byte));

const P_CHAIN = PRIMARY_NETWORK_ID;
const C_CHAIN = idOf(1);
const CHAIN = idOf(2);
const OTHER_CHAIN = idOf(3);
const SUBNET = idOf(12);
const OTHER_SUBNET = idOf(13);
const SUBNETS = new Map([
  [P_CHAIN, PRIMARY_NETWORK_ID],
  [C_CHAIN, PRIMARY_NETWORK_ID],
  [CHAIN, SUBNET],
  [OTHER_CHAIN, OTHER_SUBNET],
]);

const config = (requirePrimaryNetworkSigners: boolean) => ({
  warpConfig: { blockTimestamp: 1, quorumNumerator: 70, requirePrimaryNetworkSigners },
});
const notServed = new RpcError('NODE_BAD_RESPONSE', 'no', {
  host: 'node',
  method: 'eth_getChainConfig',
  httpStatus: 404,
});

describe(ReceivingChains.name, () => {
  let network: Network;

  beforeEach(() => {
    network = networkAt(['http://127.0.0.1:1'], { timeoutMs: 1 });
    jest.spyOn(network, 'getSubnetOf').mockImplementation(async (id) => SUBNETS.get(id) ?? '');
    nodeSays(undefined);
    createdWith(undefined);
  });

  const nodeSays = (chainConfig: unknown) => {
    const call = jest.spyOn(network.rpc, 'call');
    if (chainConfig === undefined) call.mockRejectedValue(notServed);
    else call.mockResolvedValue(chainConfig);
  };

  const createdWith = (genesis: object | undefined) => {
    const bytes = genesis && Buffer.from(JSON.stringify(genesis));
    jest.spyOn(network.pChain, 'findGenesis').mockResolvedValue(bytes);
  };

  const chainsWith = (chainConfig?: unknown) =>
    new ReceivingChains({
      ofBlockchain: (name: string, id: string) =>
        chainConfig !== undefined && name === network.name && id === CHAIN ? { name: 'L1' } : undefined,
      clientOf: () => ({ chainConfig: async () => chainConfig }),
    } as unknown as EvmChains);

  const signers = (source: string, destination: string, chains = chainsWith()) =>
    chains.signingSubnet(network, { sourceBlockchainId: source, destinationBlockchainId: destination });

  it.each([
    ['what a chain demands', { warpConfig: { blockTimestamp: 0, quorumNumerator: 80 } }, 80],
    ['no less than by default', { warpConfig: { blockTimestamp: 0, quorumNumerator: 50 } }, 67],
    ['the default where nobody knows', undefined, 67],
    [
      'the default for a demand that no chain can have',
      { warpConfig: { blockTimestamp: 0, quorumNumerator: 101 } },
      67,
    ],
  ])('asks for a quorum of %s', async (_, chainConfig, expected) => {
    nodeSays(chainConfig);
    expect(await chainsWith().quorum(network, CHAIN)).toBe(expected);
  });

  it('asks for the default quorum while the node is away', async () => {
    nodeSays(undefined);
    jest.spyOn(network.pChain, 'findGenesis').mockRejectedValue(notServed);
    expect(await chainsWith().quorum(network, CHAIN)).toBe(67);
  });

  it.each([
    ['an L1 to the C-chain', CHAIN, C_CHAIN, SUBNET],
    ['an L1 to the P-chain', CHAIN, P_CHAIN, SUBNET],
    ['an L1 to another', CHAIN, OTHER_CHAIN, SUBNET],
    ['the P-chain to the C-chain', P_CHAIN, C_CHAIN, PRIMARY_NETWORK_ID],
    ['the P-chain to an L1', P_CHAIN, CHAIN, SUBNET],
    ['the C-chain to the P-chain', C_CHAIN, P_CHAIN, PRIMARY_NETWORK_ID],
  ])('knows who signs what goes from %s, whatever the rules', async (_, source, destination, expected) => {
    expect(await signers(source, destination)).toBe(expected);
  });

  describe.each([
    ['its own validators', false, SUBNET],
    ['the primary network', true, PRIMARY_NETWORK_ID],
  ])('of an L1 that takes the word of %s about the C-chain', (_, flag, expected) => {
    it('knows it from the node of the configured chain', async () => {
      expect(await signers(C_CHAIN, CHAIN, chainsWith(config(flag)))).toBe(expected);
    });

    it('knows it from the node of the network, rather than from the genesis', async () => {
      nodeSays(config(flag));
      createdWith({ config: config(!flag) });
      expect(await signers(C_CHAIN, CHAIN)).toBe(expected);
    });

    it('knows it from the genesis where no node runs the chain', async () => {
      createdWith({ config: config(flag) });
      expect(await signers(C_CHAIN, CHAIN)).toBe(expected);
      expect(await chainsWith().findRules(network, CHAIN)).toMatchObject({ quorumNumerator: 70 });
    });
  });

  it.each([
    ['there is no genesis', undefined],
    ['the genesis is not that of an EVM', ['not', 'an', 'object']],
    ['the genesis does not have Warp', { config: { chainId: 7 } }],
  ])('asks the caller where %s', async (_, genesis) => {
    createdWith(genesis);
    await expect(signers(C_CHAIN, CHAIN)).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining(
        `give signingSubnetId: ${PRIMARY_NETWORK_ID} if it does, otherwise ${SUBNET}`,
      ),
    });
  });

  it('remembers what a node has reported while that is away, rather than what the genesis had', async () => {
    createdWith({ config: config(false) });
    nodeSays(config(true));
    const chains = chainsWith();
    const passage = { sourceBlockchainId: C_CHAIN, destinationBlockchainId: CHAIN };
    expect(await chains.findSigningSubnet(network, passage)).toBe(PRIMARY_NETWORK_ID);
    nodeSays(undefined);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 90_000);
    expect(await chains.findSigningSubnet(network, passage)).toBe(PRIMARY_NETWORK_ID);
  });

  it('waits for no node as long as the rules are in use', async () => {
    jest.useFakeTimers();
    try {
      nodeSays(config(true));
      const chains = chainsWith();
      await chains.findRules(network, CHAIN);
      await jest.advanceTimersByTimeAsync(25_000);
      jest.spyOn(network.rpc, 'call').mockReturnValue(new Promise(() => undefined));
      await jest.advanceTimersByTimeAsync(20_000);
      const later = jest.advanceTimersByTimeAsync(1).then(() => 'it waits');
      expect(await Promise.race([chains.findRules(network, CHAIN), later])).toMatchObject({
        requirePrimaryNetworkSigners: true,
      });
    } finally {
      jest.useRealTimers();
    }
  });
});
