import { describe, expect, it, jest } from '@jest/globals';
import { packRpcHex } from '../../../avalanche/ids/rpc-hex.js';
import { wrapBlock } from '../../../avalanche/platformvm/codec/proposervm.js';
import { PRIMARY_NETWORK } from '../../../avalanche/platformvm/ids.js';
import { type JsonRpcCall, JsonRpcClient } from '../../../avalanche/rpc/json-rpc-client.js';
import { RpcError } from '../../../avalanche/rpc/rpc.error.js';
import { SourceUnusableError } from '../../engine/sources/block-source.js';
import { IndexApiSource } from './index-api.source.js';
import { Throttle } from '../../engine/sources/throttle.js';

interface Params {
  startIndex: string;
  numToFetch: string;
}

const inner = (height: number): Uint8Array => Uint8Array.of(1, 2, 3, 4, height % 256, height >> 8);

const container = (height: number, index = height - 1) => ({
  bytes: packRpcHex(wrapBlock({ type: 'option', parentId: PRIMARY_NETWORK, inner: inner(height) })),
  index: String(index),
});

const containers = ({ startIndex, numToFetch }: Params) =>
  Array.from({ length: Number(numToFetch) }, (_, i) => container(Number(startIndex) + i + 1));

const facts = { host: 'h', method: 'm' };

/** A source over a node that answers ranges. */
function sourceOver(answer: (params: Params) => unknown) {
  const rpc = new JsonRpcClient({ urls: ['http://127.0.0.1:1'], timeoutMs: 1 });
  const asked: number[] = [];
  jest.spyOn(rpc, 'call').mockImplementation(async <T>(call: JsonRpcCall<T>): Promise<T> => {
    const params = call.params as Params;
    asked.push(Number(params.numToFetch));
    return call.schema.parse(answer(params));
  });
  const source = new IndexApiSource(rpc, new Throttle(4));
  const fetch = async (from: bigint, to: bigint): Promise<Uint8Array[]> => {
    const blocks: Uint8Array[] = [];
    for await (const bytes of source.fetch(from, to, new AbortController().signal)) blocks.push(bytes);
    return blocks;
  };
  return { fetch, asked };
}

const heights = (from: number, to: number): Uint8Array[] =>
  Array.from({ length: to - from + 1 }, (_, i) => inner(from + i));

describe(IndexApiSource.name, () => {
  it('asks for ranges that the node allows, and takes the blocks out of their envelopes', async () => {
    const { fetch, asked } = sourceOver((params) => ({ containers: containers(params) }));
    expect(await fetch(1n, 2_500n)).toEqual(heights(1, 2_500));
    expect(asked).toEqual([1_024, 1_024, 452]);
  });

  it('asks for parts of a range whose answer is too large', async () => {
    const { fetch, asked } = sourceOver((params) => {
      if (Number(params.numToFetch) > 300) {
        throw new RpcError('NODE_BAD_RESPONSE', 'answer of more than 16777216 bytes', facts);
      }
      return { containers: containers(params) };
    });
    expect(await fetch(10n, 1_009n)).toEqual(heights(10, 1_009));
    expect(asked).toEqual([1_000, 500, 250, 250, 500, 250, 250]);
  });

  it.each<{ id: string; answer: (params: Params) => unknown }>([
    { id: 'no containers', answer: () => ({ containers: null }) },
    { id: 'too few', answer: (params) => ({ containers: containers(params).slice(1) }) },
    {
      id: 'others',
      answer: ({ startIndex, numToFetch }) => ({
        containers: containers({ startIndex: String(Number(startIndex) + 1), numToFetch }),
      }),
    },
    {
      id: 'a refusal',
      answer: () => {
        throw new RpcError('NODE_REJECTED', 'no containers have been accepted', facts);
      },
    },
    {
      id: 'no such page',
      answer: () => {
        throw new RpcError('NODE_BAD_RESPONSE', 'HTTP 404', { ...facts, httpStatus: 404 });
      },
    },
  ])('is not used when the node answers $id', async ({ answer }) => {
    const { fetch, asked } = sourceOver(answer);
    await expect(fetch(1n, 100n)).rejects.toBeInstanceOf(SourceUnusableError);
    expect(asked).toHaveLength(1);
  });
});
