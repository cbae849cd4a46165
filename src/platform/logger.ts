import { type Logger as PinoLogger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { LogFields, Logger } from '../domain/ports/logger.ts';
import { formatLogLine } from './format-log-line.ts';

/** From the lowest to the highest. */
const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** Lines with a lower level are omitted. Read for each line, so a change takes effect immediately. */
  level(): LogLevel;
  /** `json`: one JSON object per line, for machines; `text`: one readable line, for a terminal. */
  format: 'json' | 'text';
  /** Receives whole lines, for example `process.stdout`. */
  destination: { write(line: string): unknown };
  /** Masks secrets in a text. Called for every text of every line, so that no field can be forgotten. */
  redact: (text: string) => string;
}

/** Creates the log of the daemon. */
export function createLogger({ level, format, destination, redact }: LoggerOptions): Logger {
  const write = (line: string) => {
    destination.write(`${formatLogLine(line, format, redact)}\n`);
  };
  const logger = pino(
    {
      level: LOG_LEVELS[0],
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
    },
    { write },
  );
  return narrow(logger, (of) => LOG_LEVELS.indexOf(of) >= LOG_LEVELS.indexOf(level()));
}

/** Only the methods of the port, so that no code depends on others. */
function narrow(logger: PinoLogger, isLogged: (level: LogLevel) => boolean): Logger {
  const write = (level: Exclude<LogLevel, 'silent'>) => (fields: LogFields, message: string) => {
    if (isLogged(level)) logger[level](fields, message);
  };
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields: LogFields) => narrow(logger.child(fields), isLogged),
  };
}
