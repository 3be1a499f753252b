import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { choosePort, freePort, releasePort } from './ports.js';

describe(choosePort.name, () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function occupy(port: number, host: string): Promise<void> {
    const server = createServer().listen(port, host);
    servers.push(server);
    await once(server, 'listening');
  }

  async function unusedPort(): Promise<number> {
    const port = await freePort();
    releasePort(port);
    return port;
  }

  it('takes the preferred port when it is free', async () => {
    const port = await unusedPort();
    expect(await choosePort(port)).toBe(port);
  });

  it.each(['127.0.0.1', '0.0.0.0'])('steps over a port that is in use on %s', async (host) => {
    const port = await unusedPort();
    await occupy(port, host);
    expect(await choosePort(port)).toBeGreaterThan(port);
  });

  it('does not give the same port out twice before it is released', async () => {
    const port = await unusedPort();
    const [first, second] = await Promise.all([choosePort(port), choosePort(port)]);
    expect(first).not.toBe(second);
    releasePort(port);
    expect(await choosePort(port)).toBe(port);
  });
});

describe(freePort.name, () => {
  it('gives ports that no outgoing connection is given', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    // Linux begins there unless configured otherwise, macOS and Windows at 49,152.
    expect(ports.filter((port) => port >= 32_768)).toEqual([]);
    expect(new Set(ports).size).toBe(50);
  });
});
