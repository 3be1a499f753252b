import { type ClientOptions, Http, type RequestOptions } from './http.js';
import { type Change, followChanges } from './changes.js';
import { type FinishedExport, pollExport } from './exports.js';
import type {
  AddWebhookData,
  AggregatedSignatureResponse,
  AggregateSignaturesData,
  DeleteOperations,
  ExportLedgerData,
  ExportTransactionsData,
  GetOperations,
  OperationResponse,
  PostOperations,
  StreamChangesData,
  WebhookResponse,
} from './schema.js';

type Member<Request, Name extends string> = Request extends { [name in Name]?: infer Value }
  ? [Value] extends [undefined]
    ? object
    : NonNullable<Value>
  : object;

/** Of the path and the query together; no name is in both. One that is undefined is left out. */
export type ParametersOf<Operation> = Operation extends { request: infer Request }
  ? Member<Request, 'path'> & OrUndefined<Member<Request, 'query'>>
  : never;
type OrUndefined<Query> = {
  [Name in keyof Query]: object extends Pick<Query, Name> ? Query[Name] | undefined : Query[Name];
};
export type AnswerOf<Operation> = Operation extends { answer: infer Answer } ? Answer : never;
type BodyOf<Operation> = Operation extends { request: { body: infer Body } } ? Body : never;

/** Paths whose answers have several pages. */
export type ListPath = {
  [Path in keyof GetOperations]: AnswerOf<GetOperations[Path]> extends Page ? Path : never;
}[keyof GetOperations];

interface Page {
  readonly nextPageToken?: string;
}

type RowsOf<Page> = {
  [Name in keyof Page]: Page[Name] extends readonly (infer Row)[] ? Row : never;
}[keyof Page];
/** One row of a list. */
export type ItemOf<Path extends ListPath> = NonNullable<RowsOf<AnswerOf<GetOperations[Path]>>>;

/** Parameters may be left out where none is needed. */
type Arguments<Operation> =
  Record<never, never> extends ParametersOf<Operation>
    ? [parameters?: ParametersOf<Operation>, options?: RequestOptions]
    : [parameters: ParametersOf<Operation>, options?: RequestOptions];

export interface ExportOptions extends RequestOptions {
  /** The same key and request return the same operation, even much later. By default each call has a key of its own. */
  readonly idempotencyKey?: string;
}

export interface WaitOptions extends RequestOptions {
  /** Gets each report; the `message` is for people. */
  readonly onProgress?: (operation: OperationResponse) => void;
}

/**
 * A client of one service. All methods throw ApiError (of the classes by status), ConnectionError, and the reason of a signal that aborts;
 * after a 429, a 503 or a lost connection they try again first, when the service answers that it may help.
 */
export class Client {
  private readonly http: Http;

  constructor(options: ClientOptions) {
    this.http = new Http(options);
  }

  /** The answer to a GET of one of the document's paths. */
  async get<Path extends keyof GetOperations>(
    path: Path,
    ...[parameters, options]: Arguments<GetOperations[Path]>
  ): Promise<AnswerOf<GetOperations[Path]>> {
    const request = { ...options, method: 'GET', url: urlOf(path, parameters) } as const;
    return (await this.http.sendForJson<AnswerOf<GetOperations[Path]>>(request)).body;
  }

  /** The pages of a list, from that of `pageToken` on. */
  async *pages<Path extends ListPath>(
    path: Path,
    ...[parameters, options]: Arguments<GetOperations[Path]>
  ): AsyncGenerator<AnswerOf<GetOperations[Path]>, void> {
    let place: { pageToken?: string } = {};
    for (;;) {
      const request = { ...options, method: 'GET', url: urlOf(path, { ...parameters, ...place }) } as const;
      const { body } = await this.http.sendForJson<AnswerOf<GetOperations[Path]> & Page>(request);
      yield body;
      if (body.nextPageToken === undefined) return;
      place = { pageToken: body.nextPageToken };
    }
  }

  /** The rows of a list, page after page. */
  async *list<Path extends ListPath>(
    path: Path,
    ...rest: Arguments<GetOperations[Path]>
  ): AsyncGenerator<ItemOf<Path>, void> {
    for await (const page of this.pages(path, ...rest)) {
      yield* rowsOf<ItemOf<Path>>(page);
    }
  }

  /**
   * The changes of new blocks, from `cursor` or the present on, until the loop is left or a signal aborts. A connection that ends is followed
   * by another one behind the last change, in the time that the service wishes.
   */
  changes(
    parameters: StreamChangesData['query'],
    options: RequestOptions = {},
  ): AsyncGenerator<Change, void> {
    const open = (cursor: string | undefined): Promise<Response> => {
      const url = urlOf('/v1/changes', { ...parameters, cursor });
      const request = { ...options, method: 'GET', url, isPatient: true } as const;
      return this.http.send(request, async (answer) => answer);
    };
    return followChanges({ open, pause: (ms) => this.http.pause(ms, options) }, parameters.cursor);
  }

  /** An aggregation of signatures. Equal ones share one result, so that it may be repeated. */
  aggregateSignatures(
    network: AggregateSignaturesData['path']['network'],
    request: AggregateSignaturesData['body'],
    options?: RequestOptions,
  ): Promise<AggregatedSignatureResponse> {
    const path = '/v1/signatureAggregator/{network}/aggregateSignatures';
    return this.post(path, { parameters: { network }, body: request }, options);
  }

  /** Starts an export of transfers on EVM chains. */
  exportTransactions(
    request: ExportTransactionsData['body'],
    options: ExportOptions = {},
  ): Promise<OperationResponse> {
    return this.post('/v1/operations/transactions:export', { parameters: {}, body: request }, options);
  }

  /** Starts an export of a ledger of the P- and the X-chain. */
  exportLedger(request: ExportLedgerData['body'], options: ExportOptions = {}): Promise<OperationResponse> {
    return this.post('/v1/operations/ledger:export', { parameters: {}, body: request }, options);
  }

  /** Asks as often as the service wishes until the export has ended. Throws ExportFailedError when it has no file. */
  async waitForExport(
    operationId: string,
    { onProgress, ...options }: WaitOptions = {},
  ): Promise<FinishedExport> {
    const url = urlOf('/v1/operations/{operationId}', { operationId });
    const request = { ...options, method: 'GET', url, isPatient: true } as const;
    return pollExport(
      operationId,
      () => this.http.sendForJson(request),
      onProgress,
      (ms) => this.http.pause(ms, options),
    );
  }

  /** Cancels an operation that is running, or removes the file of one that has ended. */
  async deleteOperation(operationId: string, options?: RequestOptions): Promise<void> {
    const path: keyof DeleteOperations = '/v1/operations/{operationId}';
    const request = { ...options, method: 'DELETE', url: urlOf(path, { operationId }) } as const;
    await this.http.send(request, async () => undefined);
  }

  /**
   * Has the service call a URL when operations of your organisation end, or messages of addresses are delivered; `readWebhook` reads its
   * requests.
   */
  addWebhook(webhook: AddWebhookData['body'], options?: RequestOptions): Promise<WebhookResponse> {
    return this.post('/v1/webhooks', { parameters: {}, body: webhook }, options);
  }

  async removeWebhook(webhookId: string, options?: RequestOptions): Promise<void> {
    const path: keyof DeleteOperations = '/v1/webhooks/{webhookId}';
    const request = { ...options, method: 'DELETE', url: urlOf(path, { webhookId }) } as const;
    await this.http.send(request, async () => undefined);
  }

  /** The bytes behind a link of the service, as they come. The key is not sent: the link is one. */
  download(url: string, options?: RequestOptions): AsyncGenerator<Uint8Array, void> {
    return this.http.sendForBytes({ ...options, method: 'GET', url });
  }

  private async post<Path extends keyof PostOperations>(
    path: Path,
    {
      parameters,
      body,
    }: { parameters: ParametersOf<PostOperations[Path]>; body: BodyOf<PostOperations[Path]> },
    { signal, idempotencyKey = crypto.randomUUID() }: ExportOptions = {},
  ): Promise<AnswerOf<PostOperations[Path]>> {
    const answer = await this.http.sendForJson<AnswerOf<PostOperations[Path]>>({
      method: 'POST',
      url: urlOf(path, parameters),
      body,
      headers: { 'idempotency-key': idempotencyKey },
      ...(signal === undefined ? {} : { signal }),
    });
    return answer.body;
  }
}

export function createClient(options: ClientOptions): Client {
  return new Client(options);
}

/** A page has one member that is a list. */
function rowsOf<Row>(page: unknown): readonly Row[] {
  const members: unknown[] = Object.values(page ?? {});
  return members.find((member): member is Row[] => Array.isArray(member)) ?? [];
}

/** Those of the path are filled in, and the others are the query. */
function urlOf(path: string, parameters: object = {}): string {
  const query = new Map<string, unknown>(Object.entries(parameters));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = query.get(name);
    query.delete(name);
    return encodeURIComponent(String(value));
  });
  const given = [...query].filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? filled : `${filled}?${text}`;
}
