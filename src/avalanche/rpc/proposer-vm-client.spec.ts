import { describe, expect, it, jest } from '@jest/globals';
import { AvmClient } from './avm-client.js';
import { type JsonRpcCall, JsonRpcClient } from './json-rpc-client.js';
import { ProposerVmClient } from './proposer-vm-client.js';

const BLOCKCHAIN_ID = 'yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp';

/** Answers one call with a recorded result, parsed by the schema under test. */
function answering(result: unknown) {
  const rpc = new JsonRpcClient({ urls: ['http://127.0.0.1:1'], timeoutMs: 1 });
  const call = jest.spyOn(rpc, 'call').mockImplementation(<T>(request: JsonRpcCall<T>): Promise<T> => {
    return Promise.resolve(request.schema.parse(result));
  });
  return { rpc, call };
}

describe(ProposerVmClient.name, () => {
  it('reads the current epoch, whose numbers are strings', async () => {
    const { rpc, call } = answering({ number: '56', startTime: '1755802182', pChainHeight: '21857141' });
    const epoch = await new ProposerVmClient(rpc).getCurrentEpoch({ blockchainId: BLOCKCHAIN_ID });
    expect(epoch).toEqual({ number: 56n, startTimestampSeconds: 1_755_802_182, pChainHeight: 21_857_141n });
    expect(call.mock.calls[0]?.[0]).toMatchObject({
      path: `/ext/bc/${BLOCKCHAIN_ID}/proposervm`,
      method: 'proposervm.getCurrentEpoch',
      params: {},
    });
  });

  it('refuses an epoch without a height', async () => {
    const { rpc } = answering({ number: '1', startTime: '1755802182' });
    await expect(async () =>
      new ProposerVmClient(rpc).getCurrentEpoch({ blockchainId: BLOCKCHAIN_ID }),
    ).rejects.toThrow();
  });
});

describe(AvmClient.name, () => {
  it('asks the X-chain for a transaction', async () => {
    const { rpc, call } = answering({ tx: '0x00000000', encoding: 'hex' });
    await new AvmClient(rpc).hasTransaction({ txId: BLOCKCHAIN_ID }).catch(() => undefined);
    expect(call.mock.calls[0]?.[0]).toMatchObject({
      path: '/ext/bc/X',
      method: 'avm.getTx',
      params: { txID: BLOCKCHAIN_ID, encoding: 'hex' },
    });
  });
});
