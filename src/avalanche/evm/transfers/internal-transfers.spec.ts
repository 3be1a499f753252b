import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeFunctionData, numberToHex, parseAbi } from 'viem/utils';
import { EvmError } from '../evm.error.js';
import { MAX_TRACE_FRAMES, recogniseInternalMovements } from './internal-transfers.js';
import { ZERO_ADDRESS } from '../rpc/hex-values.js';
import { addressFor, hashFor } from '../../../../sandbox/generated/evm-block.js';
import { NATIVE_MINTER } from './transfers.js';

interface Frame {
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
  readonly value?: string;
  readonly input?: string;
  readonly error?: string | undefined;
  readonly calls?: readonly Frame[];
}

const TRANSACTION = { hash: hashFor(7), index: 3 };
const A = addressFor(1);
const B = addressFor(2);
const C = addressFor(3);

const call = (value: bigint, more: Frame = {}): Frame => ({
  type: 'CALL',
  from: A,
  to: B,
  value: numberToHex(value),
  ...more,
});
const recognise = (frame: unknown) => recogniseInternalMovements(frame, TRANSACTION);

function codeOf(frame: unknown): string {
  try {
    recognise(frame);
    return 'accepted';
  } catch (error) {
    if (error instanceof EvmError) return error.code;
    throw error;
  }
}

describe(recogniseInternalMovements.name, () => {
  it('finds value that contracts send, create with and leave behind, in the order of the calls', () => {
    const trace = call(100n, {
      calls: [
        call(1n, { from: B, to: C, calls: [call(2n, { from: C, to: A })] }),
        call(0n),
        { type: 'CREATE', from: B, to: C, value: '0x3' },
        { type: 'CREATE2', from: B, to: A, value: '0x4' },
        { type: 'SELFDESTRUCT', from: C, to: A, value: '0x5' },
      ],
    });
    const common = {
      kind: 'INTERNAL',
      txHash: TRANSACTION.hash,
      txIndex: 3,
      logIndex: null,
      batchIndex: null,
      tokenId: null,
    };
    expect(recognise(trace)).toEqual([
      { ...common, tracePath: '0', from: B, to: C, contract: null, amount: 1n },
      { ...common, tracePath: '0_0', from: C, to: A, contract: null, amount: 2n },
      { ...common, tracePath: '2', from: B, to: C, contract: C, amount: 3n },
      { ...common, tracePath: '3', from: B, to: A, contract: A, amount: 4n },
      { ...common, tracePath: '4', from: C, to: A, contract: null, amount: 5n },
    ]);
  });

  it('ignores calls that only lend their code or their eyes, but not what happens beneath them', () => {
    const inner = call(9n);
    const trace = call(0n, {
      calls: ['DELEGATECALL', 'CALLCODE', 'STATICCALL', 'SOMETHING'].map((type) =>
        call(5n, { type, calls: [inner] }),
      ),
    });
    expect(recognise(trace).map(({ tracePath }) => tracePath)).toEqual(['0_0', '1_0', '2_0', '3_0']);
  });

  it('undoes everything beneath a frame with an error', () => {
    const failed = call(1n, { error: 'execution reverted', calls: [call(2n)] });
    expect(recognise(call(0n, { calls: [failed, call(3n)] })).map(({ amount }) => amount)).toEqual([3n]);
    expect(recognise(call(5n, { error: 'out of gas', calls: [call(2n)] }))).toEqual([]);
    // A creation that failed has no address.
    expect(
      recognise(call(0n, { calls: [{ type: 'CREATE', from: A, value: '0x1', error: 'out of gas' }] })),
    ).toEqual([]);
  });

  describe('with calls of the native minter that mint', () => {
    const MINTER = parseAbi(['function mintNativeCoin(address addr, uint256 amount)']);
    const mint = (amount: bigint, more: Frame = {}): Frame => ({
      ...call(0n, { to: NATIVE_MINTER }),
      input: encodeFunctionData({ abi: MINTER, functionName: 'mintNativeCoin', args: [C, amount] }),
      ...more,
    });
    const mintsIn = (frame: Frame) =>
      recogniseInternalMovements(frame, TRANSACTION, { mintsByCalls: true }).filter(
        ({ kind }) => kind === 'MINT',
      );

    it('finds what a transaction mints, and what contracts do', () => {
      const common = { kind: 'MINT', txHash: TRANSACTION.hash, txIndex: 3, from: ZERO_ADDRESS, to: C };
      const empty = { logIndex: null, batchIndex: null, tokenId: null, contract: null };
      expect(mintsIn(mint(7n))).toEqual([{ ...common, ...empty, tracePath: '', amount: 7n }]);
      const types = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'CREATE'];
      const calls = types.map((type, index) => mint(BigInt(index), { type }));
      expect(mintsIn(call(1n, { calls }))).toEqual(
        [0, 1, 2].map((index) => ({
          ...common,
          ...empty,
          tracePath: `${index}`,
          amount: BigInt(index),
        })),
      );
    });

    it('finds nothing in calls of another contract or method, of another length, or that failed', () => {
      const { input = '' } = mint(7n);
      const calls = [
        mint(7n, { to: B }),
        mint(7n, { input: `0x4f5aaabb${input.slice(10)}` }),
        mint(7n, { input: `${input}00` }),
        mint(7n, { input: input.slice(0, -2) }),
        mint(7n, { error: 'execution reverted' }),
        call(0n, { error: 'out of gas', calls: [mint(7n)] }),
      ];
      expect(mintsIn(call(0n, { calls }))).toEqual([]);
    });

    it('finds nothing where nothing shows that they mint: at that address anybody may call nothing', () => {
      expect(recognise(call(0n, { calls: [mint(7n)] }))).toEqual([]);
    });
  });

  it('agrees with a recursive account of any tree of calls', () => {
    const { tree } = fc.letrec<{ tree: Frame }>((tie) => ({
      tree: fc.record({
        type: fc.constantFrom('CALL', 'CREATE', 'DELEGATECALL', 'STATICCALL', 'SELFDESTRUCT'),
        from: fc.constant(A),
        to: fc.constant(B),
        value: fc.bigInt(0n, 3n).map((value) => numberToHex(value)),
        error: fc.option(fc.constant('execution reverted'), { nil: undefined, freq: 6 }),
        calls: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie('tree'), { maxLength: 4 })),
      }),
    }));
    const account = (frame: Frame, path: readonly number[]): string[] => {
      if (frame.error !== undefined) return [];
      const moves =
        path.length > 0 &&
        ['CALL', 'CREATE', 'SELFDESTRUCT'].includes(frame.type ?? '') &&
        frame.value !== '0x0';
      const own = moves ? [`${path.join('_')}:${BigInt(frame.value ?? 0)}`] : [];
      return [...own, ...(frame.calls ?? []).flatMap((inner, index) => account(inner, [...path, index]))];
    };
    fc.assert(
      fc.property(tree, (trace) => {
        expect(recognise(trace).map(({ tracePath, amount }) => `${tracePath}:${amount}`)).toEqual(
          account(trace, []),
        );
      }),
    );
  });

  it('follows as deep as the EVM calls, and no deeper', () => {
    const nest = (depth: number): Frame => {
      let frame = call(1n);
      for (let i = 0; i < depth; i += 1) frame = call(0n, { calls: [frame] });
      return frame;
    };
    expect(recognise(nest(1_024))).toHaveLength(1);
    expect(codeOf(nest(100_000))).toBe('TRACE_TOO_LARGE');
  });

  it('gives up on more frames than it promises, without walking them', () => {
    expect(codeOf(call(0n, { calls: Array<Frame>(MAX_TRACE_FRAMES).fill(call(0n)) }))).toBe(
      'TRACE_TOO_LARGE',
    );
  });

  it.each([
    ['null', null],
    ['calls that are no list', call(0n, { calls: 'x' as unknown as [] })],
    ['a frame that is no object', call(0n, { calls: [7 as unknown as Frame] })],
    ['a value beyond 256 bits', call(0n, { calls: [call(1n, { value: `0x${'f'.repeat(65)}` })] })],
    ['no recipient', call(0n, { calls: [{ type: 'CALL', from: A, value: '0x1' }] })],
    ['a recipient that is no address', call(0n, { calls: [call(1n, { to: '0x12' })] })],
  ])('refuses %s', (_, frame) => {
    expect(codeOf(frame)).toBe('MALFORMED');
  });
});
