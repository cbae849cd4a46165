import { type Logger as PinoLogger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { LogFields, Logger } from '../core/ports/logger.ts';
import { formatLogLine } from './format-log-line.ts';

const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** Lines with a lower level are omitted. */
  level: LogLevel;
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
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
    },
    { write },
  );
  return narrow(logger);
}

/** Only the methods of the port, so that no code depends on others. */
function narrow(logger: PinoLogger): Logger {
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: (fields: LogFields) => narrow(logger.child(fields)),
  };
}
