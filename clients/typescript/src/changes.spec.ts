import { describe, expect, it } from '@jest/globals';
import { type Client, createClient } from './client.js';
import { BadRequestError, ConnectionError } from './errors.js';

const QUERY = { network: 'fuji', addresses: 'fuji1x' } as const;
const BEGUN = 'retry: 1\nid: p:1\n\n';
const eventOf = (id: string, utxoId: string): string =>
  `id: ${id}\nevent: utxo.created\ndata: {"utxoId":"${utxoId}"}\n\n`;

/** Sends the texts, and breaks off. */
function streamOf(...texts: readonly string[]): Response {
  const left = texts.map((text) => new TextEncoder().encode(text));
  return new Response(
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const next = left.shift();
        if (next === undefined) controller.error(new Error('reset'));
        else controller.enqueue(next);
      },
    }),
  );
}

/** Begins, and then nothing comes until the request is aborted. */
const SILENT = 'silent';

function silentUntil(signal: AbortSignal | null | undefined): Response {
  return new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(BEGUN));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    }),
  );
}

/** A client whose requests get these answers; with the cursor that each was sent with. */
function clientOf(answers: readonly (Response | Error | typeof SILENT)[]): {
  client: Client;
  cursors: (string | null)[];
} {
  const cursors: (string | null)[] = [];
  const client = createClient({
    baseUrl: 'http://service.test',
    retries: 0,
    fetch: async (url, init) => {
      init?.signal?.throwIfAborted();
      const { searchParams } = new URL(url instanceof Request ? url.url : url.toString());
      cursors.push(searchParams.get('cursor'));
      const answer = answers[cursors.length - 1] ?? new Error('no more answers');
      if (answer instanceof Error) throw answer;
      return answer === SILENT ? silentUntil(init?.signal) : answer;
    },
  });
  return { client, cursors };
}

async function idsOf(client: Client, count: number, cursor?: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const change of client.changes({ ...QUERY, ...(cursor === undefined ? {} : { cursor }) })) {
    if (change.event === 'utxo.created') ids.push(change.data.utxoId);
    if (ids.length === count) break;
  }
  return ids;
}

describe('the changes of the client', () => {
  it('continue over a new connection behind the last whole event, with the id of a heartbeat, too', async () => {
    const { client, cursors } = clientOf([
      streamOf(BEGUN, eventOf('p:2.1', 'a'), eventOf('p:2', 'b').slice(0, 20)),
      streamOf(eventOf('p:2', 'b').slice(0, 30), eventOf('p:2', 'b').slice(30), ':\nid: p:7\n\n'),
      streamOf(eventOf('p:8', 'c') + eventOf('p:9', 'd')),
    ]);
    expect(await idsOf(client, 4)).toEqual(['a', 'b', 'c', 'd']);
    expect(cursors).toEqual([null, 'p:2.1', 'p:7']);
  });

  it('begin where they are asked to', async () => {
    const { client, cursors } = clientOf([streamOf(eventOf('p:6', 'a'))]);
    expect(await idsOf(client, 1, 'p:5')).toEqual(['a']);
    expect(cursors).toEqual(['p:5']);
  });

  it('end with the error of a request that is refused, and of a service that stays away', async () => {
    const refused = Response.json({ message: 'cursor: no', statusCode: 400 }, { status: 400 });
    await expect(idsOf(clientOf([streamOf(BEGUN), refused]).client, 1)).rejects.toThrow(BadRequestError);
    await expect(idsOf(clientOf([streamOf(BEGUN), new Error('away')]).client, 1)).rejects.toThrow(
      ConnectionError,
    );
  });

  it('end with the reason of a signal that aborts while nothing comes', async () => {
    const { client } = clientOf([SILENT]);
    const abort = new AbortController();
    const next = client.changes(QUERY, { signal: abort.signal }).next();
    abort.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });
});
