import { hasUnprintable } from './printable-text.ts';

/** Follows git's check-ref-format; what passes is also no option and no pattern. */
export function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name.startsWith('-') || name.length > 255) return false;
  if (hasUnprintable(name) || /[ ~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/.test(name)) return false;
  return name.split('/').every((segment) => !segment.startsWith('.') && !segment.endsWith('.lock'));
}
