import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '../../../sandbox/local/processes/ports.js';

export type S3Mood =
  | 'honest'
  /** 500 to everything, as while it restarts. */
  | 'broken'
  /** Takes requests and never answers. */
  | 'silent'
  /** Sends the head and half of an object, then nothing. */
  | 'stalling'
  /** Ends the connection after half of an object. */
  | 'cutting'
  /** No permission. */
  | 'denying'
  /** Fails parts of uploads for good. */
  | 'refusingParts';

interface StoredObject {
  readonly bytes: Buffer;
  readonly modified: Date;
}

/** Enough of S3, one bucket, path style: objects with ranges, multipart uploads, lists in pages, removal of many. */
export class FakeS3 {
  mood: S3Mood = 'honest';
  readonly bucket = 'exports';
  readonly objects = new Map<string, StoredObject>();
  /** Multipart uploads that are neither completed nor aborted: their parts by number. */
  readonly uploads = new Map<string, Map<number, Buffer>>();
  readonly calls: string[] = [];
  /** Keys in one page of a list, at most. */
  pageSize = 1000;
  /** Runs before each request is answered. */
  onRequest: (call: string) => Promise<void> | void = () => undefined;
  /** The largest request body so far. */
  largestBody = 0;
  private server: Server | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<FakeS3> {
    // None of those that connections get: it is still free after a stop.
    const fake = new FakeS3(await freePort());
    await fake.listen();
    return fake;
  }

  /** For EXPORT_STORAGE_URL. */
  get storageUrl(): string {
    const endpoint = encodeURIComponent(`http://127.0.0.1:${this.port}`);
    return `s3://${this.bucket}/some/prefix?endpoint=${endpoint}&forcePathStyle=true`;
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      // Whoever breaks a request off in the middle waits for no answer.
      this.handle(request, response).catch(() => response.destroy());
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    const [, bucket, ...path] = decodeURIComponent(url.pathname).split('/');
    const query = url.searchParams;
    const operation = nameOf(request.method ?? '', query);
    const body = await readBody(request);
    this.calls.push(operation);
    this.largestBody = Math.max(this.largestBody, body.length);
    await this.onRequest(operation);
    if (this.mood === 'silent') return;
    if (this.mood === 'broken') return sendError(response, 500, 'InternalError', 'we are sorry');
    if (this.mood === 'denying') return sendError(response, 403, 'AccessDenied', 'Access Denied');
    if (bucket !== this.bucket) return sendError(response, 404, 'NoSuchBucket', 'no such bucket');
    if (request.headers.authorization === undefined) {
      return sendError(response, 403, 'AccessDenied', 'not signed');
    }
    this.answer({ operation, key: path.join('/'), query, body, range: request.headers.range }, response);
  }

  private answer(call: Call, response: ServerResponse): void {
    const { operation, key, query, body } = call;
    const uploadId = query.get('uploadId') ?? '';
    const upload = this.uploads.get(uploadId);
    switch (operation) {
      case 'PutObject':
        this.objects.set(key, { bytes: body, modified: new Date() });
        return void response.writeHead(200, { etag: etagOf(body) }).end();
      case 'CreateMultipartUpload': {
        const id = randomUUID();
        this.uploads.set(id, new Map());
        return sendXml(
          response,
          `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        );
      }
      case 'UploadPart':
        if (upload === undefined) return sendError(response, 404, 'NoSuchUpload', 'no such upload');
        if (this.mood === 'refusingParts') return sendError(response, 400, 'BadDigest', 'not what was sent');
        upload.set(Number(query.get('partNumber')), body);
        return void response.writeHead(200, { etag: etagOf(body) }).end();
      case 'CompleteMultipartUpload': {
        if (upload === undefined) return sendError(response, 404, 'NoSuchUpload', 'no such upload');
        const parts = [...upload].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
        this.uploads.delete(uploadId);
        this.objects.set(key, { bytes: Buffer.concat(parts), modified: new Date() });
        return sendXml(
          response,
          `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`,
        );
      }
      case 'AbortMultipartUpload':
        this.uploads.delete(uploadId);
        return void response.writeHead(204).end();
      case 'GetObject':
        return this.sendObject(call, response);
      case 'ListObjectsV2':
        return this.sendList(query, response);
      case 'DeleteObject':
        this.objects.delete(key);
        return void response.writeHead(204).end();
      case 'DeleteObjects':
        for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) {
          this.objects.delete(name);
        }
        return sendXml(response, '<DeleteResult></DeleteResult>');
      default:
        return sendError(response, 501, 'NotImplemented', operation);
    }
  }

  private sendObject({ key, range }: Call, response: ServerResponse): void {
    const object = this.objects.get(key);
    if (object === undefined) {
      return sendError(response, 404, 'NoSuchKey', 'The specified key does not exist.');
    }
    const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    if (Number(first) >= object.bytes.length) {
      return sendError(response, 416, 'InvalidRange', 'not satisfiable');
    }
    const part = object.bytes.subarray(Number(first), Number(last) + 1);
    response.writeHead(206, { 'content-length': part.length, etag: etagOf(object.bytes) });
    if (this.mood === 'honest') return void response.end(part);
    response.write(part.subarray(0, part.length / 2), () => {
      if (this.mood === 'cutting') response.destroy();
    });
  }

  private sendList(query: URLSearchParams, response: ServerResponse): void {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, this.pageSize);
    const contents = page.map((key) => {
      const { bytes, modified } = this.objects.get(key) ?? { bytes: Buffer.alloc(0), modified: new Date() };
      return `<Contents><Key>${key}</Key><LastModified>${modified.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`;
    });
    const isTruncated = keys.length > page.length;
    const token = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    sendXml(
      response,
      `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`,
    );
  }
}

interface Call {
  readonly operation: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly range: string | undefined;
}

function nameOf(method: string, query: URLSearchParams): string {
  const isPart = query.has('uploadId');
  switch (method) {
    case 'PUT':
      return isPart ? 'UploadPart' : 'PutObject';
    case 'POST':
      if (query.has('uploads')) return 'CreateMultipartUpload';
      return isPart ? 'CompleteMultipartUpload' : 'DeleteObjects';
    case 'GET':
      return query.get('list-type') === '2' ? 'ListObjectsV2' : 'GetObject';
    case 'DELETE':
      return isPart ? 'AbortMultipartUpload' : 'DeleteObject';
    default:
      return method;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function sendXml(response: ServerResponse, xml: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${xml}`);
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  sendXml(response, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`, status);
}
