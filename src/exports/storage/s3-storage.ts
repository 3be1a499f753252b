import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { addAbortSignal, Readable } from 'node:stream';
import { CountedContent, exactly } from './byte-streams.js';
import { type ByteRange, ExportStorageError, type StoredExport } from './export-storage.js';
import { StoragePlace } from './storage-place.js';
import { checkOperationId, parseKey } from './storage-key.js';
import type { S3Location } from './storage-url.js';

/** Memory of an upload: two parts on their way and one that fills up. S3 takes 10,000 parts, hence 78 GiB. */
const PART_BYTES = 8 * 1024 * 1024;
const CONCURRENT_PARTS = 2;

export interface S3Timeouts {
  readonly connectMs: number;
  /** From the first byte of a request, which may carry a part, to the head of its answer. */
  readonly answerMs: number;
  /** Silence in the middle of a download. */
  readonly stallMs: number;
}

const TIMEOUTS: S3Timeouts = { connectMs: 5_000, answerMs: 30_000, stallMs: 20_000 };
const ATTEMPTS = 3;
/** More than any of ours has. */
const MAX_MARK_BYTES = 256;
/** Downloads to slow clients hold theirs for long. */
const MAX_CONNECTIONS = 256;

/** A bucket of S3 or of a server that speaks its protocol. Credentials come from the SDK's default chain. */
export class S3Storage extends StoragePlace {
  readonly location: string;
  private readonly client: S3Client;

  private constructor(
    private readonly at: S3Location,
    private readonly timeouts: S3Timeouts,
  ) {
    super();
    this.location = `s3://${at.bucket}/${at.prefix}`;
    const options: S3ClientConfig = {
      forcePathStyle: at.forcePathStyle,
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: timeouts.connectMs,
        requestTimeout: timeouts.answerMs,
        throwOnRequestTimeout: true,
        // Would also end downloads whose reader takes its time.
        socketTimeout: 0,
        httpAgent: { maxSockets: MAX_CONNECTIONS },
        httpsAgent: { maxSockets: MAX_CONNECTIONS },
      },
    };
    if (at.region !== undefined) options.region = at.region;
    if (at.endpoint !== undefined) options.endpoint = at.endpoint;
    this.client = new S3Client(options);
  }

  /** Fails without a region, which would otherwise be missed by the first export. */
  static async open(at: S3Location, timeouts: S3Timeouts = TIMEOUTS): Promise<S3Storage> {
    const storage = new S3Storage(at, timeouts);
    try {
      await storage.client.config.region();
    } catch (error) {
      throw new Error('bad configuration: EXPORT_STORAGE_URL needs a region (?region=…), or AWS_REGION', {
        cause: error,
      });
    }
    return storage;
  }

  close(): void {
    this.client.destroy();
  }

  protected async writeWhole(
    key: string,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const object = this.toObject(this.toObjectKey(key));
    const counted = new CountedContent(content);
    const body = Readable.from(counted);
    // Ends the upload after the requests that are on their way, so that it removes the parts it has sent.
    if (signal !== undefined) addAbortSignal(signal, body);
    const upload = new Upload({
      client: this.client,
      partSize: PART_BYTES,
      queueSize: CONCURRENT_PARTS,
      params: { ...object, Body: body, ContentType: 'application/octet-stream' },
    });
    try {
      await upload.done();
    } catch (error) {
      body.destroy();
      if (counted.failure !== undefined) throw counted.failure.error;
      throw this.toStorageError(error);
    }
    // No caller waits for this any more, and nothing else will remove it.
    if (signal?.aborted === true) await this.client.send(new DeleteObjectCommand(object));
    return counted.bytes;
  }

  async *read(
    key: string,
    { start, end }: ByteRange,
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<Uint8Array, void> {
    const object = this.toObject(this.toObjectKey(key));
    let body: Readable | undefined;
    try {
      const command = new GetObjectCommand({ ...object, Range: `bytes=${start}-${end}` });
      const { Body } = await this.client.send(command, signal === undefined ? {} : { abortSignal: signal });
      if (!(Body instanceof Readable)) throw new Error('an answer without a body');
      body = signal === undefined ? Body : addAbortSignal(signal, Body);
      yield* exactly(end - start + 1, watched(body, this.timeouts.stallMs));
    } catch (error) {
      signal?.throwIfAborted();
      throw this.toStorageError(error);
    } finally {
      body?.destroy();
    }
  }

  /** S3 lists keys in order: all of an operation's are neighbours. */
  async *list(): AsyncGenerator<StoredExport, void> {
    if (this.at.prefix === '') {
      throw new ExportStorageError(
        'NOT_OURS_ALONE',
        `${this.location} has no prefix: what is left behind there is not looked for, as others may keep files in the bucket`,
      );
    }
    let current: StoredExport | undefined;
    for await (const { Contents = [] } of this.pages(this.at.prefix)) {
      for (const { Key = '', LastModified = new Date() } of Contents) {
        const [operationId = '', name] = Key.slice(this.at.prefix.length).split('/');
        if (name === undefined) continue;
        if (current?.operationId !== operationId) {
          if (current !== undefined) yield current;
          current = { operationId, writtenAt: LastModified };
        } else if (LastModified > current.writtenAt) {
          current = { operationId, writtenAt: LastModified };
        }
      }
    }
    if (current !== undefined) yield current;
  }

  async removeAll(operationId: string): Promise<void> {
    const prefix = `${this.at.prefix}${checkOperationId(operationId)}/`;
    for await (const { Contents = [] } of this.pages(prefix)) {
      const keys = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]));
      if (keys.length > 0) await this.removeKeys(keys);
    }
  }

  async readMark(): Promise<string | undefined> {
    const range = `bytes=0-${MAX_MARK_BYTES - 1}`;
    try {
      const command = new GetObjectCommand({ ...this.toObject(this.markKey), Range: range });
      return (await (await this.client.send(command)).Body?.transformToString()) ?? '';
    } catch (error) {
      const problem = this.toStorageError(error);
      if (problem.code === 'NOT_FOUND') return undefined;
      throw problem;
    }
  }

  async writeMark(mark: string): Promise<void> {
    const command = new PutObjectCommand({ ...this.toObject(this.markKey), Body: mark });
    await this.asStorage(() => this.client.send(command));
  }

  private get markKey(): string {
    return `${this.at.prefix}${this.markName}`;
  }

  private async removeKeys(keys: { Key: string }[]): Promise<void> {
    const command = new DeleteObjectsCommand({
      Bucket: this.at.bucket,
      Delete: { Objects: keys, Quiet: true },
    });
    const { Errors: [problem] = [] } = await this.asStorage(() => this.client.send(command));
    if (problem === undefined) return;
    const text = `${this.location} does not remove ${problem.Key}: ${problem.Code} ${problem.Message ?? ''}`;
    throw new ExportStorageError('STORAGE_UNAVAILABLE', text);
  }

  private async *pages(prefix: string): AsyncGenerator<ListObjectsV2CommandOutput, void> {
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.at.bucket,
        Prefix: prefix,
        ContinuationToken: token,
      });
      const page = await this.asStorage(() => this.client.send(command));
      yield page;
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  private toObjectKey(key: string): string {
    const { operationId, name } = parseKey(key);
    return `${this.at.prefix}${operationId}/${name}`;
  }

  private toObject(objectKey: string): { Bucket: string; Key: string } {
    return { Bucket: this.at.bucket, Key: objectKey };
  }

  private async asStorage<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw this.toStorageError(error);
    }
  }

  private toStorageError(error: unknown): ExportStorageError {
    if (error instanceof ExportStorageError) return error;
    const { name, message } = describe(error);
    return name === 'NoSuchKey'
      ? new ExportStorageError('NOT_FOUND', `not in ${this.location}: ${message}`, { cause: error })
      : new ExportStorageError('STORAGE_UNAVAILABLE', `${this.location}: ${name}: ${message}`, {
          cause: error,
        });
  }
}

function describe(error: unknown): { name: string; message: string } {
  if (typeof error !== 'object' || error === null) return { name: 'Error', message: String(error) };
  const name = 'name' in error ? String(error.name) : 'Error';
  // A refused connection is an AggregateError without words.
  const code = 'code' in error ? String(error.code) : '';
  const message = 'message' in error ? String(error.message) : '';
  return { name, message: message === '' ? code : message };
}

/** Time counts only while bytes are awaited, not while the reader is busy with those it has. */
async function* watched(
  body: AsyncIterable<Uint8Array> & Pick<Readable, 'destroy'>,
  stallMs: number,
): AsyncGenerator<Uint8Array, void> {
  const watch = (): NodeJS.Timeout =>
    setTimeout(() => body.destroy(new Error(`no bytes for ${stallMs} ms`)), stallMs);
  let stall = watch();
  try {
    for await (const chunk of body) {
      clearTimeout(stall);
      yield chunk;
      stall = watch();
    }
  } finally {
    clearTimeout(stall);
  }
}
