import { describeBenchmarks } from '../support/harness/small-benchmarks.js';

describeBenchmarks('lists');
