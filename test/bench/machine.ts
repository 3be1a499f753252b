import { cpus, totalmem } from 'node:os';

/** What the numbers were measured on. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpu?.model.trim() ?? 'unknown CPU'}, ${cpus().length} cores, ${memory}, Node ${process.versions.node}, ${process.platform}`;
}
