/** PostgreSQL stores no NUL in a text, but payloads and definitions may contain it. This character begins its replacement. */
const ESCAPE = '\u{10FFFF}';

/** The parameter of a query. A text gets a form without NUL, and every other text one that differs from it. */
export function escapeNul(parameter: unknown): unknown {
  if (typeof parameter !== 'string') return parameter;
  if (!parameter.includes('\0') && !parameter.includes(ESCAPE)) return parameter;
  return parameter.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll('\0', `${ESCAPE}0`);
}

/** The text that `escapeNul` stored. */
export function restoreNul(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replaceAll(`${ESCAPE}0`, '\0').replaceAll(`${ESCAPE}1`, ESCAPE);
}
