import { type Logger as PinoLogger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';
import type { LogFields, Logger } from '../domain/ports/logger.ts';
import { escapeText } from '../domain/words/escape-text.ts';

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

// JSON escapes the control characters below 0x20 only; a terminal also interprets these, or they end a line (W6).
const UNSAFE_IN_JSON = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Formats one line of JSON for output. Secrets are masked in every text, and nothing in it controls a terminal or looks
 * like another line. Masking uses the values, not the JSON, so that a secret with quotes or line breaks is found and the
 * line stays valid.
 */
function formatLogLine(line: string, format: 'json' | 'text', redact: (text: string) => string): string {
  const entry = redactJson(JSON.parse(line), redact) as JsonObject;
  return format === 'json' ? JSON.stringify(entry).replace(UNSAFE_IN_JSON, escapeUnits) : renderText(entry);
}

function redactJson(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redact(String(value)) === String(value) ? value : redact(String(value));
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [redact(key), redactJson(child, redact)]));
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** `2026-01-01T00:00:00.000Z WARN  the message  key=value` */
function renderText({ time, level, msg, ...fields }: JsonObject): string {
  const details = Object.entries(fields).map(([key, value]) => `${escapeText(key)}=${renderField(value)}`);
  const label = String(level).toUpperCase().padEnd(5);
  return [`${time} ${label} ${escapeText(String(msg ?? ''))}`, details.join(' ')].filter(Boolean).join('  ');
}

function renderField(value: Json | undefined): string {
  const shown = isError(value) ? value.message : value;
  const text = typeof shown === 'string' && /^[^\s"=]+$/.test(shown) ? shown : JSON.stringify(shown ?? null);
  return escapeText(text);
}

/** The stack is for the JSON log; on a terminal, the message is sufficient. */
function isError(value: Json | undefined): value is { message: string } {
  return isJsonObject(value) && typeof value.message === 'string' && typeof value.stack === 'string';
}
