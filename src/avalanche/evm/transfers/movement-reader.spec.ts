import { afterEach, describe, expect, it } from '@jest/globals';
import { numberToHex } from 'viem/utils';
import { EvmClient } from '../rpc/evm-client.js';
import type { EvmError } from '../evm.error.js';
import { readMovements } from './movement-reader.js';
import { NO_UPGRADES } from './native-mints.js';
import { addressFor, rawBlock, type RawTransaction } from '../../../../sandbox/generated/evm-block.js';
import {
  type FakeMethod,
  FakeRpcError,
  startFakeEvmNode,
} from '../../../../test/support/evm/fake-evm-node.js';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const CALL: RawTransaction = { value: 5n, gasUsed: 50_000n };
const PLAIN: RawTransaction = { value: 5n };
const BLOCKS = [rawBlock(0), rawBlock(1, [PLAIN]), rawBlock(2, [CALL, PLAIN, CALL])];

const frame = (amounts: readonly number[]) => ({
  type: 'CALL',
  from: addressFor(1),
  to: addressFor(2),
  value: '0x5',
  calls: amounts.map((amount) => ({
    type: 'CALL',
    from: addressFor(2),
    to: addressFor(9),
    value: numberToHex(amount),
  })),
});

async function read(traceBlock: FakeMethod, traces: 'auto' | 'off' = 'auto') {
  const at = ([tag]: readonly unknown[]) => BLOCKS[Number(tag)];
  const node = await startFakeEvmNode({
    eth_getBlockByNumber: (params) => at(params)?.block ?? null,
    eth_getBlockReceipts: (params) => at(params)?.receipts ?? null,
    eth_blockNumber: () => numberToHex(BLOCKS.length - 1),
    debug_traceBlockByNumber: traceBlock,
  });
  const client = EvmClient.connect({ urls: [node.url], timeoutMs: 25_000 });
  closers.push(() => (client.close(), node.close()));
  const blocks = await readMovements({ client, traces, fromHeight: 0n, toHeight: 9n });
  return { blocks, methods: node.methods };
}

const kindsOf = ({
  movements,
}: {
  movements: readonly { kind: string; txIndex: number; amount: bigint }[];
}) =>
  movements.map(({ kind, txIndex, amount }) => `${txIndex} ${kind} ${kind === 'FEE' ? '' : amount}`.trim());

describe(readMovements.name, () => {
  it("puts each transaction's internal movements behind its native one", async () => {
    const { blocks, methods } = await read(() =>
      [frame([7, 8]), frame([]), frame([9])].map((result) => ({ result })),
    );
    expect(blocks.map(({ isTraced }) => isTraced)).toEqual([true, true, true]);
    expect(kindsOf(blocks[2]!)).toEqual([
      '0 NATIVE 5',
      '0 INTERNAL 7',
      '0 INTERNAL 8',
      '0 FEE',
      '1 NATIVE 5',
      '1 FEE',
      '2 NATIVE 5',
      '2 INTERNAL 9',
      '2 FEE',
    ]);
    // Nothing can have happened inside the others.
    expect(methods.filter((method) => method === 'debug_traceBlockByNumber')).toHaveLength(1);
  });

  it('reports where internal movements are missing', async () => {
    const { blocks } = await read(() => {
      throw new FakeRpcError(-32601, 'the method debug_traceBlockByNumber does not exist/is not available');
    });
    expect(blocks.map(({ isTraced }) => isTraced)).toEqual([true, true, false]);
    expect(kindsOf(blocks[2]!).filter((kind) => kind.includes('INTERNAL'))).toEqual([]);
  });

  it('asks for no traces on request', async () => {
    const { blocks, methods } = await read(() => [], 'off');
    expect(blocks.map(({ isTraced }) => isTraced)).toEqual([false, false, false]);
    expect(methods).not.toContain('debug_traceBlockByNumber');
  });

  it('goes without a trace that nests beyond what the EVM allows', async () => {
    let deep: object = frame([]);
    for (let depth = 0; depth < 1_100; depth++) deep = { ...frame([]), calls: [deep] };
    const { blocks } = await read(() => [deep, frame([]), frame([])].map((result) => ({ result })));
    expect(blocks.map(({ isTraced }) => isTraced)).toEqual([true, true, false]);
  });

  it.each([
    ['near the tip, where it may come', 3, 'BLOCK_UNAVAILABLE'],
    ['far below the tip, where it is gone', 1_000, 0],
  ])('asks again for the time of a parent that a node lacks %s', async (_, tip, expected) => {
    const node = await startFakeEvmNode({
      // One of the nodes behind the address has the block, the one that is asked for its parent is behind both.
      eth_getBlockByNumber: ([, isWhole]) => (isWhole === true ? BLOCKS[2]?.block : null),
      eth_getBlockReceipts: () => BLOCKS[2]?.receipts,
      eth_blockNumber: () => numberToHex(tip),
    });
    const client = EvmClient.connect({ urls: [node.url], timeoutMs: 25_000 });
    closers.push(() => (client.close(), node.close()));
    const changes = [{ address: addressFor(7), amount: 5n }];
    const upgrades = { ...NO_UPGRADES, states: [{ timestampSeconds: 1_700_000_004, changes }] };
    const reading = readMovements({
      client,
      traces: 'off',
      rules: { genesis: [], upgrades },
      fromHeight: 2n,
      toHeight: 2n,
    });
    const mints = reading.then(
      ([block]) => block?.movements.filter(({ kind }) => kind === 'MINT').length,
      ({ code }: EvmError) => code,
    );
    expect(await mints).toBe(expected);
  });
});
