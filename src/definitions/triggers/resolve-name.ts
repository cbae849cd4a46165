import { bareName, type NameKind, type ProviderNames } from '../../domain/resources/provider-names.ts';

/** What is an ID of Slack already. Teams lists a team by an ID that payloads may lack. */
const ID_FORMS = { channels: /^[CGD][A-Z0-9]{5,}$/, users: /^[UW][A-Z0-9]{5,}$/, teams: /./ };

/**
 * The IDs of which a payload has one for a listed name or ID; `null` for a name that the webhook does not map. Events carry
 * only IDs. (Provider triggers, section 5, `names`.)
 */
export function resolveName(kind: NameKind, listed: string, names: ProviderNames): string[] | null {
  const name = bareName(listed);
  const mapped = Object.entries(names[kind] ?? {})
    .filter(([known]) => known.toLowerCase() === name.toLowerCase())
    .map(([, id]) => id);
  const ids = ID_FORMS[kind].test(name) ? [name, ...mapped] : mapped;
  return ids.length === 0 ? null : ids;
}
