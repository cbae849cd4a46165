import { MAX_CONTEXT_CHARACTERS } from '../../../domain/runs/run-context.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import type { Value } from './read-source.ts';

/** One line. A text that is too long is no value: a part of a name or of a URL would be another one. */
export function readContextText(value: Value): string | null {
  if (typeof value !== 'string') return null;
  const text = escapeText(value);
  return text.length > MAX_CONTEXT_CHARACTERS ? null : text;
}

/** A number, or a key such as `ENG-12`. */
export function readContextNumber(value: Value): string | number | null {
  return Number.isSafeInteger(value) ? (value as number) : readContextText(value);
}
