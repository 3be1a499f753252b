import { parseLossless } from '../../../src/platform/http/adapter/lossless-json.js';
import type { InterchainMessageResponse, UtxoResponse, ValidatorChange } from './schema.js';

interface ChangeOf<Event extends string, Data> {
  readonly event: Event;
  readonly data: Data;
  /** Continues behind this change, at any process of the service. */
  readonly cursor: string;
}

/** A change that a block has made. */
export type Change =
  | ChangeOf<'utxo.created' | 'utxo.consumed', UtxoResponse>
  | ChangeOf<'validator.changed', ValidatorChange>
  | ChangeOf<'message.sent' | 'message.delivered' | 'message.executed', InterchainMessageResponse>;

/** The service sends something every 15 s: a connection without that is lost. */
const MAX_SILENCE_MS = 45_000;
/** Until the service has named a time. */
const DEFAULT_RETRY_MS = 2_000;

export interface Connections {
  /** Throws where trying again does not help, or has not. */
  readonly open: (cursor: string | undefined) => Promise<Response>;
  /** Throws the reason of an abort. */
  readonly pause: (ms: number) => Promise<void>;
}

/** Changes over as many connections as it takes, one after the other, each behind the last change of the one before. */
export async function* followChanges(
  { open, pause }: Connections,
  begun: string | undefined,
): AsyncGenerator<Change, void> {
  let cursor = begun;
  let retryMs = DEFAULT_RETRY_MS;
  for (;;) {
    const { body } = await open(cursor);
    for await (const { id, retry, event, data } of readEvents(body)) {
      cursor = id ?? cursor;
      retryMs = retry ?? retryMs;
      if (event === undefined || data === undefined || cursor === undefined) continue;
      yield { event, data: parseLossless(data), cursor } as Change;
    }
    await pause(retryMs);
  }
}

interface ReadEvent {
  readonly id: string | undefined;
  readonly retry: number | undefined;
  readonly event: string | undefined;
  readonly data: string | undefined;
}

/** Ends where the connection does, whatever the reason. An event that has not come whole does not count. */
async function* readEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<ReadEvent, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const bytes = await readInTime(reader);
      if (bytes === undefined) return;
      const events = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const text of events) yield parseEvent(text);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Undefined at the end. */
async function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), MAX_SILENCE_MS);
  try {
    return (await reader.read()).value;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function parseEvent(text: string): ReadEvent {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    fields.set(name, value);
  }
  const retry = fields.get('retry');
  return {
    id: fields.get('id'),
    retry: retry === undefined ? undefined : Number(retry),
    event: fields.get('event'),
    data: fields.get('data'),
  };
}
