import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { runTool } from './processes/run-tool.js';

/** The service that the Temporal SDKs take their test servers from. */
const DOWNLOAD_SERVICE = 'https://temporal.download/cli';
/** Without a network the answer must come soon: there is another way. */
const INFO_TIMEOUT_MS = 5_000;
const ARCHIVE_TIMEOUT_MS = 300_000;

const DownloadInfoSchema = z.object({
  archiveUrl: z.url({ protocol: /^https$/ }),
  fileToExtract: z.string().min(1),
});

/** Downloads and unpacks the command line tool into the folder; answers the program's path. */
export async function downloadTemporal(version: string, folder: string): Promise<string> {
  const info = await fetchInfo(version);
  const archive = join(folder, process.platform === 'win32' ? 'temporal.zip' : 'temporal.tar.gz');
  const response = await fetch(info.archiveUrl, { signal: AbortSignal.timeout(ARCHIVE_TIMEOUT_MS) });
  if (!response.ok || response.body === null) {
    throw new Error(`${info.archiveUrl} answered ${response.status}`);
  }
  await pipeline(Readable.fromWeb(response.body), createWriteStream(archive));
  // tar reads zip archives too where they are used, on Windows.
  await runTool({ command: 'tar', args: ['-xf', archive, '-C', folder, info.fileToExtract] });
  return join(folder, info.fileToExtract);
}

async function fetchInfo(version: string): Promise<z.infer<typeof DownloadInfoSchema>> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const format = process.platform === 'win32' ? 'zip' : 'tar.gz';
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform,
    format,
  });
  const response = await fetch(`${DOWNLOAD_SERVICE}/v${version}?${query.toString()}`, {
    signal: AbortSignal.timeout(INFO_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${DOWNLOAD_SERVICE} answered ${response.status}`);
  return DownloadInfoSchema.parse(await response.json());
}
