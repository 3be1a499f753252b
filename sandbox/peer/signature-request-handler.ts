import {
  APP_ERROR_CODES,
  SIGNATURE_REQUEST_HANDLER_ID,
  unpackSignatureRequest,
} from '../../src/avalanche/p2p/messages/acp118.js';
import { P2pError } from '../../src/avalanche/p2p/p2p.error.js';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { EMPTY_ID } from '../../src/avalanche/ids/id.js';
import { unpackPayload } from '../../src/avalanche/warp/payload/payload.js';
import { unpackUnsignedMessage, type UnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import type { World } from '../world/world.js';
import { AppRefusal, refuseOnCodecError } from './app-refusal.js';
import { verifyPChainMessage } from './p-chain-verifier.js';

/** Code of coreth and subnet-evm v1.14.2 for a payload they do not know. */
const EVM_UNPARSABLE_PAYLOAD = 1;

/** Code of the C-chain of v1.15.0 for a message of no block that it has executed. */
const EVM_UNKNOWN_MESSAGE = 3;
export const UNKNOWN_BLOCK_PREFIX = 'ffffffff';

export interface AppRequestToNode {
  readonly nodeId: string;
  readonly chainId: Uint8Array;
  readonly requestId: number;
  readonly appBytes: Uint8Array;
}

/**
 * Answers an app request as a validator: the bytes of the message that it would sign, or `undefined` where nodes do not answer at all.
 * Which behaviour it then shows is for others to decide. Throws AppRefusal.
 */
export function messageToSign(world: World, request: AppRequestToNode): Uint8Array | undefined {
  const chain = chainOf(world, request);
  if (chain === undefined) return undefined;
  // EVM chains hand even ids to an older protocol, which does not understand the rest.
  if (chain === 'evm' && request.requestId % 2 === 0) return undefined;
  if (chain === 'avm' || request.appBytes[0] !== SIGNATURE_REQUEST_HANDLER_ID) {
    throw new AppRefusal(APP_ERROR_CODES.unregisteredHandler, 'unregistered handler');
  }
  const { message, justification } = readRequest(request.appBytes);
  const unsigned = refuseOnCodecError(
    APP_ERROR_CODES.unexpected,
    'failed to parse warp unsigned message',
    () => unpackUnsignedMessage(message),
  );
  if (chain === 'platform') verifyPChainMessage(world, unsigned.payload, justification);
  else verifyEvmMessage(unsigned.payload);
  verifySource(world, request.chainId, unsigned);
  return message;
}

type ChainKind = 'platform' | 'avm' | 'evm';

/** Undefined for a chain that this node does not run. */
function chainOf(world: World, { chainId, nodeId }: AppRequestToNode): ChainKind | undefined {
  switch (toHex(chainId)) {
    case toHex(EMPTY_ID):
      return 'platform';
    case toHex(world.xChainId):
      return 'avm';
    case toHex(world.cChainId):
      return 'evm';
    case toHex(world.l1.blockchainId):
      return world.tracksL1(nodeId) ? 'evm' : undefined;
    default:
      return undefined;
  }
}

/**
 * Real EVM nodes sign what their chain accepted; this one has no chain and signs whatever is well-formed, but for the hashes of
 * blocks that it does not know: those that begin with four bytes of ff.
 */
function verifyEvmMessage(payload: Uint8Array): void {
  const unpacked = refuseOnCodecError(EVM_UNPARSABLE_PAYLOAD, 'failed to parse payload', () =>
    unpackPayload(payload),
  );
  if (unpacked.kind === 'hash' && toHex(unpacked.hash).startsWith(UNKNOWN_BLOCK_PREFIX)) {
    throw new AppRefusal(EVM_UNKNOWN_MESSAGE, 'unknown message');
  }
}

/** The signer's own checks, which come last and in this order (avalanchego v1.14.2 vms/platformvm/warp/signer.go). */
function verifySource(
  world: World,
  chainId: Uint8Array,
  { sourceChainId, networkId }: UnsignedMessage,
): void {
  const wrong =
    toHex(sourceChainId) !== toHex(chainId)
      ? 'wrong SourceChainID'
      : networkId !== world.networkId
        ? 'wrong networkID'
        : undefined;
  if (wrong !== undefined) {
    throw new AppRefusal(APP_ERROR_CODES.unexpected, `failed to sign message: ${wrong}`);
  }
}

function readRequest(appBytes: Uint8Array) {
  try {
    return unpackSignatureRequest(appBytes);
  } catch (error) {
    if (!(error instanceof P2pError)) throw error;
    throw new AppRefusal(APP_ERROR_CODES.unexpected, `failed to unmarshal request: ${error.message}`);
  }
}
