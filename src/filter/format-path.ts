import { quoteText, shortenText } from './describe-value.ts';

/** Keys that read well behind a dot: letters, digits, `_`, `$`, `-`, not starting with a digit or `-`. */
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const MAX_KEY_LENGTH = 100;

/**
 * Prints a key path for people: `data.issue.level`, `items[0].name`, `data["odd key"]`; `''` for the root. Keys over
 * 100 characters are cut, so two paths may print alike.
 */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map(formatStep).join('');
}

function formatStep(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (step.length > MAX_KEY_LENGTH || !PLAIN_KEY.test(step)) return `[${quoteText(shortenText(step, MAX_KEY_LENGTH))}]`;
  return index === 0 ? step : `.${step}`;
}
