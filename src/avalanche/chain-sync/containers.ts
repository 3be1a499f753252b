import { fromHex, toHex } from '../ids/hex.js';
import { containerId as idOfContainer, unwrapBlock } from '../platformvm/codec/proposervm.js';
import type { Id } from '../platformvm/ids.js';
import { type BlockServers, readSent } from './block-servers.js';
import { MisconductError } from './chain-sync.error.js';
import type { BlockLink, ContainerChain } from './container-chain.js';
import { ID_LENGTH } from '../ids/id.js';

/** An id as a node has sent it. Throws MisconductError. */
export function idOf(bytes: Uint8Array): Id {
  if (bytes.length !== ID_LENGTH) throw new MisconductError(`an id of ${bytes.length} bytes`);
  return toHex(bytes);
}

/** A container as `read` takes it, from whoever has it, proved by its hash. Throws ChainSyncError, or the signal's reason. */
export function openContainer<T>(
  { servers, containerId, hashOf }: { servers: BlockServers; containerId: Id; hashOf: typeof idOfContainer },
  read: (container: Uint8Array) => T,
  signal: AbortSignal,
): Promise<T> {
  return servers.ask({
    question: { kind: 'get', containerId: fromHex(containerId) },
    accept: (container) => {
      if (hashOf(container) === containerId) return read(container);
      throw new MisconductError(`another container than ${containerId}`);
    },
    signal,
  });
}

export interface OpenedBlock extends BlockLink {
  readonly containerId: Id;
  /** Its bytes, without the container. */
  readonly block: Uint8Array;
}

/** The block in a container, proved by its hash. Throws as `openContainer`. */
export function openBlock(
  chain: ContainerChain,
  servers: BlockServers,
  containerId: Id,
  signal: AbortSignal,
): Promise<OpenedBlock> {
  const read = (container: Uint8Array): OpenedBlock => {
    const block = new Uint8Array(unwrapBlock(container).inner);
    return { ...readSent(() => chain.linkOf(block)), containerId, block };
  };
  return openContainer({ servers, containerId, hashOf: idOfContainer }, read, signal);
}
