import type { Json, JsonObject } from '../domain/json.ts';
import { isJsonObject } from '../domain/json.ts';
import { escapeText } from '../domain/words/escape-text.ts';

// JSON escapes the control characters below 0x20 only; a terminal also interprets these, or they end a line (W6).
const UNSAFE_IN_JSON = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Formats one line of JSON for output. Secrets are masked in every text, and nothing in it controls a terminal or looks
 * like another line. Masking uses the values, not the JSON, so that a secret with quotes or line breaks is found and the
 * line stays valid.
 */
export function formatLogLine(line: string, format: 'json' | 'text', redact: (text: string) => string): string {
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
