import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BatchRpcClient, type BatchRpcClientOptions, type EvmCall } from './batch-rpc-client.js';
import { HostLimiters } from '../../rpc/http/host-limiter.js';
import { malformed } from '../evm.error.js';
import {
  type FakeEvmNode,
  type FakeRequest,
  FakeRpcError,
  type Misbehaviour,
  answerTo,
  answerWith,
  startFakeEvmNode,
} from '../../../../test/support/evm/fake-evm-node.js';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const METHODS = {
  echo: ([value]: readonly unknown[]) => value,
  refuse: () => {
    throw new FakeRpcError(-32000, 'no such thing');
  },
};

async function startNode(misbehave?: Misbehaviour): Promise<FakeEvmNode> {
  const node = await startFakeEvmNode(METHODS);
  node.misbehave = misbehave;
  closers.push(() => node.close());
  return node;
}

function clientFor(
  nodes: FakeEvmNode | readonly FakeEvmNode[],
  options: Partial<BatchRpcClientOptions> = {},
): BatchRpcClient {
  const urls = [nodes].flat().map(({ url }) => url);
  const limiters = new HostLimiters({ firstPauseMs: 1 });
  const client = new BatchRpcClient({
    urls,
    timeoutMs: 25_000,
    retryDelayMs: 1,
    concurrency: 1,
    limiters,
    ...options,
  });
  closers.push(() => client.close());
  return client;
}

function echo(value: number): EvmCall<number> {
  return {
    method: 'echo',
    params: [value],
    parse: (result) => {
      if (typeof result !== 'number') throw malformed('not a number');
      return result;
    },
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const echoes = (count: number) => numbers(count).map(echo);
const answersTo = (requests: readonly FakeRequest[]) => requests.map((request) => answerTo(request, METHODS));

async function valuesOf(client: BatchRpcClient, count: number): Promise<number[]> {
  const outcomes = await client.callMany(echoes(count));
  return outcomes.map((outcome) => {
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  });
}

/** Misbehaves the first times only. */
function times(count: number, misbehave: Misbehaviour): Misbehaviour {
  let left = count;
  return (...args) => left-- > 0 && misbehave(...args);
}

type Refuse = (...args: Parameters<Misbehaviour>) => void;

const refuseBatchesAbove =
  (max: number, refuse: Refuse): Misbehaviour =>
  (requests, ...rest) => {
    if (requests.length <= max) return false;
    refuse(requests, ...rest);
    return true;
  };

describe(BatchRpcClient.name, () => {
  it('answers every call in its order, over batches that grow by one', async () => {
    const node = await startNode();
    await expect(valuesOf(clientFor(node), 100)).resolves.toEqual(numbers(100));
    expect(node.batchSizes).toEqual([20, 21, 22, 23, 14]);
  });

  it('never sends more at once than configured, and a single call as a plain object', async () => {
    const node = await startNode();
    const client = clientFor(node, { maxBatchSize: 8 });
    await expect(valuesOf(client, 17)).resolves.toEqual(numbers(17));
    expect(node.batchSizes).toEqual([8, 8, 1]);
    await expect(client.callMany([])).resolves.toEqual([]);
  });

  it.each<[string, Misbehaviour]>([
    ['HTTP 413', refuseBatchesAbove(6, (_, response) => response.writeHead(413).end())],
    ['HTTP 400', refuseBatchesAbove(6, (_, response) => response.writeHead(400).end())],
    [
      'an error in place of the list',
      refuseBatchesAbove(6, (_, response) =>
        answerWith(response, {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32600, message: 'batch limit 6 exceeded' },
        }),
      ),
    ],
    [
      'an error in the place of the first call, and nothing else',
      refuseBatchesAbove(6, ([first], response) =>
        answerWith(response, [
          { jsonrpc: '2.0', id: first?.id, error: { code: -32600, message: 'batch too large' } },
        ]),
      ),
    ],
    [
      'an error for the calls that did not fit',
      refuseBatchesAbove(6, (requests, response) =>
        answerWith(
          response,
          answersTo(requests).map((answer, index) =>
            index < 6 ? answer : { id: answer.id, error: { code: -32003, message: 'response too large' } },
          ),
        ),
      ),
    ],
    [
      'more bytes than we read',
      refuseBatchesAbove(6, (_, response) => response.end(Buffer.alloc(3_000, ' '))),
    ],
  ])('halves its batches on %s', async (_, misbehave) => {
    const node = await startNode(misbehave);
    await expect(valuesOf(clientFor(node, { maxResponseBytes: 2_000 }), 60)).resolves.toEqual(numbers(60));
    expect(node.batchSizes[0]).toBe(20);
    // Grows into the limit again and again, but never stays there.
    const tooLarge = node.batchSizes.filter((size) => size > 6);
    expect(tooLarge.length).toBeLessThan(12);
  });

  it('gets by with a node that knows no batches', async () => {
    const node = await startNode(
      refuseBatchesAbove(1, (_, response) =>
        answerWith(response, {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32700, message: 'cannot unmarshal array' },
        }),
      ),
    );
    await expect(valuesOf(clientFor(node), 3)).resolves.toEqual([0, 1, 2]);
  });

  it('waits as long as a busy server asks, and then asks for as much', async () => {
    const node = await startNode(
      times(1, (_, response) => (response.writeHead(429, { 'retry-after': '1' }).end(), true)),
    );
    const start = Date.now();
    await expect(valuesOf(clientFor(node), 20)).resolves.toEqual(numbers(20));
    expect(Date.now() - start).toBeGreaterThanOrEqual(990);
    expect(node.batchSizes).toEqual([20, 20]);
  });

  const limitOf = (id: number | null | undefined) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32005, message: 'too many requests' },
  });

  it.each<[string, Misbehaviour]>([
    ['HTTP 429', (_, response) => (response.writeHead(429).end(), true)],
    ['an error in place of the list', (_, response) => (answerWith(response, limitOf(null)), true)],
    [
      'an error in the place of the first call, and nothing else',
      ([first], response) => (answerWith(response, [limitOf(first?.id)]), true),
    ],
    [
      'an error for each call',
      (requests, response) => (
        answerWith(
          response,
          requests.map(({ id }) => limitOf(id)),
        ),
        true
      ),
    ],
  ])('leaves a node alone that is asked too often, which it signals by %s', async (_, refuse) => {
    const askedAt: number[] = [];
    const node = await startNode((...args) => {
      askedAt.push(Date.now());
      return askedAt.length <= 4 && refuse(...args);
    });
    const limiters = new HostLimiters({ firstPauseMs: 20 });
    await expect(valuesOf(clientFor(node, { limiters }), 30)).resolves.toEqual(numbers(30));
    // More often than a failure is borne, and as much at once as before.
    expect(node.batchSizes).toEqual([20, 20, 20, 20, 20, 10]);
    const rests = askedAt.slice(1, 5).map((time, index) => time - (askedAt[index] ?? time));
    for (const [index, restMs] of rests.entries()) expect(restMs).toBeGreaterThanOrEqual(20 * 2 ** index - 1);
  });

  it('asks again for nothing but the calls that were too many', async () => {
    const node = await startNode(
      times(1, (requests, response) => {
        const answers = answersTo(requests);
        answerWith(
          response,
          answers.map((answer, index) => (index < 15 ? answer : limitOf(answer.id))),
        );
        return true;
      }),
    );
    await expect(valuesOf(clientFor(node), 30)).resolves.toEqual(numbers(30));
    expect(node.batchSizes).toEqual([20, 15]);
  });

  it('asks the next node while one wants to be left alone', async () => {
    const busy = await startNode(
      (_, response) => (response.writeHead(429, { 'retry-after': '60' }).end(), true),
    );
    const other = await startNode();
    await expect(valuesOf(clientFor([busy, other]), 60)).resolves.toEqual(numbers(60));
    expect(busy.batchSizes).toEqual([20]);
  });

  it.each<[string, Misbehaviour, string, RegExp]>([
    ['HTTP 429', (_, response) => (response.writeHead(429).end(), true), 'HTTP 429', /^NODE_UNREACHABLE$/],
    [
      'JSON',
      (requests, response) => (
        answerWith(
          response,
          requests.map(({ id }) => limitOf(id)),
        ),
        true
      ),
      'too many requests',
      /^NODE_(REJECTED|UNREACHABLE)$/,
    ],
  ])(
    'fails all calls together when nothing comes but limits (%s) for too long',
    async (_, misbehave, complaint, code) => {
      const node = await startNode(misbehave);
      const client = clientFor(node, { maxRestMs: 400, concurrency: 2 });
      const outcomes = await client.callMany(echoes(500));
      expect(outcomes).toHaveLength(500);
      for (const outcome of outcomes) {
        // The host's own answer, or why it was not even asked: whichever came at the end.
        expect(outcome).toMatchObject({
          ok: false,
          error: { code: expect.stringMatching(code), message: expect.stringContaining(complaint) },
        });
        // None is left where this process came to it late.
        expect(!outcome.ok && outcome.error.facts.retryAfterMs).toBeGreaterThanOrEqual(0);
      }
      expect(node.batchSizes.length).toBeLessThan(20);
    },
  );

  it('asks a host that allows 10 requests in a second hardly more than that, with all its clients together', async () => {
    let refused = 0;
    let inWindow = 0;
    const node = await startNode((_, response) => {
      inWindow += 1;
      if (inWindow <= 10) return false;
      refused += 1;
      response.writeHead(429).end();
      return true;
    });
    const timer = setInterval(() => (inWindow = 0), 1_000);
    closers.push(() => clearInterval(timer));
    const limiters = new HostLimiters();
    const clients = numbers(4).map(() => clientFor(node, { limiters, concurrency: 4, maxBatchSize: 5 }));
    const found = await Promise.all(clients.map((client) => valuesOf(client, 50)));
    expect(found).toEqual(clients.map(() => numbers(50)));
    expect(node.batchSizes.length - refused).toBe(40);
    expect(refused).toBeLessThan(20); // those of the first moment among them
  }, 60_000);

  it('does not ask a host that another client of it has to leave alone', async () => {
    const node = await startNode(
      (_, response) => (response.writeHead(429, { 'retry-after': '60' }).end(), true),
    );
    const limiters = new HostLimiters();
    for (const client of [clientFor(node, { limiters }), clientFor(node, { limiters })]) {
      const [outcome] = await client.callMany([echo(1)]);
      expect(outcome).toMatchObject({ ok: false, error: { code: 'NODE_UNREACHABLE' } });
      expect(node.batchSizes).toEqual([1]);
    }
  });

  it('does not wait longer than it may, but reports how long it should', async () => {
    const node = await startNode(
      (_, response) => (response.writeHead(429, { 'retry-after': '3600' }).end(), true),
    );
    const outcome = await clientFor(node)
      .call(echo(1))
      .catch((error: unknown) => error);
    expect(outcome).toMatchObject({
      code: 'NODE_UNREACHABLE',
      facts: { httpStatus: 429, retryAfterMs: 3_600_000 },
    });
  });

  it.each<[string, Misbehaviour]>([
    ['HTTP 500', (_, response) => (response.writeHead(500).end('oops'), true)],
    ['garbage', (_, response) => (response.end('\x00{{{'), true)],
    ['a login page', (_, response) => (response.end('<html>'), true)],
    ['null', (_, response) => (answerWith(response, null), true)],
    ['an empty list', (_, response) => (answerWith(response, []), true)],
    ['a list of nonsense', (_, response) => (answerWith(response, [1, null, 'x', [], {}]), true)],
    [
      'answers without ids',
      (requests, response) => (
        answerWith(
          response,
          answersTo(requests).map(({ id: _id, ...rest }) => rest),
        ),
        true
      ),
    ],
    [
      'answers to other calls',
      (requests, response) => (
        answerWith(
          response,
          answersTo(requests).map((a) => ({ ...a, id: a.id + 1_000 })),
        ),
        true
      ),
    ],
    [
      'results of a wrong type',
      (requests, response) => (
        answerWith(
          response,
          requests.map(({ id }) => ({ id, result: 'x' })),
        ),
        true
      ),
    ],
    [
      'a truncated answer',
      (requests, response) => {
        response.writeHead(200, { 'content-length': '100000' });
        response.write(JSON.stringify(answersTo(requests)).slice(0, 50));
        setImmediate(() => response.destroy());
        return true;
      },
    ],
    ['a reset connection', (_, __, request) => (request.socket.resetAndDestroy(), true)],
    [
      'a slow drip',
      (_, response) => {
        const timer = setInterval(() => response.write(' '), 5);
        response.on('close', () => clearInterval(timer));
        return true;
      },
    ],
  ])('asks the next node on %s, and stays with it', async (_, misbehave) => {
    const [bad, good] = [await startNode(misbehave), await startNode()];
    const client = clientFor([bad, good], { timeoutMs: 4_000 });
    await expect(valuesOf(client, 20)).resolves.toEqual(numbers(20));
    expect(bad.batchSizes).toEqual([20]);
    await valuesOf(client, 5);
    expect(bad.batchSizes).toEqual([20]);
  });

  it('fails with a code after some attempts when no node is better', async () => {
    const node = await startNode((_, response) => (response.writeHead(503).end(), true));
    const outcomes = await clientFor(node).callMany(echoes(2));
    expect(outcomes).toMatchObject([
      { ok: false, error: { code: 'NODE_UNREACHABLE', facts: { httpStatus: 503 } } },
      { ok: false, error: { code: 'NODE_UNREACHABLE' } },
    ]);
    expect(node.batchSizes).toEqual([2, 1, 1, 1]); // three for the first, and the second goes with it
  });

  it('does not find out one by one that nobody answers', async () => {
    const node = await startNode((_, response) => {
      response.writeHead(503).end();
      return true;
    });
    const outcomes = await clientFor(node, { concurrency: 4 }).callMany(echoes(500));
    expect(outcomes.every((outcome) => !outcome.ok && outcome.error.code === 'NODE_UNREACHABLE')).toBe(true);
    expect(node.batchSizes.length).toBeLessThanOrEqual(11); // three attempts, and what was in flight meanwhile
  });

  it('asks again for nothing but what is missing, doubled or unreadable', async () => {
    const spoil: Misbehaviour = (requests, response) => {
      const answers: object[] = answersTo(requests);
      answers.splice(4, 1); // missing
      answers[0] = { ...answers[0], result: 'no number' };
      answers.push({ ...answers[1] }); // twice
      answerWith(response, answers.reverse());
      return true;
    };
    const node = await startNode(times(1, spoil));
    await expect(valuesOf(clientFor(node), 10)).resolves.toEqual(numbers(10));
    expect(node.batchSizes).toEqual([10, 3]);
  });

  it("makes a garbage element that element's error", async () => {
    const node = await startNode((requests, response) => {
      const answers = answersTo(requests).map((answer) =>
        'result' in answer && answer.result === 3 ? { id: answer.id, result: {} } : answer,
      );
      answerWith(response, requests.length === 1 ? answers[0] : answers);
      return true;
    });
    const outcomes = await clientFor(node).callMany(echoes(5));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, false, true]);
    expect(outcomes[3]).toMatchObject({
      error: { code: 'NODE_BAD_RESPONSE', reason: expect.stringMatching(/not a number/) },
    });
  });

  it("takes a node's refusal for an answer", async () => {
    const [node, other] = [await startNode(), await startNode()];
    const outcomes = await clientFor([node, other]).callMany([
      echo(1),
      { ...echo(2), method: 'refuse' },
      echo(3),
    ]);
    expect(outcomes).toMatchObject([
      { ok: true, value: 1 },
      { ok: false, error: { code: 'NODE_REJECTED', rpcCode: -32000, rpcMessage: 'no such thing' } },
      { ok: true, value: 3 },
    ]);
    expect(other.batchSizes).toEqual([]);
  });

  it('takes a refusal for an answer that comes as HTTP 400', async () => {
    const node = await startNode(([request], response) => {
      const error = { code: -32600, message: 'up to a 500 block range' };
      response.writeHead(400).end(JSON.stringify({ id: request?.id, error }));
      return true;
    });
    const outcomes = await clientFor(node).callMany([echo(1)]);
    expect(outcomes).toMatchObject([{ ok: false, error: { code: 'NODE_REJECTED', rpcCode: -32600 } }]);
    expect(node.batchSizes).toEqual([1]);
  });

  it('never shows a secret of its URL', async () => {
    const node = await startNode((_, response, request) => {
      answerWith(response, { id: 1, error: { code: -1, message: `bad key in ${request.url}` } });
      return true;
    });
    const client = clientFor([{ ...node, url: `${node.url}/?apikey=0123456789abcdef` }]);
    const error: unknown = await client.call(echo(1)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'NODE_REJECTED' });
    expect(`${String(error)}${JSON.stringify(error)}`).not.toContain('0123456789abcdef');
  });

  it('stops at once, with its reason, when the caller gives up', async () => {
    const node = await startNode(() => true);
    const controller = new AbortController();
    const call = clientFor(node).callMany(echoes(50), controller.signal);
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(call).rejects.toThrow('enough');
  });

  it('survives any mixture of bad days', async () => {
    const bad: Misbehaviour[] = [
      (_, response) => (response.writeHead(429).end(), true),
      (_, response) => (response.writeHead(502).end(), true),
      (_, response) => (response.end('[{'), true),
      (_, response) => (answerWith(response, []), true),
      (requests, response) => (answerWith(response, answersTo(requests).reverse().slice(1)), true),
      (_, __, request) => (request.socket.destroy(), true),
      () => false,
      () => false,
    ];
    const days = fc.array(fc.nat(bad.length - 1), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(days, fc.integer({ min: 1, max: 90 }), async (plan, count) => {
        const todo = [...plan];
        const moody: Misbehaviour = (...args) => bad[todo.shift() ?? -1]?.(...args) ?? false;
        const nodes = [await startNode(moody), await startNode()];
        await expect(valuesOf(clientFor(nodes, { concurrency: 3 }), count)).resolves.toEqual(numbers(count));
        for (const close of closers.splice(0)) close();
      }),
      { numRuns: 40 },
    );
  });
});
