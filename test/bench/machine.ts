import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** Description of the machine. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpu?.model.trim() ?? 'unknown CPU'}, ${cpus().length} cores, ${memory}, Node ${process.versions.node}, ${process.platform}`;
}

/** Clock ticks per second that Linux counts processor time in, on every architecture that Node runs on. */
const TICK_MS = 10;

/** Processor time that a process has used so far, all of its threads together; NaN where the system does not report it. */
export function processorMsOf(processId: number | undefined): number {
  try {
    // After the name in parentheses, which may contain anything: the 12th and 13th field are user and system time.
    const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return NaN;
  }
}
