import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ByteRange } from '../../export-storage/export-storage.js';
import { JSON_CONTENT_TYPE } from '../../http/lossless-json.js';
import { prefersGzip } from './accept-encoding.js';
import { parseByteRange } from './byte-range.js';
import type { ExportedFile } from './exported-file.js';

/** A client that takes nothing for so long is not there any more; its connection and the storage's are given free. */
const STALL_TIMEOUT_MS = 60_000;
/** Most of a row are hashes and addresses: level 6 takes 1.7 times as long and saves another twentieth. */
const GZIP_LEVEL = 1;

type Headers = Readonly<Record<string, string | number>>;

/** How a file is answered, without its bytes. */
type FileAnswer =
  | { kind: 'bytes'; status: 200 | 206; headers: Headers; range: ByteRange; isGzip: boolean }
  | { kind: 'head'; status: 200 | 304; headers: Headers }
  | { kind: 'unsatisfiable'; headers: Headers };

/** Resolves when the first bytes are there. */
type OpenFile = (range: ByteRange, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

/** Sends the file, or the part of it that is asked for; memory does not grow with it. */
export async function sendFile(options: {
  request: FastifyRequest;
  reply: FastifyReply;
  file: ExportedFile;
  open: OpenFile;
}): Promise<void> {
  const { request, reply, file, open } = options;
  const answer = chooseAnswer(request, file);
  if (answer.kind === 'unsatisfiable') return sendUnsatisfiable(reply, answer.headers);
  if (answer.kind === 'head') return void takeOver(reply, answer).end();

  const closed = new AbortController();
  reply.raw.once('close', () => closed.abort());
  const content = await openUnlessClosed(open, answer.range, closed.signal);
  if (content === undefined) return void reply.hijack();
  const raw = takeOver(reply, answer);
  raw.setTimeout(STALL_TIMEOUT_MS, () => raw.destroy());
  const source = Readable.from(content, { objectMode: false });
  // A failure ends the connection: the client sees that bytes are missing. It is logged where it comes from.
  pipeline(answer.isGzip ? [source, createGzip({ level: GZIP_LEVEL }), raw] : [source, raw], () => undefined);
}

/** Undefined when the client has gone before the first bytes came. */
async function openUnlessClosed(
  open: OpenFile,
  range: ByteRange,
  closed: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  try {
    return await open(range, closed);
  } catch (error) {
    if (closed.aborted) return undefined;
    throw error;
  }
}

/** Past the framework, which would answer a failure in the middle with a second answer. */
function takeOver(reply: FastifyReply, answer: { status: number; headers: Headers }): ServerResponse {
  const { raw } = reply.headers(answer.headers).hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  return raw.writeHead(answer.status);
}

function chooseAnswer({ method, headers }: FastifyRequest, file: ExportedFile): FileAnswer {
  const plainTag = `"${file.operationId}-${file.bytes}"`;
  // RFC 9110 14.2: only GET knows ranges. Theirs are of the file as it is.
  const isRangeRequest = method === 'GET' && headers.range !== undefined;
  const isGzip = !isRangeRequest && prefersGzip(headers['accept-encoding']?.toString());
  const common = {
    etag: isGzip ? plainTag.replace(/"$/, '-gzip"') : plainTag,
    'cache-control': 'private',
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
  };
  if (isListed(common.etag, headers['if-none-match'])) return { kind: 'head', status: 304, headers: common };

  const isOfThisFile = headers['if-range'] === undefined || headers['if-range'] === plainTag;
  const wanted = parseByteRange(isRangeRequest && isOfThisFile ? headers.range : undefined, file.bytes);
  if (wanted === 'unsatisfiable') {
    return { kind: 'unsatisfiable', headers: { 'content-range': `bytes */${file.bytes}` } };
  }
  const range = wanted === 'whole' ? { start: 0, end: file.bytes - 1 } : wanted;
  const described: Headers = {
    ...common,
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="transactions-${file.operationId}.csv"`,
    ...(isGzip
      ? { 'content-encoding': 'gzip' }
      : { 'accept-ranges': 'bytes', 'content-length': range.end - range.start + 1 }),
    ...(wanted === 'whole' ? {} : { 'content-range': `bytes ${range.start}-${range.end}/${file.bytes}` }),
  };
  if (method === 'HEAD' || file.bytes === 0) return { kind: 'head', status: 200, headers: described };
  return { kind: 'bytes', status: wanted === 'whole' ? 200 : 206, headers: described, range, isGzip };
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
