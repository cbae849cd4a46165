/** The scope of a team secret, as the API presents it. `null` stands for all factories. */
interface Scope {
  webhook: readonly string[] | null;
  run: readonly string[] | null;
}

/** The scope in words, such as `payments (webhooks and runs)`. */
export function describeScope({ webhook, run }: Scope): string {
  if (JSON.stringify(webhook) === JSON.stringify(run)) {
    return isNone(webhook) ? 'no factory' : `${nameFactories(webhook)} (webhooks and runs)`;
  }
  const parts = [
    ...(isNone(webhook) ? [] : [`${nameFactories(webhook)} (webhooks)`]),
    ...(isNone(run) ? [] : [`${nameFactories(run)} (runs)`]),
  ];
  return parts.join(', ');
}

/** Whether no factory may use the secret. */
export function isUnusable({ webhook, run }: Scope): boolean {
  return isNone(webhook) && isNone(run);
}

/** What to do about a secret that no factory may use. */
export function adviseScope(name: string): string {
  return `No factory may use ${name} yet. Allow it with: dockbell secret update ${name} --factory FACTORY`;
}

function isNone(factories: readonly string[] | null): boolean {
  return factories?.length === 0;
}

function nameFactories(factories: readonly string[] | null): string {
  return factories === null ? 'all factories' : factories.join(', ');
}
