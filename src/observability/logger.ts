import { type Logger as PinoLogger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { LogFields, Logger } from '../core/ports/logger.ts';
import { formatLogLine } from './format-log-line.ts';

export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** Lines below it are left out. */
  level: LogLevel;
  /** `json`: one JSON object a line, for machines; `text`: one readable line, for a terminal. */
  format: 'json' | 'text';
  /** Takes whole lines, for example `process.stdout`. */
  destination: { write(line: string): unknown };
  /** Masks secrets in a text. Asked for every text of every line, so that no field has to be remembered. */
  redact: (text: string) => string;
}

/** The daemon's log. */
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

/** Only what the port names, so that nobody comes to depend on more. */
function narrow(logger: PinoLogger): Logger {
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: (fields: LogFields) => narrow(logger.child(fields)),
  };
}
