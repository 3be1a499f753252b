import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Socket {
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

const ESTABLISHED = '01';

/** The established TCP connections of a process over IPv4, as proc(5) shows them. */
export function socketsOf(pid: number): Socket[] {
  const inodes = new Set(
    descriptorsOf(pid).flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []),
  );
  const lines = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').slice(1);
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === ESTABLISHED && inodes.has(fields[9] ?? ''))
    .map(([, local = '', remote = '']) => ({
      localPort: portOf(local),
      remoteAddress: addressOf(remote),
      remotePort: portOf(remote),
    }));
}

/** Kinds of a process's open files. */
export function descriptorsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return []; // closed in this moment
    }
  });
}

function portOf(endpoint: string): number {
  return Number.parseInt(endpoint.split(':')[1] ?? '', 16);
}

/** Hex, the last byte first. */
function addressOf(endpoint: string): string {
  const bytes = endpoint.split(':')[0]?.match(/../g) ?? [];
  return bytes
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}
