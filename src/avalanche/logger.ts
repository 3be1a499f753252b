/** What happens, told to people: the one interface for it. Nest's logger is one. */
export interface Logger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
}

const ignore = (): void => undefined;

/** For code without a logger. */
export const silentLogger: Logger = { debug: ignore, log: ignore, warn: ignore };
