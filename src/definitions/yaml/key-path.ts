/** The path of a value in a file: keys of maps and indexes of lists, outermost first. */
export type KeyPath = readonly (string | number)[];

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;
const MAX_SHOWN_KEY = 80;

/** For example `triggers[0].filter.payload["a b"]`; `''` for the whole file. */
export function formatKeyPath(path: KeyPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (PLAIN_KEY.test(step) && step.length <= MAX_SHOWN_KEY) text += text === '' ? step : `.${step}`;
    else text += `[${quote(step, MAX_SHOWN_KEY)}]`;
  }
  return text;
}

/** A value as JSON, cut to `maxLength` characters, for messages. */
export function quote(value: unknown, maxLength = 60): string {
  const cut = typeof value === 'string' && value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
  const text = JSON.stringify(cut) ?? String(cut);
  return text.length > maxLength * 2 ? `${text.slice(0, maxLength * 2)}…` : text;
}

/** `a`, `a or b`, `a, b or c`. */
export function listAlternatives(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}
