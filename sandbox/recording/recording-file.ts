import { readFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** The content of a recording, plain (`.json`) or compressed with brotli (`.json.br`). */
export function readRecordingFile(file: string | URL): unknown {
  const bytes = readFileSync(file);
  const text = file.toString().endsWith('.br') ? brotliDecompressSync(bytes) : bytes;
  return JSON.parse(text.toString('utf8'));
}

/** With a window over all of it: one set of answers looks much like the one before. */
export function compressRecording(recording: object): Buffer {
  const text = Buffer.from(JSON.stringify(recording));
  return brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
}
