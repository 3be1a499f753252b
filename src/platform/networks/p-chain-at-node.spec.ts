import { describe, expect, it } from '@jest/globals';
import type { AvmClient } from '../../avalanche/rpc/avm-client.js';
import type { PlatformClient } from '../../avalanche/rpc/platform-client.js';
import { RpcError } from '../../avalanche/rpc/rpc.error.js';
import { PChainAtNode } from './p-chain-at-node.js';

const ID = '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5';

/** A node that answers all with one refusal, but knows its height. */
function refusing(rpcCode: number, rpcMessage: string): PChainAtNode {
  const refuse = async (): Promise<never> => {
    throw new RpcError('NODE_REJECTED', rpcMessage, { host: 'node', method: 'm', rpcCode, rpcMessage });
  };
  const platform = {
    getHeight: async () => 100n,
    getValidatorsAt: refuse,
    getAllValidatorsAt: refuse,
    getSubnet: refuse,
    validatedBy: refuse,
    getL1Validator: refuse,
  };
  const avm = { hasTransaction: refuse };
  return new PChainAtNode(platform as unknown as PlatformClient, avm as unknown as AvmClient);
}

describe(PChainAtNode.name, () => {
  it('takes what the node refuses by its id for unknown', async () => {
    const node = refusing(-32_000, 'problem retrieving blockchain: not found');
    expect(await node.findSubnetOf(ID)).toBeUndefined();
    expect(await node.findSubnet(ID)).toBeUndefined();
    expect(await node.findL1Validator(ID)).toBeUndefined();
    await expect(node.getValidatorsAt(ID, 50n)).rejects.toMatchObject({ code: 'HEIGHT_NOT_AVAILABLE' });
  });

  it('takes nothing for unknown that a node was asked for too often', async () => {
    const node = refusing(-32_005, 'rate limit exceeded');
    const refused = { code: 'NODE_REJECTED' };
    await expect(node.findSubnetOf(ID)).rejects.toMatchObject(refused);
    await expect(node.findSubnet(ID)).rejects.toMatchObject(refused);
    await expect(node.getValidatorsAt(ID, 50n)).rejects.toMatchObject(refused);
  });

  it('takes nothing for unknown because a gateway lacks the method', async () => {
    await expect(refusing(-32_601, 'Method not found').findL1Validator(ID)).rejects.toMatchObject({
      code: 'NODE_REJECTED',
    });
  });
});
