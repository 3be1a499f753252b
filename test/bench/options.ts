import { parseArgs } from 'node:util';

const USAGE = `Usage: npm run bench:aggregation -- [options]
  --validators N,N,…  sizes of the sandbox (5,100,1000)
  --internet          930 distant validators of unequal stake, some of them unreachable, and a node that allows few calls
  --baseline FOLDER   with --internet: alternating with another built checkout of the project
  --go-aggregator FILE  with --internet: alternating with the signature-aggregator of icm-services (tested: v0.5.4), built by you
  --quick             few, short rounds: a first impression, not a measurement
  --real              also against five real avalanchego nodes (npm run localnet -- --build-only builds them)`;

export interface BenchOptions {
  validators: readonly number[];
  internet: boolean;
  baseline: string | undefined;
  goAggregator: string | undefined;
  quick: boolean;
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
      real: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { internet, baseline, 'go-aggregator': goAggregator, quick, real } = values;
  const validators = (values.validators ?? (internet ? '930' : '5,100,1000')).split(',').map(Number);
  if (values.help || validators.some((count) => !Number.isInteger(count) || count < 1)) {
    console.error(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  return { validators, internet, baseline, goAggregator, quick, real };
}
