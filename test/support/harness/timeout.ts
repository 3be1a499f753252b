import { jest } from '@jest/globals';

/** One limit for all tests and hooks: it finds what hangs. How long they take depends on the machine. */
const TEST_TIMEOUT_MS = 900_000;

jest.setTimeout(TEST_TIMEOUT_MS);
