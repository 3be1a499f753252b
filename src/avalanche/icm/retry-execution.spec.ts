import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem/utils';
import type { Hex } from '../evm/rpc/hex-values.js';
import { addressFor, hashFor } from '../../../sandbox/generated/evm-block.js';
import { retryExecutionInput } from './retry-execution.js';

const STRUCTS = [
  'struct Receipt { uint256 nonce; address relayer; }',
  'struct Message { uint256 nonce; address from; bytes32 destination; address to; uint256 gas; address[] relayers; Receipt[] receipts; bytes data; }',
] as const;
const ABI = parseAbi([...STRUCTS, 'function retryMessageExecution(bytes32 source, Message message)']);
const RECEIVED = parseAbiParameters(['address redeemer, Message message', ...STRUCTS]);

describe(retryExecutionInput.name, () => {
  it('calls the messenger with the message that it has logged', () => {
    const some = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        some,
        some,
        fc.bigInt(0n, 2n ** 256n - 1n),
        (bytes, relayers, receipts, gas) => {
          const data: Hex = `0x${Buffer.from(bytes).toString('hex')}`;
          const message = {
            nonce: 7n,
            from: addressFor(1),
            destination: hashFor(2),
            to: addressFor(3),
            gas,
            relayers: relayers.map((seed) => addressFor(seed)),
            receipts: receipts.map((seed) => ({ nonce: BigInt(seed), relayer: addressFor(seed) })),
            data,
          };
          const received = encodeAbiParameters(RECEIVED, [addressFor(9), message]);
          expect(retryExecutionInput(hashFor(5), received)).toBe(
            encodeFunctionData({
              abi: ABI,
              functionName: 'retryMessageExecution',
              args: [hashFor(5), message],
            }),
          );
        },
      ),
    );
  });
});
