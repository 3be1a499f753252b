import { createHmac } from 'node:crypto';

/**
 * The id of the operation that a caller and his Idempotency-Key stand for. Under a secret, so that nobody who guesses a key finds the
 * operation. Marked as a random UUID (version 4), which it cannot be distinguished from: older checks know no other kind.
 */
export function makeOperationId(secret: Uint8Array, idempotencyKey: string): string {
  const bytes = createHmac('sha256', secret).update(idempotencyKey).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
