import type { FastifyReply, FastifyRequest } from 'fastify';
import { pipeline, Readable } from 'node:stream';
import { unitsOfSkipping } from '../../../access/limits/units.js';
import type { ByteRange } from '../../../exports/storage/export-storage.js';
import { JSON_CONTENT_TYPE } from '../../../platform/http/adapter/lossless-json.js';
import { takeOver } from '../../../platform/http/adapter/take-over.js';
import { prefersGzip } from './accept-encoding.js';
import { parseByteRange } from './byte-range.js';
import { type ExportedFile, type FileForm, gzipBytesOf, skippedBefore } from './exported-file.js';

type Headers = Readonly<Record<string, string | number>>;

/** `csv`: the file, compressed on its way for those who accept it; `csv.gz`: a file that is compressed. */
export type FileKind = 'csv' | 'csv.gz';

/** How a file is answered, without its bytes. */
type FileAnswer =
  | { kind: 'bytes'; status: 200 | 206; headers: Headers; content: Content }
  | { kind: 'head'; status: 200 | 304; headers: Headers }
  | { kind: 'unsatisfiable'; headers: Headers };

/** Parts to read. */
interface Content {
  readonly form: FileForm;
  readonly range: ByteRange;
}

/** Resolves when the first bytes are there. */
type OpenFile = (options: {
  form: FileForm;
  range: ByteRange;
  signal: AbortSignal;
}) => Promise<AsyncIterable<Uint8Array>>;

/** Sends the file, or the part of it that is asked for; memory does not grow with it. */
export async function sendFile(options: {
  request: FastifyRequest;
  reply: FastifyReply;
  file: ExportedFile;
  kind: FileKind;
  open: OpenFile;
  /** Takes units of the caller's. */
  charge: (units: number) => void;
}): Promise<void> {
  const { request, reply, file, kind, open, charge } = options;
  const answer = chooseAnswer(request, file, kind);
  if (answer.kind === 'unsatisfiable') return sendUnsatisfiable(reply, answer.headers);
  if (answer.kind === 'head') return void takeOver(reply, answer).end();

  // The client may have gone while the operation was looked up.
  if (reply.raw.destroyed) return void reply.hijack();
  const { form, range } = answer.content;
  charge(unitsOfSkipping(skippedBefore(file, form, range)));
  const closed = new AbortController();
  reply.raw.once('close', () => closed.abort());
  const content = await openUnlessClosed(open, answer.content, closed.signal);
  if (content === undefined) return void reply.hijack();
  const raw = takeOver(reply, answer);
  const source = Readable.from(content, { objectMode: false });
  // A failure ends the connection: the client sees that bytes are missing. It is logged where it comes from.
  pipeline(source, raw, () => undefined);
}

/** Undefined when the client has gone before the first bytes came. */
async function openUnlessClosed(
  open: OpenFile,
  { form, range }: Content,
  closed: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  try {
    const content = await open({ form, range, signal: closed });
    return closed.aborted ? undefined : content;
  } catch (error) {
    if (closed.aborted) return undefined;
    throw error;
  }
}

/** One form in which the file can be had. */
interface Representation {
  readonly etag: string;
  readonly headers: Headers;
  readonly form: FileForm;
  readonly bytes: number;
}

function chooseAnswer({ method, headers }: FastifyRequest, file: ExportedFile, kind: FileKind): FileAnswer {
  // RFC 9110 14.2: only GET knows ranges. Theirs are of the file as it is.
  const isRangeRequest = method === 'GET' && headers.range !== undefined;
  const isEncoded = kind === 'csv' && !isRangeRequest && prefersGzip(headers['accept-encoding']?.toString());
  const { etag, bytes: length, form, headers: own } = representationOf(file, kind, isEncoded);
  const common = {
    etag,
    'cache-control': 'private',
    'x-content-type-options': 'nosniff',
    ...(kind === 'csv' ? { vary: 'Accept-Encoding' } : {}),
  };
  if (isListed(etag, headers['if-none-match'])) return { kind: 'head', status: 304, headers: common };

  const isOfThisFile = headers['if-range'] === undefined || headers['if-range'] === etag;
  const isRange = isRangeRequest && isOfThisFile;
  const wanted = parseByteRange(isRange ? headers.range : undefined, length);
  if (wanted === 'unsatisfiable') {
    return { kind: 'unsatisfiable', headers: { 'content-range': `bytes */${length}` } };
  }
  const range = wanted === 'whole' ? { start: 0, end: length - 1 } : wanted;
  const described: Headers = {
    ...common,
    ...own,
    'content-length': range.end - range.start + 1,
    ...(isEncoded ? {} : { 'accept-ranges': 'bytes' }),
    ...(wanted === 'whole' ? {} : { 'content-range': `bytes ${range.start}-${range.end}/${length}` }),
  };
  if (method === 'HEAD' || length === 0) return { kind: 'head', status: 200, headers: described };
  return {
    kind: 'bytes',
    status: wanted === 'whole' ? 200 : 206,
    headers: described,
    content: { form, range },
  };
}

function representationOf(file: ExportedFile, kind: FileKind, isEncoded: boolean): Representation {
  const name = `transactions-${file.operationId}.${kind}`;
  const tag = `${file.operationId}-${file.bytes}`;
  const type = kind === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/gzip';
  const headers = { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` };
  if (kind === 'csv' && !isEncoded) return { etag: `"${tag}"`, headers, form: 'plain', bytes: file.bytes };
  return {
    etag: `"${tag}-gzip"`,
    headers: isEncoded ? { ...headers, 'content-encoding': 'gzip' } : headers,
    form: 'gzip',
    bytes: gzipBytesOf(file),
  };
}

/** Weak comparison, as RFC 9110 13.1.2 wants it. */
function isListed(etag: string, ifNoneMatch: string | undefined): boolean {
  const listed = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return listed.includes(etag) || listed.includes('*');
}

/** Clients of ranges need this code and its header; it is none of the API's own codes, but has their body. */
function sendUnsatisfiable(reply: FastifyReply, headers: Headers): void {
  const body = { message: 'no such range in this file', statusCode: 416, error: 'Range Not Satisfiable' };
  void reply.status(416).headers(headers).header('content-type', JSON_CONTENT_TYPE).send(body);
}
