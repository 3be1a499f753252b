import type { ByteRange } from '../../../exports/storage/export-storage.js';

/** `whole` also for what is to be ignored (RFC 9110 14.2): other units, malformed ranges, and more than one of them. */
export type RequestedRange = ByteRange | 'whole' | 'unsatisfiable';

export function parseByteRange(header: string | undefined, length: number): RequestedRange {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  const start = first === '' ? Math.max(length - Number(last), 0) : Number(first);
  if (first !== '' && last !== '' && Number(last) < start) return 'whole';
  if (start >= length) return 'unsatisfiable';
  const end = first === '' || last === '' ? length - 1 : Math.min(Number(last), length - 1);
  return { start, end };
}
