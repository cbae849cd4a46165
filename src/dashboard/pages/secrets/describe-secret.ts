import type { Factory, Secret } from '../../api/types.ts';

type SourceType = NonNullable<Factory['source']>['type'];

const SWITCHES: Readonly<Record<SourceType, string>> = {
  repository: 'with the next applied commit (an empty one is enough)',
  managed: 'with the next change of the webhook (disable and enable it)',
  live: 'with the next change of the webhook (rotate it, or disable and enable it)',
};

/** When the webhooks of a factory switch to the newest version of their secret. */
export function describeSwitch(factories: readonly Factory[] | undefined, name: string): string {
  const type = factories?.find((factory) => factory.name === name)?.source?.type;
  return type === undefined ? 'with the next apply of its factory' : SWITCHES[type];
}

/** What a new value does, by who uses the secret. */
export function describeUpdate({ used_by, listed_by, notify, version }: Secret): string[] {
  const effects = [`The value becomes version ${version + 1}. The one before cannot be read or brought back.`];
  // A webhook with version 0 waits for its first secret.
  const uses = used_by.filter((use) => use.version > 0);
  if (uses.length > 0) {
    const subject = uses.length === 1 ? '1 webhook still uses' : `${uses.length} webhooks still use`;
    effects.push(`${subject} ${nameVersions(uses)}. Senders must keep using the old value until the webhook switches.`);
  }
  if (listed_by.length > 0) {
    effects.push(`Runs of ${countWords(listed_by.length, 'automation')} get the new value from now on.`);
  }
  if (notify.length > 0) effects.push(`${nameTargets(notify)} ${areTold(notify)} with the new value from now on.`);
  return effects;
}

/** What deleting does, by who uses the secret. */
export function describeDeletion({ used_by, listed_by, notify }: Secret): string[] {
  const effects = ['All versions of the value are gone; nobody can bring them back.'];
  if (used_by.length > 0) {
    const names = nameAll(used_by.map(({ factory, webhook }) => `${factory}/${webhook}`));
    effects.push(`${names} ${used_by.length === 1 ? 'keeps' : 'keep'} the current value.`);
    effects.push('The next apply of such a webhook fails, until there is a secret of this name again.');
  }
  if (listed_by.length > 0) {
    const names = nameAll(listed_by.map(({ factory, automation }) => `${factory}/${automation}`));
    effects.push(`Runs of ${names} fail from now on.`);
  }
  if (notify.length > 0) {
    effects.push(
      `${nameTargets(notify)} ${areTold(notify)} nothing from now on, until there is a secret of this name again.`,
    );
  }
  return effects;
}

/** Targets of `notify`, such as `payments/github`. */
function nameTargets(notify: Secret['notify']): string {
  return nameAll(notify.map(({ factory, type }) => `${factory}/${type}`));
}

function areTold(notify: Secret['notify']): string {
  return notify.length === 1 ? 'is told' : 'are told';
}

function nameAll(names: string[]): string {
  const [first = '', ...rest] = names;
  return rest.length === 0 ? first : `${[first, ...rest.slice(0, -1)].join(', ')} and ${rest.at(-1)}`;
}

/** Such as `version 1`, or `versions 1 and 2`. */
function nameVersions(uses: Secret['used_by']): string {
  const versions = [...new Set(uses.map((use) => use.version))].sort((a, b) => a - b);
  return `version${versions.length === 1 ? '' : 's'} ${nameAll(versions.map(String))}`;
}

function countWords(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
