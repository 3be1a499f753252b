import { parseArgs } from 'node:util';

const USAGE = `Usage: npm run bench:aggregation -- [options]
  --validators N,N,…  sizes of the sandbox (5,100,1000)
  --quick             short rounds and few of them: a look, not a measurement
  --real              also against five real avalanchego nodes (npm run localnet -- --build-only builds them)`;

export interface BenchOptions {
  validators: readonly number[];
  quick: boolean;
  real: boolean;
}

/** Ends the process after printing the usage when there is nothing to run. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      validators: { type: 'string', default: '5,100,1000' },
      quick: { type: 'boolean', default: false },
      real: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const validators = values.validators.split(',').map(Number);
  if (values.help || validators.some((count) => !Number.isInteger(count) || count < 1)) {
    console.error(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  return { validators, quick: values.quick, real: values.real };
}
