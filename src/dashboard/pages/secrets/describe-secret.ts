import type { Factory, Secret } from '../../api/types.ts';

type SourceType = NonNullable<Factory['source']>['type'];

const TAKES_UP: Readonly<Record<SourceType, string>> = {
  repository: 'the next commit on the production branch that is applied, also an empty one',
  managed: 'the next change of the webhook itself: disable and enable it',
  live: 'the next change of the webhook itself: rotate it, or disable and enable it',
};

/** What makes the webhooks of a factory take up the newest value of their secret. */
export function describeTakeUp(factories: readonly Factory[] | undefined, name: string): string {
  const type = factories?.find((factory) => factory.name === name)?.source?.type;
  return type === undefined ? 'the next apply of its factory' : TAKES_UP[type];
}

/** What a new value does, by who uses the secret. */
export function describeUpdate({ used_by, listed_by, notify, version }: Secret): string[] {
  const effects = [`The value becomes version ${version + 1}. The one before cannot be read or brought back.`];
  if (used_by.length > 0) {
    const webhooks = countWords(used_by.length, 'webhook');
    effects.push(`Senders notice nothing yet: ${webhooks} hold the version that their last apply took up.`);
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
    effects.push(`${names} ${used_by.length === 1 ? 'goes' : 'go'} on with the value of today.`);
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

function countWords(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
