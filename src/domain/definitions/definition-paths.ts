/** The paths of definition files, relative to the folder of the factory. */

const WEBHOOK_FILE = /^webhooks\/([^/]+)\.yaml$/;
const AUTOMATION_FILE = /^automations\/(?:([^/]+)\/automation|([^/]+))\.md$/;
// `automations/README.md` and names that start with a dot are notes, not automations.
const NOTE_NAME = /^(?:\..*|readme)$/i;

/** The path of the webhook with a name. */
export function webhookPath(name: string): string {
  return `webhooks/${name}.yaml`;
}

/** The webhook that a path declares: `ci` for `webhooks/ci.yaml`, `null` for other paths. */
export function webhookNameOf(path: string): string | null {
  return WEBHOOK_FILE.exec(path)?.[1] ?? null;
}

/** The two paths that can declare an automation. New automations have the first form. */
export function automationPaths(name: string): { folder: string; flat: string } {
  return { folder: `automations/${name}/automation.md`, flat: `automations/${name}.md` };
}

/** The automation that a path declares, in either form; `null` for other paths. */
export function automationNameOf(path: string): string | null {
  const [, folder, flat] = AUTOMATION_FILE.exec(path) ?? [];
  if (folder !== undefined) return folder;
  return flat === undefined || NOTE_NAME.test(flat) ? null : flat;
}
