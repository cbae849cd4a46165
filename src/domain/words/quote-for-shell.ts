/** A text as one word of a POSIX shell. Words of letters, digits, `_`, `.`, `/` and `-` stay as they are. */
export function quoteForShell(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
