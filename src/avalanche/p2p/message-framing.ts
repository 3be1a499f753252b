import { P2pError } from './p2p.error.js';

/** Largest message that nodes accept and send, in bytes; also the bound of what a compressed message expands to. */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/** Bytes of the length in front of every message. */
export const FRAME_HEADER_BYTES = 4;

/** A message with its big-endian uint32 length in front, as it goes over the connection. */
export function packFrame(message: Uint8Array): Uint8Array {
  return packFrames([message]);
}

/** The frames of several messages, one after the other. */
export function packFrames(messages: readonly Uint8Array[]): Uint8Array {
  const byteCount = messages.reduce((sum, { length }) => sum + FRAME_HEADER_BYTES + length, 0);
  const frames = Buffer.allocUnsafe(byteCount);
  let offset = 0;
  for (const message of messages) {
    if (message.length > MAX_MESSAGE_BYTES) {
      throw new P2pError('FRAME_TOO_LARGE', `a message of ${message.length} bytes cannot be sent`);
    }
    frames.writeUInt32BE(message.length, offset);
    frames.set(message, offset + FRAME_HEADER_BYTES);
    offset += FRAME_HEADER_BYTES + message.length;
  }
  return frames;
}

/**
 * Cuts a byte stream back into messages, however it was split on the way.
 * Memory is taken for bytes that arrived, never for a length that was only announced.
 */
export class FrameReader {
  private readonly chunks: Uint8Array[] = [];
  private buffered = 0;

  constructor(private readonly maxMessageBytes: number = MAX_MESSAGE_BYTES) {}

  /** Bytes that wait for the rest of their message. */
  get bufferedBytes(): number {
    return this.buffered;
  }

  /**
   * Returns the messages that `chunk` completes, empty ones too. They may share memory with `chunk`.
   * Throws P2pError `FRAME_TOO_LARGE`; the stream cannot be read on after it.
   */
  push(chunk: Uint8Array): Uint8Array[] {
    if (chunk.length > 0) {
      this.chunks.push(chunk);
      this.buffered += chunk.length;
    }
    const messages: Uint8Array[] = [];
    for (;;) {
      const length = this.peekLength();
      if (length === undefined || this.buffered < FRAME_HEADER_BYTES + length) {
        return messages;
      }
      messages.push(this.take(FRAME_HEADER_BYTES + length).subarray(FRAME_HEADER_BYTES));
    }
  }

  /** Drops what is buffered. */
  clear(): void {
    this.chunks.length = 0;
    this.buffered = 0;
  }

  private peekLength(): number | undefined {
    if (this.buffered < FRAME_HEADER_BYTES) {
      return undefined;
    }
    let first = this.chunks[0] ?? new Uint8Array();
    if (first.length < FRAME_HEADER_BYTES) {
      first = this.take(this.buffered);
      this.chunks.unshift(first);
      this.buffered += first.length;
    }
    const length = new DataView(first.buffer, first.byteOffset).getUint32(0);
    if (length > this.maxMessageBytes) {
      throw new P2pError('FRAME_TOO_LARGE', `a message of ${length} bytes was announced`);
    }
    return length;
  }

  /** Removes the first `count` buffered bytes; `count` is at most what is buffered. */
  private take(count: number): Uint8Array {
    const first = this.chunks[0];
    if (first !== undefined && first.length >= count) {
      this.buffered -= count;
      if (first.length === count) {
        this.chunks.shift();
      } else {
        this.chunks[0] = first.subarray(count);
      }
      return first.subarray(0, count);
    }
    const taken = new Uint8Array(count);
    let filled = 0;
    let used = 0;
    while (filled < count) {
      const chunk = this.chunks[used] ?? new Uint8Array();
      const part = chunk.subarray(0, count - filled);
      taken.set(part, filled);
      filled += part.length;
      if (part.length === chunk.length) {
        used += 1;
      } else {
        this.chunks[used] = chunk.subarray(part.length);
      }
    }
    this.chunks.splice(0, used);
    this.buffered -= count;
    return taken;
  }
}
