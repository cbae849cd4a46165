/** The operators of the payload filter, as definitions write them. */
export const FILTER_OPERATORS = ['in', 'not_in', 'exists'] as const;

export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Is this key of a filter an operator? */
export function isFilterOperator(key: string): key is FilterOperator {
  return FILTER_OPERATORS.some((operator) => operator === key);
}

const MAX_TEXT_LENGTH = 200;

/** Characters that JSON does not escape, but that move the cursor or change the text direction. */
const INVISIBLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The text, cut after `maxLength` UTF-16 units. The full length is added. */
export function shortenText(text: string, maxLength: number = MAX_TEXT_LENGTH): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, splitsPair ? maxLength - 1 : maxLength)}… (${text.length} characters)`;
}

/** The text as a JSON string on one line, without control characters and changes of text direction. */
export function quoteText(text: string): string {
  return JSON.stringify(text).replace(INVISIBLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Keys that can follow a dot: letters, digits, `_`, `$`, `-`, not starting with a digit or `-`. */
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const MAX_KEY_LENGTH = 100;

/**
 * Prints a key path for people: `data.issue.level`, `items[0].name`, `data["a key"]`; `''` for the root. Keys over
 * 100 characters are cut, so two paths may look the same.
 */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map(formatStep).join('');
}

/** Prints the name of a request header for people. No path of a payload has this form. */
export function formatHeader(name: string): string {
  return `header ${name.length > MAX_KEY_LENGTH ? shortenText(name, MAX_KEY_LENGTH) : name}`;
}

function formatStep(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (step.length > MAX_KEY_LENGTH || !PLAIN_KEY.test(step)) return `[${quoteText(shortenText(step, MAX_KEY_LENGTH))}]`;
  return index === 0 ? step : `.${step}`;
}

/** What a backtest says about deliveries without a record of a header that a filter tests. */
export function describeUnrecorded(count: number): string {
  const [have, counts] = count === 1 ? ['has', 'counts'] : ['have', 'count'];
  return `${count} of them ${have} no record of a tested header and ${counts} as sent without it.`;
}
