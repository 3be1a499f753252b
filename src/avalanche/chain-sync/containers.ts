import { fromHex, toHex } from '../ids/hex.js';
import { containerId as idOfContainer } from '../platformvm/codec/proposervm.js';
import type { Id } from '../platformvm/ids.js';
import type { BlockServers } from './block-servers.js';
import { MisconductError } from './chain-sync.error.js';

const ID_BYTES = 32;

/** An id as a node has sent it. Throws MisconductError. */
export function idOf(bytes: Uint8Array): Id {
  if (bytes.length !== ID_BYTES) throw new MisconductError(`an id of ${bytes.length} bytes`);
  return toHex(bytes);
}

/** A container as `read` takes it, from whoever has it, proved by its hash. Throws ChainSyncError, or the signal's reason. */
export function openContainer<T>(
  servers: BlockServers,
  containerId: Id,
  read: (container: Uint8Array) => T,
  signal: AbortSignal,
): Promise<T> {
  return servers.ask({
    question: { kind: 'get', containerId: fromHex(containerId) },
    accept: (container) => {
      if (idOfContainer(container) === containerId) return read(container);
      throw new MisconductError(`another container than ${containerId}`);
    },
    signal,
  });
}
