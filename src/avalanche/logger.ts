/** The one interface for log lines. Nest's logger is one. */
export interface Logger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
}
