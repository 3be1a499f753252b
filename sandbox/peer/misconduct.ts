import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { packFrame } from '../../src/avalanche/p2p/messages/message-framing.js';
import {
  encodeCompressedMessage,
  type P2pMessageInit,
} from '../../src/avalanche/p2p/messages/p2p-message.js';
import type { AppRequest } from '../../src/avalanche/proto/generated/p2p_pb.js';
import type { PeerSession } from './peer-session.js';

const GARBAGE_FRAMES = 10;
const GARBAGE_FRAME_BYTES = 1_000;

const DEFAULT_FLOOD_MESSAGES = 2_000;
const FLOOD_BODY_BYTES = 4_096;

/** Frames of legal length that hold no message, an empty one, and one that announces 4 GiB. */
export function sendGarbageFrames(session: PeerSession): void {
  for (let i = 0; i < GARBAGE_FRAMES; i++) session.write(packFrame(randomBytes(GARBAGE_FRAME_BYTES)));
  session.write(packFrame(new Uint8Array()));
  session.write(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 1, 2, 3));
}

const GOSSIP_BODY_BYTES = 64 * 1024;

/** Gossip to all who are connected at the time, at that rate to each; a client that does not keep up gets less. */
export function startGossip(sessions: () => Iterable<PeerSession>, bytesPerSecond: number): NodeJS.Timeout {
  const appBytes = randomBytes(GOSSIP_BODY_BYTES);
  const message: P2pMessageInit = { case: 'appGossip', value: { chainId: randomBytes(32), appBytes } };
  // Made once: a sandbox has more to do than to compress.
  const frame = packFrame(encodeCompressedMessage(message));
  return setInterval(
    () => {
      for (const session of sessions()) {
        if (session.isReady && !session.socket.writableNeedDrain) session.write(frame);
      }
    },
    (GOSSIP_BODY_BYTES / bytesPerSecond) * 1_000,
  );
}

/** Messages that nobody asked for, as fast as the other side takes them. */
export async function flood(
  session: PeerSession,
  request: AppRequest,
  messages = DEFAULT_FLOOD_MESSAGES,
): Promise<void> {
  for (let i = 0; i < messages && !session.isClosed; i++) {
    const hasRoom = session.send(floodMessage(request, i));
    if (!hasRoom && !session.isClosed) await drained(session);
  }
}

function floodMessage({ chainId, requestId }: AppRequest, i: number): P2pMessageInit {
  const appBytes = randomBytes(FLOOD_BODY_BYTES);
  switch (i % 4) {
    case 0:
      return { case: 'appGossip', value: { chainId, appBytes } };
    case 1:
      return { case: 'appResponse', value: { chainId, requestId: requestId + 2 * i + 2, appBytes } };
    case 2:
      return { case: 'peerList', value: { claimedIpPorts: [] } };
    default:
      return { case: 'ping', value: { uptime: 100 } };
  }
}

async function drained({ socket }: PeerSession): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  // 'close' comes when the other side gives up on us; 'error', which is followed by it, rejects.
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(
    () => undefined,
  );
  waiting.abort();
}
