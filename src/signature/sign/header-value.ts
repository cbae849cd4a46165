import { AppError } from '../../core/errors.ts';

/**
 * Any text as the value of a header that we send: its UTF-8 bytes, one character each, which is how header values are
 * written to the wire and how `RequestHeaders` gives them back. Throws `bad_request` for control characters.
 */
export function encodeHeaderValue(name: string, text: string): string {
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) {
    throw new AppError('bad_request', `The value for the header ${name} holds a control character; leave it out.`);
  }
  return Buffer.from(text, 'utf8').toString('latin1');
}
