import { P2pError } from '../p2p.error.js';

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
 * Memory is taken for bytes that arrived, never for a length that was only announced, and not for each piece they came in.
 */
export class FrameReader {
  /** Begins with the unfinished frame; what is behind it is room for its rest. */
  private held = new Uint8Array();
  private filled = 0;

  constructor(private readonly maxMessageBytes: number = MAX_MESSAGE_BYTES) {}

  /** Memory that the unfinished message takes, in bytes: at most twice what arrived of it. */
  get heldBytes(): number {
    return this.held.length;
  }

  /**
   * Returns the messages that `chunk` completes, empty ones too. They may share memory with `chunk`.
   * Throws P2pError `FRAME_TOO_LARGE`; the stream cannot be read on after it.
   */
  push(chunk: Uint8Array): Uint8Array[] {
    const messages: Uint8Array[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      const whole = this.filled === 0 ? this.frameLength(rest) : undefined;
      if (whole !== undefined && whole <= rest.length) {
        messages.push(rest.subarray(FRAME_HEADER_BYTES, whole));
        rest = rest.subarray(whole);
      } else {
        rest = this.hold(rest);
        if (this.frameLength(this.held.subarray(0, this.filled)) === this.filled) {
          messages.push(this.held.subarray(FRAME_HEADER_BYTES, this.filled));
          this.clear();
        }
      }
    }
    return messages;
  }

  /** Drops what is buffered. */
  clear(): void {
    this.held = new Uint8Array();
    this.filled = 0;
  }

  /** Of the frame that `bytes` begin with, its header included; undefined until that has arrived. */
  private frameLength(bytes: Uint8Array): number | undefined {
    if (bytes.length < FRAME_HEADER_BYTES) return undefined;
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    if (length > this.maxMessageBytes) {
      throw new P2pError('FRAME_TOO_LARGE', `a message of ${length} bytes was announced`);
    }
    return FRAME_HEADER_BYTES + length;
  }

  /** Copies what belongs to the unfinished frame, as far as its end is known, and returns the rest. */
  private hold(bytes: Uint8Array): Uint8Array {
    const end = this.frameLength(this.held.subarray(0, this.filled)) ?? FRAME_HEADER_BYTES;
    const part = bytes.subarray(0, end - this.filled);
    const needed = this.filled + part.length;
    if (needed > this.held.length) {
      // Doubled, so that many small pieces are not copied again with each of them.
      const larger = new Uint8Array(Math.min(end, Math.max(needed, 2 * this.held.length)));
      larger.set(this.held.subarray(0, this.filled));
      this.held = larger;
    }
    this.held.set(part, this.filled);
    this.filled = needed;
    return bytes.subarray(part.length);
  }
}
