import { Transform } from 'node:stream';
import { API_TOKEN_TEXT } from '../core/access.ts';
import type { SecretValue } from '../core/secret-value.ts';
import type { ByteMatcher } from './byte-matcher.ts';
import { compileByteMatcher } from './byte-matcher.ts';

/** What stands in the place of a value. */
export const REDACTION_MARK = '[redacted]';
/** Values shorter than this are not masked: they would blank out half of every text and hide nothing. */
export const SHORTEST_MASKED_CHARACTERS = 4;
/** Lines of a value with several lines are masked on their own from this length on. */
const SHORTEST_MASKED_LINE_CHARACTERS = 8;

const ANY_API_TOKEN = new RegExp(API_TOKEN_TEXT, 'g');

/**
 * Masks values wherever they turn up in text (threat model S2). API tokens are known by their form: only their hashes
 * are stored, and one may be typed where it does not belong, into a path for example.
 */
export interface Redactor {
  /** From now on this value is masked. Adding it again costs nothing. */
  add(value: SecretValue): void;
  redactText(text: string): string;
}

/** A redactor that learns values as the daemon meets them. */
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
      const tokenless = text.replace(ANY_API_TOKEN, REDACTION_MARK);
      if (forms.size === 0) return tokenless;
      matcher ??= compileForms(forms);
      return maskText(matcher, tokenless);
    },
  };
}

/**
 * Masks these values in a stream of bytes, also where one is split over chunks. Everything else passes unchanged, be
 * it text or not. Only bytes that may still become a value are held back until the next chunk or the end.
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
 * The forms a value takes in output: as it is, inside a JSON string, and, for a value with several lines, each longer
 * line (a key printed with indentation is still that key).
 */
function* formsOf(value: SecretValue): Generator<string> {
  const text = value.reveal();
  if (text.length < SHORTEST_MASKED_CHARACTERS) return;
  yield* withJsonForm(text);
  if (!/[\r\n]/.test(text)) return;
  for (const line of text.split(/[\r\n]+/)) {
    const trimmed = line.trim();
    if (trimmed.length >= SHORTEST_MASKED_LINE_CHARACTERS) yield* withJsonForm(trimmed);
  }
}

function* withJsonForm(text: string): Generator<string> {
  yield text;
  yield JSON.stringify(text).slice(1, -1);
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
  for (const byte of bytes) {
    state = matcher.next(state, byte);
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

/** Overlapping values are one stretch with one mark, so that no rest of the second one stays readable. */
function createMasker(matcher: ByteMatcher): Masker {
  let state = 0;
  let held: Buffer = Buffer.alloc(0);
  let stretches: Stretch[] = [];

  /** Gives out everything before `limit`, stretches that begin up to there as marks. */
  const release = (data: Buffer, limit: number): Buffer => {
    const parts: Buffer[] = [];
    let position = 0;
    while (stretches.length > 0 && stretches[0]!.start <= limit) {
      const { start, end } = stretches.shift()!;
      // A stretch that begins before the bytes still held continues one whose mark is out already.
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
      // In a local for the length of the loop: a variable that closures share is twice as slow here.
      let at = state;
      for (let index = held.length; index < length; index += 1) {
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

/** Stretches arrive in the order of their ends; the new one swallows all that it overlaps. */
function addStretch(stretches: Stretch[], start: number, end: number): void {
  let first = start;
  while (stretches.length > 0 && stretches.at(-1)!.end > start) {
    first = Math.min(first, stretches.pop()!.start);
  }
  stretches.push({ start: first, end });
}
