/** The path of a factory's overview, or of a page below it, for example `factoryPath('payments', 'webhooks')`. */
export function factoryPath(factory: string, page = ''): string {
  return `/factories/${encodeURIComponent(factory)}${page === '' ? '' : `/${page}`}`;
}

/** A kind of object that has a page. */
export type ObjectKind = 'webhooks' | 'automations' | 'deliveries' | 'replays' | 'runs' | 'reconciliations' | 'commits';

/** The path of the page of one object. @param id its ID, the name of an automation, or the revision of a commit */
export function objectPath(factory: string, kind: ObjectKind, id: string): string {
  return factoryPath(factory, `${kind}/${encodeURIComponent(id)}`);
}

export function automationEditPath(factory: string, name: string): string {
  return `${objectPath(factory, 'automations', name)}/edit`;
}

/** `~new` cannot be the name of an automation: names start with a letter or a digit. */
export function newAutomationPath(factory: string): string {
  return factoryPath(factory, 'automations/~new');
}

export function secretPath(name: string): string {
  return `/secrets/${encodeURIComponent(name)}`;
}
