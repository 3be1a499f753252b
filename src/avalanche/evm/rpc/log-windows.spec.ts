import { describe, expect, it } from '@jest/globals';
import { RpcError } from '../../rpc/rpc.error.js';
import { EvmClient } from './evm-client.js';
import { LogWindows } from './log-windows.js';

const tooMany = (): RpcError => {
  const rpcMessage = 'requested too many blocks';
  return new RpcError('NODE_REJECTED', rpcMessage, {
    host: 'node',
    method: 'eth_getLogs',
    rpcCode: -32000,
    rpcMessage,
  });
};

describe(LogWindows.name, () => {
  /** Searches all blocks of a node that bears so many at once. */
  const searchAll = async (blocks: bigint, bears: bigint) => {
    const client = EvmClient.connect({ urls: ['http://127.0.0.1:9/'], timeoutMs: 1 });
    const windows = new LogWindows();
    const outcome = { searched: 0, refused: 0 };
    for (let next = 0n; next < blocks;) {
      const { to } = await windows.read(
        client,
        (span) => ({ from: next, to: next + span - 1n }),
        async ({ from, to: end }) => {
          if (end - from + 1n > bears) {
            outcome.refused += 1;
            throw tooMany();
          }
          outcome.searched += 1;
          return Promise.resolve({ count: 0 });
        },
      );
      next = to + 1n;
    }
    client.close();
    return outcome;
  };

  it('become wider as long as nothing is too much', async () => {
    expect(await searchAll(100n * 2n ** 17n, 2n ** 60n)).toEqual({ searched: 106, refused: 0 });
  });

  it('seldom try again what was too much', async () => {
    expect(await searchAll(330n * 2_048n, 2_048n)).toEqual({ searched: 330, refused: 10 });
  });

  it('become as wide as a node bears', async () => {
    const { searched, refused } = await searchAll(2n ** 20n, 10_000n);
    expect(refused).toBeLessThan(searched / 20);
    expect(searched).toBeLessThan(2 ** 20 / 8_192 + 10);
  });
});
