import { Transform } from 'node:stream';
import { API_TOKEN_TEXT, RUN_TOKEN_TEXT } from '../../domain/access/access.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { ByteMatcher } from './byte-matcher.ts';
import { compileByteMatcher } from './byte-matcher.ts';
import { jsonFormsOf } from './json-forms.ts';

/** The text that replaces a value. */
export const REDACTION_MARK = '[redacted]';
/** Shorter values are not masked: they would occur everywhere in ordinary text. */
const SHORTEST_MASKED_CHARACTERS = 4;
/** Minimum length from which single lines of a multi-line value are masked. */
const SHORTEST_MASKED_LINE_CHARACTERS = 8;

const ANY_TOKEN = new RegExp(`${API_TOKEN_TEXT.source}|${RUN_TOKEN_TEXT.source}`, 'g');

/**
 * Masks values in text (threat model S2). API tokens and tokens of runs are recognized by their form: only their hashes are stored, and a user
 * may type one in the wrong place, for example in a path.
 */
export interface Redactor {
  /** Masks this value from now on. */
  add(value: SecretValue): void;
  redactText(text: string): string;
}

/** Creates a redactor to which values can be added at any time. */
export function createRedactor(): Redactor {
  const forms = new Set<string>();
  let matcher: ByteMatcher | null = null;
  return {
    add: (value) => {
      const before = forms.size;
      for (const form of formsOf(value)) forms.add(form);
      if (forms.size > before) matcher = null;
    },
    redactText: (text) => {
      const tokenless = text.replace(ANY_TOKEN, REDACTION_MARK);
      if (forms.size === 0) return tokenless;
      matcher ??= compileForms(forms);
      return maskText(matcher, tokenless);
    },
  };
}

/**
 * Masks these values in a stream of bytes, also if a value is split over chunks. Everything else passes unchanged, text or
 * not. Only bytes that may still become a value are held back until the next chunk or the end.
 */
export function createRedactingTransform(values: Iterable<SecretValue>): Transform {
  const masker = createMasker(compileForms([...values].flatMap((value) => [...formsOf(value)])));
  return new Transform({
    decodeStrings: true,
    transform: (chunk: Buffer, _encoding, done) => done(null, masker.push(chunk)),
    flush: (done) => done(null, masker.end()),
  });
}

/**
 * The forms of a value in output: unchanged, inside a JSON string of each common library, and for a multi-line value each longer line (a key
 * printed with indentation is the same key).
 */
function* formsOf(value: SecretValue): Generator<string> {
  const text = value.reveal();
  if (text.length < SHORTEST_MASKED_CHARACTERS) return;
  yield* withJsonForms(text);
  if (!/[\r\n]/.test(text)) return;
  for (const line of text.split(/[\r\n]+/)) {
    const trimmed = line.trim();
    if (trimmed.length >= SHORTEST_MASKED_LINE_CHARACTERS) yield* withJsonForms(trimmed);
  }
}

function* withJsonForms(text: string): Generator<string> {
  yield text;
  yield* jsonFormsOf(text);
}

function compileForms(forms: Iterable<string>): ByteMatcher {
  return compileByteMatcher([...new Set(forms)].map((form) => Buffer.from(form, 'utf8')));
}

function maskText(matcher: ByteMatcher, text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (!hasMatch(matcher, bytes)) return text;
  const masker = createMasker(matcher);
  return Buffer.concat([masker.push(bytes), masker.end()]).toString('utf8');
}

function hasMatch(matcher: ByteMatcher, bytes: Buffer): boolean {
  let state = 0;
  for (let index = matcher.firstRelevant(bytes); index < bytes.length; index += 1) {
    state = matcher.next(state, bytes[index]!);
    if (matcher.matchedBytes(state) > 0) return true;
  }
  return false;
}

interface Masker {
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

/** A stretch of bytes to be masked, `end` exclusive, counted from the first byte that was held back. */
interface Stretch {
  start: number;
  end: number;
}

/** Overlapping values get one mark, so that no part of the second one stays readable. */
function createMasker(matcher: ByteMatcher): Masker {
  let state = 0;
  let held: Buffer = Buffer.alloc(0);
  let stretches: Stretch[] = [];

  /** Releases everything before `limit`, with marks for stretches that begin up to there. */
  const release = (data: Buffer, limit: number): Buffer => {
    const parts: Buffer[] = [];
    let position = 0;
    while (stretches.length > 0 && stretches[0]!.start <= limit) {
      const { start, end } = stretches.shift()!;
      // A stretch that begins before the held bytes continues one whose mark was released.
      if (start >= position) parts.push(data.subarray(position, start), MARK);
      position = Math.max(position, end);
    }
    if (limit > position) parts.push(data.subarray(position, limit));
    position = Math.max(position, limit);
    held = Buffer.from(data.subarray(position));
    stretches = stretches.map(({ start, end }) => ({ start: start - position, end: end - position }));
    return Buffer.concat(parts);
  };

  return {
    push: (chunk) => {
      const data = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const { length } = data;
      // Behind a mark, a match may begin in bytes that are not held any more.
      const isHeld = matcher.pendingBytes(state) <= held.length;
      const relevant = isHeld ? matcher.firstRelevant(data) : 0;
      // A local variable: one that closures share is twice as slow in this loop.
      let at = relevant > held.length ? 0 : state;
      for (let index = Math.max(relevant, held.length); index < length; index += 1) {
        at = matcher.next(at, data[index]!);
        const matched = matcher.matchedBytes(at);
        if (matched > 0) addStretch(stretches, index + 1 - matched, index + 1);
      }
      state = at;
      return release(data, Math.max(0, data.length - matcher.pendingBytes(state)));
    },
    end: () => {
      state = 0;
      return release(held, held.length);
    },
  };
}

const MARK = Buffer.from(REDACTION_MARK);

/** Stretches arrive in the order of their ends. The new one absorbs those that it overlaps. */
function addStretch(stretches: Stretch[], start: number, end: number): void {
  let first = start;
  while (stretches.length > 0 && stretches.at(-1)!.end > start) {
    first = Math.min(first, stretches.pop()!.start);
  }
  stretches.push({ start: first, end });
}
