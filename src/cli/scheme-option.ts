import { InvalidArgumentError, Option } from 'commander';
import { suggest } from '../core/suggest.ts';
import { CUSTOM } from '../signature/custom-scheme.ts';
import { SCHEME_NAMES } from '../signature/schemes.ts';

/** An option whose value is the name of a signature scheme. */
export function schemeOption(flags: string, description: string, others: readonly string[] = []): Option {
  const names = [...others, ...SCHEME_NAMES, CUSTOM];
  const option = new Option(flags, description).choices(names);
  // The list is long: if the name is close to one of them, that one is all that helps.
  return option.argParser((text) => {
    if (names.includes(text)) return text;
    const similar = suggest(text, names);
    if (similar !== null) throw new InvalidArgumentError(`Did you mean ${similar}?`);
    throw new InvalidArgumentError(`Allowed choices are ${names.join(', ')}.`);
  });
}
