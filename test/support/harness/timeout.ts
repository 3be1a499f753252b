import { jest } from '@jest/globals';

/** Starting servers takes its time on a busy machine; tests of one function have the thirty of jest.config.mjs. */
const TEST_TIMEOUT_MS = 120_000;

jest.setTimeout(TEST_TIMEOUT_MS);
