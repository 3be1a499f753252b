import type { LoggerService } from '@nestjs/common';
import type { LogLevel as TemporalLogLevel, LogMetadata, Logger as TemporalLogger } from '@temporalio/common';
import { inspect } from 'node:util';
import { pino, stdSerializers } from 'pino';
import { factsOfWork } from './log-context.js';
import { tracing } from '../tracing/tracing.js';

const { LOG_LEVEL: wanted = '' } = process.env;
const { levels } = pino;

const log = pino({
  // Others than those of the schema are left to it, which names the variable.
  level: wanted === 'silent' || Object.hasOwn(levels.values, wanted) ? wanted : 'info',
  base: null,
  formatters: { level: (level) => ({ level }) },
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: stdSerializers.errWithCause },
  // A copy: pino puts the line's own facts into it.
  mixin: () => {
    const traceId = tracing()?.traceId();
    return { ...factsOfWork(), ...(traceId === undefined ? {} : { traceId }) };
  },
});

type Level = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'trace';

/** Nest's logger interface on pino: one JSON line per entry, the class that logs as `context`. */
export const nestLogger: LoggerService = {
  log: (message: unknown, ...rest: unknown[]) => write('info', message, rest),
  error: (message: unknown, ...rest: unknown[]) => write('error', message, rest),
  warn: (message: unknown, ...rest: unknown[]) => write('warn', message, rest),
  debug: (message: unknown, ...rest: unknown[]) => write('debug', message, rest),
  verbose: (message: unknown, ...rest: unknown[]) => write('trace', message, rest),
  fatal: (message: unknown, ...rest: unknown[]) => write('fatal', message, rest),
};

/** It throws once more what keeps it from starting, and who catches that logs it. */
const RETHROWN_CONTEXT = 'ExceptionHandler';

/** Nest's own lines about its start: one per module and route. */
const FRAMEWORK_CONTEXTS: ReadonlySet<string> = new Set([
  'NestFactory',
  'NestApplication',
  'InstanceLoader',
  'RouterExplorer',
  'RoutesResolver',
]);

/**
 * Nest appends the context as the last argument, and puts a stack or further values before it. Of an error in a hook of the end it gives
 * the stack alone.
 */
function write(level: Level, message: unknown, rest: unknown[]): void {
  const last = rest.at(-1);
  const context = message instanceof Error && last === message.stack ? undefined : last;
  if (context === RETHROWN_CONTEXT) return;
  if (level === 'info' && typeof context === 'string' && FRAMEWORK_CONTEXTS.has(context)) level = 'debug';
  const [detail] = rest.slice(0, -1);
  const facts = {
    ...(typeof context === 'string' ? { context } : {}),
    ...(typeof message === 'object' && message !== null && !(message instanceof Error) ? message : {}),
  };
  if (message instanceof Error) {
    log[level]({ ...facts, err: message }, message.message);
  } else if (typeof message === 'object') {
    log[level](facts, typeof detail === 'string' ? detail : '');
  } else {
    log[level](
      typeof detail === 'string' ? { ...facts, detail } : facts,
      typeof message === 'string' ? message : inspect(message),
    );
  }
}

const TEMPORAL_LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/** The same for Temporal's runtime: workflow `log.*`, activities and the SDK's core. */
export const temporalLogger: TemporalLogger = {
  log: (level, message, meta) => writeTemporal(level, message, meta),
  trace: (message, meta) => writeTemporal('TRACE', message, meta),
  debug: (message, meta) => writeTemporal('DEBUG', message, meta),
  info: (message, meta) => writeTemporal('INFO', message, meta),
  warn: (message, meta) => writeTemporal('WARN', message, meta),
  error: (message, meta) => writeTemporal('ERROR', message, meta),
};

/** The SDK's warning about a worker that has activities alone; some of ours have no more on purpose. */
const ACTIVITIES_ONLY = 'No workflows registered, not polling for workflow tasks';

function writeTemporal(level: TemporalLogLevel, message: string, meta?: LogMetadata): void {
  const { error, ...facts } = meta ?? {};
  if (message === ACTIVITIES_ONLY) level = 'DEBUG';
  log[TEMPORAL_LEVELS[level]](
    { context: 'Temporal', ...facts, ...(error === undefined ? {} : { err: asError(error) }) },
    message,
  );
}

function asError(error: unknown): unknown {
  return error instanceof Error ? error : { message: String(error) };
}
