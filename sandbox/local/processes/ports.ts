import { connect, createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';
const MAX_PORT = 65_535;
const TRIES_AFTER_PREFERRED = 100;

/** Ports handed out by this process: two servers that are being started at the same time must not get the same one. */
const handedOut = new Set<number>();

/**
 * The preferred port if nothing listens on it, else the next free one above it; any free one for 0.
 * Another program can still take the port before its user binds it; servers that fail for that reason are started anew
 * with another port by their starters.
 */
export async function choosePort(preferred: number): Promise<number> {
  if (preferred === 0) return freePort();
  const last = Math.min(preferred + TRIES_AFTER_PREFERRED, MAX_PORT);
  for (let port = preferred; port <= last; port += 1) {
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if (await isFree(port)) return port;
    handedOut.delete(port);
  }
  throw new Error(`no free port between ${preferred} and ${last} on ${LOOPBACK}`);
}

/** Any free port, chosen by the operating system. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await bindAndRelease(0);
    if (port !== undefined && !handedOut.has(port)) {
      handedOut.add(port);
      return port;
    }
  }
}

/** Makes a port available again to `choosePort`, once the server that used it has ended. */
export function releasePort(port: number): void {
  handedOut.delete(port);
}

async function isFree(port: number): Promise<boolean> {
  // Some systems let a second program bind 127.0.0.1:P while another one listens on 0.0.0.0:P, hence both questions.
  return !(await isAnswered(port)) && (await bindAndRelease(port)) !== undefined;
}

/** Whether something takes connections there. */
export function isAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

function bindAndRelease(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      const address = server.address();
      const bound = address !== null && typeof address === 'object' ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });
}
