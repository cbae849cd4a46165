/** An instant as a field of type `datetime-local` holds it: in the reader's zone, to the second. */
export function formatLocalInstant(at: string): string {
  const date = new Date(at);
  const [year, ...rest] = [
    ...[date.getFullYear(), date.getMonth() + 1, date.getDate()],
    ...[date.getHours(), date.getMinutes(), date.getSeconds()],
  ];
  const [month, day, hours, minutes, seconds] = rest.map((part) => String(part).padStart(2, '0'));
  return `${String(year).padStart(4, '0')}-${month}-${day}T${hours}:${minutes}:${seconds}`;
}

/** The instant in RFC 3339 that such a field names; `null` for an empty one. */
export function parseLocalInstant(text: string): string | null {
  return text === '' ? null : new Date(text).toISOString();
}
