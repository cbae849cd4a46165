/** Paths of the automation pages. `~new` cannot be a name: names start with a letter or a digit. */
export function automationsPath(factory: string): string {
  return `/factories/${encodeURIComponent(factory)}/automations`;
}

export function automationPath(factory: string, name: string): string {
  return `${automationsPath(factory)}/${encodeURIComponent(name)}`;
}

export function automationEditPath(factory: string, name: string): string {
  return `${automationPath(factory, name)}/edit`;
}

export function newAutomationPath(factory: string): string {
  return `${automationsPath(factory)}/~new`;
}
