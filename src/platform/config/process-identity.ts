import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Distinguishes a process from another one that got the same id later: its start and its command line. Undefined when there is no such
 * process, or when the system does not show (then nothing may be killed by its id).
 */
export function readProcessIdentity(pid: number): string | undefined {
  const startedAt = process.platform === 'linux' ? readLinuxStartTime(pid) : undefined;
  if (process.platform === 'linux') {
    const commandLine = readCommandLine(pid);
    return startedAt === undefined || commandLine === undefined ? undefined : `${startedAt} ${commandLine}`;
  }
  return runPs(pid, 'lstart=,command=');
}

/** The command line with single spaces between its arguments. */
export function readCommandLine(pid: number): string | undefined {
  if (process.platform !== 'linux') return runPs(pid, 'command=');
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Boot id and clock ticks since boot, field 22 of proc(5) `stat`; the second field may itself contain spaces. */
function readLinuxStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [afterName[0], afterName[19]];
    if (state === 'Z' || startTicks === undefined) return undefined; // a zombie holds nothing any more
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId}/${startTicks}`;
  } catch {
    return undefined;
  }
}

function runPs(pid: number, columns: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    const text = execFileSync('ps', ['-ww', '-o', columns, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text.trim() === '' ? undefined : text.trim();
  } catch {
    return undefined;
  }
}
