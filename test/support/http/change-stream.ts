import { eventually } from '../harness/eventually.js';
import { onCleanup } from '../harness/cleanup.js';

export interface ChangeEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** A reader of server-sent events that is not the service's own client. */
export class ChangeStream {
  readonly events: ChangeEvent[] = [];
  /** Of the last block of lines that had one, with data or without. */
  lastId = '';
  /** Bytes as they came, without the hint of when to connect again. */
  text = '';
  /** Comments. */
  heartbeats = 0;
  hasEnded = false;
  /** Why the connection broke off. */
  failure: string | undefined;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  /** Closed after the test. */
  static async open(
    url: string,
    query: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ChangeStream> {
    const abort = new AbortController();
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${url}/v1/changes?${search}`, { headers, signal: abort.signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const stream = new ChangeStream(response, abort);
    onCleanup(() => stream.close());
    void stream.read();
    await eventually('the stream begins', () => stream.lastId !== '');
    return stream;
  }

  close(): void {
    this.abort.abort();
  }

  /** Until so many events have come. */
  async until(count: number): Promise<readonly ChangeEvent[]> {
    await eventually(`${count} events`, () => this.events.length >= count || this.hasEnded);
    return this.events;
  }

  async untilEvent(isIt: (event: ChangeEvent) => boolean): Promise<void> {
    await eventually('the event', () => this.events.some(isIt));
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      const body: AsyncIterable<Uint8Array> = this.response.body ?? new ReadableStream();
      for await (const bytes of body) {
        rest += decoder.decode(bytes, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) this.take(block);
      }
    } catch (error) {
      if (!this.abort.signal.aborted) this.failure = String(error);
    }
    this.hasEnded = true;
  }

  private take(block: string): void {
    if (!block.startsWith('retry:')) this.text += `${block}\n\n`;
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === '') this.heartbeats += 1;
      else fields.set(name, value);
    }
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    const parsed = JSON.parse(data) as Record<string, unknown>;
    this.events.push({ id: this.lastId, event: fields.get('event') ?? '', data: parsed });
  }
}
