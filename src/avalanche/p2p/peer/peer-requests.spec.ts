import { afterEach, describe, expect, it } from '@jest/globals';
import type { PeerRequestError } from '../peer-request.error.js';
import { packFrame } from '../messages/message-framing.js';
import { encodeCompressedMessage } from '../messages/p2p-message.js';
import { SharedMemory } from './peer-limits.js';
import { MAX_APP_ERROR_MESSAGE_CHARS } from './pending-requests.js';
import {
  answer,
  chainId,
  dial,
  echo,
  rejection,
  request,
} from '../../../../test/support/p2p/dialled-peer.js';
import { until } from '../../../../test/support/p2p/scripted-node.js';
import { endStarted, startNode } from '../../../../test/support/p2p/started.js';

afterEach(endStarted);

describe('requests to a peer', () => {
  it('are answered by the peer', async () => {
    const node = await startNode({ onAppRequest: echo });
    const { peer } = await dial(node).ready();
    expect(await peer.request(request)).toEqual(request.appBytes);
    const [sent] = node.session.all('appRequest');
    expect(sent).toMatchObject({ chainId, appBytes: request.appBytes, deadline: 25_000_000_000n });
    expect(sent!.requestId % 2).toBe(1);
  });

  it('have an answer that keeps nothing of the message around it', async () => {
    const node = await startNode({ onAppRequest: echo });
    const { peer } = await dial(node).ready();
    const body = await peer.request(request);
    expect(body.buffer.byteLength).toBe(request.appBytes.length);
  });

  it('never have a deadline of zero, which nodes drop', async () => {
    const node = await startNode({ onAppRequest: echo });
    const { peer } = await dial(node).ready();
    await peer.request({ ...request, timeoutMs: 1e-7 }).catch(() => undefined);
    await until(() => node.session.all('appRequest').length > 0);
    expect(node.session.all('appRequest')[0]!.deadline).toBe(1n);
    expect(await rejection(peer.request({ ...request, timeoutMs: 0 }))).toMatchObject({
      code: 'TIMED_OUT',
    });
    expect(await rejection(peer.request({ ...request, timeoutMs: NaN }))).toMatchObject({
      code: 'TIMED_OUT',
    });
  });

  it('are answered when the answer is compressed', async () => {
    const node = await startNode({
      onAppRequest: ({ requestId, appBytes }, session) =>
        session.sendBytes(packFrame(encodeCompressedMessage(answer(requestId, appBytes)))),
    });
    const { peer } = await dial(node).ready();
    expect(await peer.request(request)).toEqual(request.appBytes);
  });

  it.each([-1, -2, -3, -4, 0, 1, 17, 2 ** 31 - 1, -(2 ** 31)])(
    'are refused with code %d',
    async (errorCode) => {
      const node = await startNode({
        onAppRequest: ({ requestId }, session) =>
          session.send({
            case: 'appError',
            value: { chainId, requestId, errorCode, errorMessage: 'not today' },
          }),
      });
      const { peer } = await dial(node).ready();
      const error = await rejection(peer.request(request));
      expect(error).toMatchObject({
        code: 'APP_ERROR',
        appErrorCode: errorCode,
        appErrorMessage: 'not today',
      });
    },
  );

  it('are refused in bounded, printable words', async () => {
    const node = await startNode({
      onAppRequest: ({ requestId }, session) =>
        session.send({
          case: 'appError',
          value: {
            chainId,
            requestId,
            errorCode: 1,
            errorMessage: `\u001b[31m\n\u202e${'é🙂'.repeat(100_000)}`,
          },
        }),
    });
    const { peer } = await dial(node).ready();
    const { appErrorMessage } = await rejection(peer.request(request));
    expect(appErrorMessage.startsWith('\ufffd[31m\ufffd\ufffdé🙂é')).toBe(true);
    expect(Array.from(appErrorMessage)).toHaveLength(MAX_APP_ERROR_MESSAGE_CHARS);
  });

  it('go out five hundred at a time, and are distinguished whatever the order of the answers', async () => {
    const node = await startNode({
      onAppRequest: (_, session) => {
        const requests = session.all('appRequest');
        if (requests.length === 500) {
          session.send(...requests.reverse().map(({ requestId, appBytes }) => answer(requestId, appBytes)));
        }
      },
    });
    const { peer } = await dial(node).ready();
    const bodies = Array.from({ length: 500 }, (_, i) => Uint8Array.of(2, i >> 8, i & 255));
    const answers = await Promise.all(bodies.map((appBytes) => peer.request({ ...request, appBytes })));
    expect(answers).toEqual(bodies);
    const ids = node.session.all('appRequest').map(({ requestId }) => requestId);
    expect(new Set(ids).size).toBe(500);
    expect(ids.every((id) => id % 2 === 1)).toBe(true);
  });

  it('are refused beyond a bounded number', async () => {
    const node = await startNode();
    const { peer } = await dial(node, { maxInFlightRequests: 2 }).ready();
    const first = [peer.request(request), peer.request(request)];
    expect(await rejection(peer.request(request))).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    await until(() => node.session.all('appRequest').length === 2);
    node.session.all('appRequest').forEach(({ requestId }) => node.session.send(answer(requestId, chainId)));
    await Promise.all(first);
    const next = peer.request(request);
    await until(() => node.session.all('appRequest').length === 3);
    node.session.send(answer(node.session.all('appRequest')[2]!.requestId, chainId));
    await next;
  });

  it('time out, and a late answer does no harm', async () => {
    const node = await startNode();
    const { peer } = await dial(node).ready();
    expect(await rejection(peer.request({ ...request, timeoutMs: 30 }))).toMatchObject({
      code: 'TIMED_OUT',
    });
    const next = peer.request(request);
    await until(() => node.session.all('appRequest').length === 2);
    const [late, current] = node.session.all('appRequest');
    node.session.send(answer(late!.requestId, Uint8Array.of(1)));
    node.session.send(answer(current!.requestId, Uint8Array.of(2)));
    node.session.send(answer(current!.requestId, Uint8Array.of(3)));
    expect(await next).toEqual(Uint8Array.of(2));
    expect(peer.isReady).toBe(true);
  });

  it('ignore an answer from another chain or to another request', async () => {
    const node = await startNode();
    const { peer } = await dial(node).ready();
    const pending = peer.request(request);
    await until(() => node.session.all('appRequest').length === 1);
    const { requestId } = node.session.all('appRequest')[0]!;
    node.session.send(
      answer(requestId, Uint8Array.of(1), new Uint8Array(32)),
      answer(requestId, Uint8Array.of(1), chainId.subarray(1)),
      answer(requestId + 1, Uint8Array.of(1)),
      { case: 'appError', value: { chainId: new Uint8Array(), requestId, errorCode: 1, errorMessage: '' } },
      answer(requestId, Uint8Array.of(2)),
    );
    expect(await pending).toEqual(Uint8Array.of(2));
  });

  it('end with the connection, each once', async () => {
    const node = await startNode();
    const dialled = await dial(node).ready();
    const pending = Array.from({ length: 20 }, () => rejection(dialled.peer.request(request)));
    await until(() => node.session.all('appRequest').length === 20);
    node.session.socket.destroy();
    const errors = await Promise.all(pending);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['DISCONNECTED']));
    expect((await dialled.end()).kind).toBe('lost');
    expect(await rejection(dialled.peer.request(request))).toMatchObject({ code: 'NOT_CONNECTED' });
  });

  it('are aborted by their signal', async () => {
    const node = await startNode();
    const { peer } = await dial(node).ready();
    const controller = new AbortController();
    const pending = rejection(peer.request({ ...request, signal: controller.signal }));
    controller.abort();
    expect(await pending).toMatchObject({ code: 'ABORTED' });
    expect(await rejection(peer.request({ ...request, signal: controller.signal }))).toMatchObject({
      code: 'ABORTED',
    });
  });

  it('may be answered late by the hundred after they were aborted', async () => {
    const node = await startNode();
    const limits = { unaskedMessages: { burst: 50, perSecond: 1 } };
    const { peer } = await dial(node, limits).ready();
    const controller = new AbortController();
    const pending = Array.from({ length: 200 }, () =>
      rejection(peer.request({ ...request, signal: controller.signal })),
    );
    await until(() => node.session.all('appRequest').length === 200);
    controller.abort();
    await Promise.all(pending);
    node.session
      .all('appRequest')
      .forEach(({ requestId }) => node.session.send(answer(requestId, Uint8Array.of(1))));
    const last = peer.request(request);
    await until(() => node.session.all('appRequest').length === 201);
    node.session.send(answer(node.session.all('appRequest')[200]!.requestId, Uint8Array.of(2)));
    expect(await last).toEqual(Uint8Array.of(2));
  });

  it('are refused while the node does not read', async () => {
    const node = await startNode();
    const { peer } = await dial(node).ready();
    node.session.socket.pause();
    const appBytes = new Uint8Array(512 * 1024);
    let error: PeerRequestError | undefined;
    // The operating system takes some megabytes before the bytes wait here.
    for (let i = 0; i < 200 && error === undefined; i++) {
      peer.request({ ...request, appBytes }).catch((reason: PeerRequestError) => (error = reason));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(error).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(peer.isReady).toBe(true);
  });

  it('are refused while unread ones take more memory than all connections have, until they are read', async () => {
    const unreadMemory = new SharedMemory(3 * 1024 * 1024);
    const limits = { maxOutboundBytes: Infinity };
    const large = { ...request, appBytes: new Uint8Array(512 * 1024) };
    const slow = await startNode();
    const { peer: hog } = await dial(slow, limits, { unreadMemory }).ready();
    const quick = await startNode({ onAppRequest: echo });
    const { peer } = await dial(quick, limits, { unreadMemory }).ready();
    slow.session.socket.pause();
    let error: PeerRequestError | undefined;
    let sent = 0;
    // The operating system takes some megabytes before the bytes wait here.
    for (; sent < 200 && error === undefined; sent++) {
      hog.request(large).catch((reason: PeerRequestError) => (error = reason));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(error).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(await peer.request(request)).toEqual(request.appBytes);
    expect(await rejection(peer.request(large))).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    slow.session.socket.resume();
    await until(() => slow.session.all('appRequest').length === sent - 1);
    expect(await peer.request(large)).toEqual(large.appBytes);
  });
});
