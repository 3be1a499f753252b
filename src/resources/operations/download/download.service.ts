import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import {
  type ByteRange,
  ExportStorage,
  ExportStorageError,
} from '../../../exports/storage/export-storage.js';
import { GZIP_HEADER } from '../../../exports/storage/gzip-stream.js';
import { ApiError, notFound } from '../../../platform/http/errors/api-error.js';
import { DownloadLinks } from './download-links.js';
import { type ExportedFile, type FileForm, readFile } from './exported-file.js';
import { ExportedFileRepository } from './exported-file.repository.js';

/** Form of a genuine link; any other is refused, whatever is wrong with it. */
export const LINK_PARTS = {
  path: z.object({ operationId: z.uuid().meta({ description: 'Id of the operation.' }) }),
  query: z.object({
    expires: z
      .string()
      .regex(/^[1-9]\d{0,11}$/)
      .meta({ description: 'UNIX seconds after which the link no longer works.' }),
    signature: z.string().length(43).meta({ description: 'Proves that the link is genuine.' }),
  }),
};
const LinkSchema = z.object({ ...LINK_PARTS.path.shape, ...LINK_PARTS.query.shape });

@Injectable()
export class DownloadService {
  private readonly logger = new Logger(DownloadService.name);

  constructor(
    private readonly links: DownloadLinks,
    private readonly files: ExportedFileRepository,
    private readonly storage: ExportStorage,
  ) {}

  /** The proof of the file that a link is for, a JSON text. Throws as {@link find}. */
  async findProof(link: unknown): Promise<string> {
    const { operationId } = await this.find(link);
    const proof = await this.files.findProof(operationId);
    if (proof === undefined) throw notFound('there is no proof of this file');
    return proof;
  }

  /** The file that a link is for. All that is wrong with a link is a 404: it does not reveal which operations there are. */
  async find(link: unknown): Promise<ExportedFile> {
    const parsed = LinkSchema.safeParse(link);
    if (!parsed.success || !(await this.links.isGenuine(parsed.data))) {
      throw notFound('no such download; use the URL exactly as the operation gives it');
    }
    const { operationId, expires } = parsed.data;
    if (Number(expires) * 1_000 <= Date.now()) {
      throw notFound('this download has expired, and its file is removed');
    }
    const file = await this.files.find(operationId);
    if (file === undefined) throw notFound('the file of this operation has been removed');
    if (!('problem' in file)) return file;
    this.logger.error(`the file of ${operationId} is not whole: ${file.problem}`);
    throw notFound('the file of this operation is no longer complete; export it again');
  }

  /**
   * Bytes of the file. The first are there when this resolves, so that a storage that is away is still a 503; later failures are
   * thrown by the content, and logged.
   */
  async open(
    file: ExportedFile,
    { form, range, signal }: { form: FileForm; range: ByteRange; signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>> {
    const { storage } = this;
    const content = readFile(file, { form, range, storage, signal });
    try {
      const begin: Uint8Array[] = [];
      let bytes = 0;
      // The first bytes may not be from the storage.
      while (bytes <= GZIP_HEADER.length) {
        const next = await content.next();
        if (next.done === true) break;
        begin.push(next.value);
        bytes += next.value.length;
      }
      return this.goOn(file, begin, content, signal);
    } catch (error) {
      if (!(error instanceof ExportStorageError)) throw error;
      if (error.code === 'STORAGE_UNAVAILABLE') {
        this.logger.warn(`download of ${file.operationId}: ${error.message}`);
        throw new ApiError(503, 'the export storage is not available, try again shortly', { cause: error });
      }
      this.logger.warn(`a part of ${file.operationId} is on record and not in the storage: ${error.message}`);
      throw notFound('the file of this operation has been removed');
    }
  }

  private async *goOn(
    { operationId, bytes }: ExportedFile,
    begin: readonly Uint8Array[],
    rest: AsyncGenerator<Uint8Array, void>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    let sent = 0;
    try {
      for (const chunk of begin) {
        sent += chunk.length;
        yield chunk;
      }
      for await (const chunk of rest) {
        sent += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (!signal.aborted) {
        const facts = { err: error, operationId, sentBytes: sent, fileBytes: bytes };
        this.logger.error(facts, 'a download broke off');
      }
      throw error;
    } finally {
      await rest.return();
    }
  }
}
