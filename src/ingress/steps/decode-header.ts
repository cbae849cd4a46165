const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param raw bytes received, one character each; decoded as UTF-8 if valid, otherwise as Latin-1 */
export function decodeHeader(raw: string): string {
  if (/^[\x00-\x7f]*$/.test(raw)) return raw;
  try {
    return utf8.decode(Buffer.from(raw, 'latin1'));
  } catch {
    return raw;
  }
}
