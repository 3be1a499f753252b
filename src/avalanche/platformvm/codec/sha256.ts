import { hash } from 'node:crypto';
import type { Id } from '../ids.js';

/** sha256 as an id. The one-shot form: a block needs several, and a hash object costs more than the hashing. */
export function sha256Id(bytes: Uint8Array): Id {
  return hash('sha256', bytes, 'hex');
}
