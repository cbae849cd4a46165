import { bareName } from '../../domain/bare-name.ts';
import type { ProviderNames } from '../../domain/resources/provider-names.ts';
import type { DeclaredWebhook } from '../../domain/resources/webhook.ts';

type ProviderKeys = Pick<DeclaredWebhook, 'names' | 'botUsername' | 'ignoreActors'>;

/** Trims names, IDs and accounts, and removes `#` and `@` in front of names, so that one account has one form. */
export function normalizeProviderKeys({ names, botUsername, ignoreActors }: ProviderKeys): ProviderKeys {
  return {
    names: names === null ? null : normalizeNames(names),
    botUsername: botUsername === null ? null : bareName(botUsername),
    ignoreActors: [...new Set(ignoreActors.map(bareName))],
  };
}

function normalizeNames(names: ProviderNames): ProviderNames {
  const kinds = Object.entries(names).map(([kind, ids]) => [kind, normalizeIds(ids)]);
  return Object.fromEntries(kinds) as ProviderNames;
}

function normalizeIds(ids: { [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [bareName(name), id.trim()]));
}
