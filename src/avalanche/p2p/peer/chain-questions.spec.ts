import { afterEach, describe, expect, it } from '@jest/globals';
import { SIGNATURE_REQUEST_HANDLER_ID } from '../messages/acp118.js';
import type { ChainQuestion } from '../messages/chain-question.js';
import { MAX_ANCESTORS, type P2pMessage, type P2pMessageInit } from '../messages/p2p-message.js';
import { packFrame } from '../messages/message-framing.js';
import { encodeCompressedMessage, encodeMessage } from '../messages/p2p-message.js';
import { chainId, dial, rejection } from '../../../../test/support/p2p/dialled-peer.js';
import { type Session, until } from '../../../../test/support/p2p/scripted-node.js';
import { endStarted, startNode } from '../../../../test/support/p2p/started.js';

const id = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const request = { chainId, timeoutMs: 5_000 };
const ancestorsOf: ChainQuestion = { kind: 'getAncestors', containerId: id(1), engine: 'chain' };
const ancestors = (requestId: number, containers: Uint8Array[]): P2pMessageInit => ({
  case: 'ancestors',
  value: { chainId, requestId, containers },
});

/** Answers every question, each with what belongs to it. */
function respond(message: P2pMessage, session: Session): void {
  switch (message.case) {
    case 'getAccepted': {
      const { requestId, containerIds } = message.value;
      session.send({ case: 'accepted', value: { chainId, requestId, containerIds: containerIds.slice(1) } });
      return;
    }
    case 'getAncestors': {
      const answer = ancestors(message.value.requestId, [message.value.containerId, id(0)]);
      session.sendBytes(packFrame(encodeCompressedMessage(answer)));
      return;
    }
    case 'get': {
      const { requestId, containerId } = message.value;
      session.send({ case: 'put', value: { chainId, requestId, container: containerId } });
      return;
    }
    case 'pullQuery': {
      const { requestId, requestedHeight, containerId } = message.value;
      const value = { chainId, requestId, acceptedId: containerId, acceptedHeight: requestedHeight + 1n };
      session.send({ case: 'chits', value: { ...value, preferredId: id(7), preferredIdAtHeight: id(8) } });
      return;
    }
    default:
      return;
  }
}

afterEach(endStarted);

describe('questions about a chain', () => {
  it('are answered, each by its own kind of message', async () => {
    const node = await startNode({ onChainQuestion: respond });
    const { peer } = await dial(node).ready();
    expect(await peer.ask({ kind: 'getAccepted', containerIds: [id(1), id(2)] }, request)).toEqual([id(2)]);
    expect(await peer.ask(ancestorsOf, request)).toEqual([id(1), id(0)]);
    expect(await peer.ask({ kind: 'get', containerId: id(3) }, request)).toEqual(id(3));
    expect(await peer.ask({ kind: 'pullQuery', containerId: id(4), requestedHeight: 41n }, request)).toEqual({
      acceptedId: id(4),
      acceptedHeight: 42n,
      idAtHeight: id(8),
    });
    expect(node.session.all('getAncestors')[0]).toMatchObject({ engineType: 2, deadline: 5_000_000_000n });
  });

  it('are not answered by more containers than nodes send', async () => {
    const node = await startNode({
      onChainQuestion: (message, session) => {
        if (message.case !== 'getAncestors') return;
        const containers = Array<Uint8Array>(MAX_ANCESTORS + 1).fill(new Uint8Array());
        session.send(ancestors(message.value.requestId, containers));
        session.send(ancestors(message.value.requestId, containers.slice(1)));
      },
    });
    const { peer } = await dial(node).ready();
    expect(await peer.ask(ancestorsOf, request)).toHaveLength(MAX_ANCESTORS);
  });

  it('may have large answers, which take nothing from the allowance', async () => {
    const big = new Uint8Array(500_000);
    const node = await startNode({
      onChainQuestion: (message, session) => {
        if (message.case === 'getAncestors') session.send(ancestors(message.value.requestId, [big]));
      },
    });
    const charged: number[] = [];
    const limits = { inboundBytes: { burst: 10_000, perSecond: 1 } };
    const dialled = await dial(node, limits, { onCharge: (bytes) => charged.push(bytes) }).ready();
    const before = charged.length;
    for (let i = 0; i < 5; i++) expect(await dialled.peer.ask(ancestorsOf, request)).toEqual([big]);
    expect(charged).toHaveLength(before);
    node.session.send(ancestors(1, [big]));
    expect(await dialled.end()).toMatchObject({ kind: 'offence', text: 'sent too many bytes' });
  });

  it('have no allowance left when they were given up', async () => {
    const node = await startNode();
    const limits = { inboundBytes: { burst: 10_000, perSecond: 1 } };
    const dialled = await dial(node, limits).ready();
    const error = await rejection(dialled.peer.ask(ancestorsOf, { ...request, timeoutMs: 1 }));
    expect(error.code).toBe('TIMED_OUT');
    node.session.send(ancestors(1, [new Uint8Array(20_000)]));
    expect(await dialled.end()).toMatchObject({ text: 'sent too many bytes' });
  });

  it('are told from app requests, whatever their handler: those are for chains that we do not run, and ignored', async () => {
    const node = await startNode();
    const { peer } = await dial(node).ready();
    for (const handler of [0, SIGNATURE_REQUEST_HANDLER_ID, 3, 8, 127]) {
      node.session.send({
        case: 'appRequest',
        value: { chainId, requestId: handler, deadline: 10n ** 10n, appBytes: Uint8Array.of(handler, 1) },
      });
    }
    node.session.send({ case: 'getAncestors', value: { chainId, requestId: 6, deadline: 1n } });
    await until(() => node.session.all('ancestors').length > 0, 'our answer to what came after them');
    expect(node.session.all('appError')).toEqual([]);
    expect(node.session.all('appResponse')).toEqual([]);
    expect(peer.isReady).toBe(true);
  });

  it('are answered by us with nothing, at once', async () => {
    const node = await startNode();
    await dial(node).ready();
    node.session.sendBytes(
      packFrame(encodeMessage({ case: 'getAncestors', value: { chainId, requestId: 6, deadline: 1n } })),
    );
    await until(() => node.session.all('ancestors').length > 0, 'our answer');
    expect(node.session.all('ancestors')).toMatchObject([{ chainId, requestId: 6, containers: [] }]);
  });
});
