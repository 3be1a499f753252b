import type { Logger } from '../../src/avalanche/logger.js';

const ignore = (): void => undefined;

export const silentLogger: Logger = { debug: ignore, log: ignore, warn: ignore };
