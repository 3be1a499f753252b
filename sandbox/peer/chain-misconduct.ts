import { unwrapBlock, wrapBlock } from '../../src/avalanche/platformvm/codec/proposervm.js';
import type { ChainBehaviour } from '../chain-behaviour.js';
import { deriveBytes } from '../derived-keys.js';

/** Of containers and blocks, behind the codec version and the type id: a part of an id or a time, with which they can still be read. */
const FORGED_OFFSET = 6;

const OTHER_SIGNATURE = new Uint8Array(64).fill(7);
const IRRELEVANT_CONTAINER = Uint8Array.of(7);

/** Id of no container, the same for all nodes: liars may be many. */
export const INVENTED_ID = deriveBytes('invented container');
/** Between the last block and the invented one. */
export const INVENTED_HEIGHTS = 1_000n;

/** Containers as a node of this behaviour sends them. */
export function misrepresent(behaviour: ChainBehaviour, containers: readonly Uint8Array[]): Uint8Array[] {
  switch (behaviour.kind) {
    case 'broken-link':
      return withOtherMiddle(containers);
    case 'forged':
      return containers.map(forge);
    case 'changed-signature':
      return containers.map(withOtherSignature);
    case 'endless':
      return [...containers, ...new Array<Uint8Array>(behaviour.containers).fill(IRRELEVANT_CONTAINER)];
    default:
      return [...containers];
  }
}

function withOtherMiddle(containers: readonly Uint8Array[]): Uint8Array[] {
  const [first] = containers;
  if (first === undefined) return [];
  return containers.with(Math.floor(containers.length / 2), first);
}

function forge(container: Uint8Array): Uint8Array {
  return container.map((byte, offset) => (offset === FORGED_OFFSET ? byte ^ 0xff : byte));
}

function withOtherSignature(container: Uint8Array): Uint8Array {
  const { envelope } = unwrapBlock(container);
  if (envelope?.type !== 'block') return container;
  const { type, parentId, timestamp, pChainHeight, certificate, inner, epoch } = envelope;
  const signature = OTHER_SIGNATURE;
  return epoch === null
    ? wrapBlock({ type, parentId, timestamp, pChainHeight, certificate, inner, epoch, signature })
    : wrapBlock({ type, parentId, timestamp, pChainHeight, certificate, inner, epoch, signature });
}
