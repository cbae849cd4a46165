/** Formats a time as the value of a `datetime-local` field: local time zone, to the second. */
export function formatLocalInstant(at: string): string {
  const date = new Date(at);
  const rest = [date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds()];
  const [month, day, hours, minutes, seconds] = rest.map((part) => String(part).padStart(2, '0'));
  return `${String(date.getFullYear()).padStart(4, '0')}-${month}-${day}T${hours}:${minutes}:${seconds}`;
}

/** The time in RFC 3339; `null` for an empty field. */
export function parseLocalInstant(text: string): string | null {
  return text === '' ? null : new Date(text).toISOString();
}
