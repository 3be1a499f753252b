import { CodecError } from '../../src/avalanche/codec/codec.error.js';

/** A node's AppError: a code of the protocol or of one virtual machine. */
export class AppRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = AppRefusal.name;
  }
}

/** Runs a codec; what it refuses becomes this code. */
export function refuseOnCodecError<T>(code: number, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodecError) throw new AppRefusal(code, `${what}: ${error.message}`);
    throw error;
  }
}
