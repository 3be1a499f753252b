import type { ByteRange } from '../../export-storage/export-storage.js';

/** One stored piece of a file, and where in the file it is. */
export interface FilePiece {
  readonly storageKey: string;
  readonly start: number;
  readonly bytes: number;
}

export interface ExportedFile {
  readonly operationId: string;
  readonly bytes: number;
  readonly pieces: readonly FilePiece[];
}

/** What of a piece belongs to a range of the file. */
export interface PieceRange {
  readonly storageKey: string;
  readonly range: ByteRange;
}

/** Pieces in order; those without bytes have no key. */
export function makeExportedFile(
  operationId: string,
  stored: readonly { storageKey: string | null; bytes: number }[],
): ExportedFile {
  let start = 0;
  const pieces: FilePiece[] = [];
  for (const { storageKey, bytes } of stored) {
    if (storageKey === null || bytes === 0) continue;
    pieces.push({ storageKey, start, bytes });
    start += bytes;
  }
  return { operationId, bytes: start, pieces };
}

export function* piecesOf({ pieces }: ExportedFile, { start, end }: ByteRange): Generator<PieceRange, void> {
  for (const piece of pieces) {
    const first = Math.max(start - piece.start, 0);
    const last = Math.min(end - piece.start, piece.bytes - 1);
    if (first <= last) yield { storageKey: piece.storageKey, range: { start: first, end: last } };
  }
}
