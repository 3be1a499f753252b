import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onCleanup } from './cleanup.js';

/** Stands in front of a server, whose answers come through it as slowly as is wanted. */
export class SlowLink {
  bytesPerSecond = Infinity;

  private constructor(
    /** That of the server, with the link in between. */
    readonly url: string,
    private readonly target: { host: string; port: number },
  ) {}

  static async to(serverUrl: string): Promise<SlowLink> {
    const url = new URL(serverUrl);
    const target = { host: url.hostname, port: Number(url.port) };
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      for (const socket of link.join(near)) {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onCleanup(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port is free');
    url.host = `127.0.0.1:${address.port}`;
    const link = new SlowLink(url.href, target);
    return link;
  }

  private join(near: Socket): Socket[] {
    const far = connect(this.target);
    near.pipe(far);
    far.on('data', (chunk: Buffer) => {
      near.write(chunk);
      if (this.bytesPerSecond === Infinity) return;
      far.pause();
      setTimeout(() => far.resume(), (1_000 * chunk.length) / this.bytesPerSecond);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.end());
    }
    return [near, far];
  }
}
