import { parseArgs } from 'node:util';
import { FAULTS } from './faults/all.js';

const USAGE = `Usage: npm run test:faults -- [options]
  --only FAULT,…   only these: ${FAULTS.map(({ name }) => name).join(', ')}
  --minutes N      repeats the faults, each time in a different order, for this many minutes; by default each runs once
  --soak N         N minutes of load, without any fault but those of --only before: memory, handles and connections must not grow
  --from COMMIT    version that the rolling upgrade starts from; default: the newest tag, or the first commit with today's workflows, tables and programs
  --small          one API process, two workers and short pauses: a minute with --only kill-worker
  --internet       the sandbox has 930 distant validators and a slow, rate-limited node
  --seed N         seed of everything random: chains, load, targets of faults (1)
  --report FILE    file for the accounting as JSON (.data/faults/report.json)`;

export interface Options {
  readonly only: readonly string[];
  readonly minutes: number;
  readonly soakMinutes: number | undefined;
  readonly from: string | undefined;
  readonly isSmall: boolean;
  readonly internet: boolean;
  readonly seed: number;
  readonly report: string;
}

/** Ends the process after printing the usage when there is nothing to run. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      minutes: { type: 'string', default: '0' },
      soak: { type: 'string' },
      from: { type: 'string' },
      small: { type: 'boolean', default: false },
      internet: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      report: { type: 'string', default: '.data/faults/report.json' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',') ?? (values.soak === undefined ? FAULTS.map(({ name }) => name) : []);
  const numbers = [values.minutes, values.seed, values.soak ?? '1'].map(Number);
  const isUnknown = (name: string): boolean => FAULTS.every((fault) => fault.name !== name);
  if (values.help || only.some(isUnknown) || numbers.some((number) => !(number >= 0))) {
    console.error(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  return {
    only,
    minutes: Number(values.minutes),
    soakMinutes: values.soak === undefined ? undefined : Number(values.soak),
    from: values.from,
    isSmall: values.small,
    internet: values.internet,
    seed: Number(values.seed),
    report: values.report,
  };
}
