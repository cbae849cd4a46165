/** A name of a channel or an account, without the `#` or `@` that people write in front of it. */
export function bareName(written: string): string {
  return written.trim().replace(/^[#@]/, '');
}
