import { parseArgs } from 'node:util';

const USAGE = `Usage: npm run bench -- aggregation [options]
  --validators N,N,…  sizes of the sandbox (5,100,1000)
  --internet          930 distant validators of unequal stake, some of them unreachable, and a node that allows few calls
  --baseline FOLDER   with --internet: alternating with another built checkout of the project
  --go-aggregator FILE  with --internet: alternating with the signature-aggregator of icm-services (tested: v0.5.4), built by you
  --quick             few, short rounds: a first impression, not a measurement
  --seconds S         length of a round with --quick (1; with --internet 5)
  --real              also against five real avalanchego nodes (npm run localnet -- --build-only builds them)`;

export interface BenchOptions {
  validators: readonly number[];
  internet: boolean;
  baseline: string | undefined;
  goAggregator: string | undefined;
  /** Length of a round, of which there are few. */
  quickSeconds: number | undefined;
  real: boolean;
}

/** Ends the process after printing the usage when there is nothing to run. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      validators: { type: 'string' },
      internet: { type: 'boolean', default: false },
      baseline: { type: 'string' },
      'go-aggregator': { type: 'string' },
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      real: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { internet, baseline, 'go-aggregator': goAggregator, quick, real } = values;
  const seconds = Number(values.seconds ?? (internet ? 5 : 1));
  const validators = (values.validators ?? (internet ? '930' : '5,100,1000')).split(',').map(Number);
  if (values.help || !(seconds > 0) || validators.some((count) => !Number.isInteger(count) || count < 1)) {
    endWith(USAGE, values.help ? 0 : 2);
  }
  return { validators, internet, baseline, goAggregator, quickSeconds: quick ? seconds : undefined, real };
}

/**
 * Options that are positive numbers, with what they are by default. Ends the process after printing the usage when that is asked
 * for, and with code 2 at anything else that it does not know.
 */
export function parseNumbers<Name extends string>(
  usage: string,
  defaults: Readonly<Record<Name, number>>,
): Record<Name, number> {
  return parseNumbersAndChoice(usage, defaults, []).numbers;
}

/** Beside such numbers some of the given names, all of them if there is none. */
export function parseNumbersAndChoice<Name extends string, Choice extends string>(
  usage: string,
  defaults: Readonly<Record<Name, number>>,
  choices: readonly Choice[],
): { numbers: Record<Name, number>; chosen: readonly Choice[] } {
  const names = Object.keys(defaults);
  const numbers: Record<Name, number> = Object.assign({}, defaults);
  let chosen = choices;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: choices.length > 0,
      options: Object.fromEntries(
        ['help', ...names].map((name) => [name, { type: name === 'help' ? 'boolean' : 'string' }] as const),
      ),
    });
    if (values['help'] === true) endWith(usage, 0);
    for (const name of names) {
      const value = values[name];
      if (value === undefined) continue;
      const number = Number(value);
      if (!(number > 0)) endWith(usage, 2);
      Object.assign(numbers, { [name]: number });
    }
    if (positionals.length > 0) {
      chosen = choices.filter((choice) => positionals.some((given) => given === choice));
    }
    if (chosen.length < positionals.length) endWith(usage, 2);
  } catch {
    endWith(usage, 2);
  }
  return { numbers, chosen };
}

function endWith(usage: string, code: number): never {
  console.error(usage);
  process.exit(code);
}
