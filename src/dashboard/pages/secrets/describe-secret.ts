import type { Factory, Secret } from '../../../client/api-types.ts';
import { countOf } from '../../../domain/words/quantities.ts';

type SourceType = NonNullable<Factory['source']>['type'];

const SWITCHES: Readonly<Record<SourceType, string>> = {
  repository: 'with the next applied commit (an empty one is enough)',
  managed: 'with the next change of the webhook (disable and enable it)',
  live: 'with the next change of the webhook (rotate it, or disable and enable it)',
};

/** When the webhooks of a factory switch to the newest version of their secret. */
export function describeSwitch(factories: readonly Factory[] | undefined, name: string): string {
  const type = factories?.find((factory) => factory.name === name)?.source?.type;
  return type === undefined ? 'with the next apply of the factory' : SWITCHES[type];
}

/** Effects of a new value. */
export function describeUpdate({ used_by, listed_by, notify, version }: Secret): string[] {
  const effects = [`The new value is stored as version ${version + 1}. The previous value cannot be read or restored.`];
  // Version 0 means that the webhook still waits for its first secret.
  const uses = used_by.filter((use) => use.version > 0);
  if (uses.length > 0) {
    const subject = uses.length === 1 ? '1 webhook still uses' : `${uses.length} webhooks still use`;
    effects.push(`${subject} ${nameVersions(uses)}. Senders must keep using the old value until the webhook switches.`);
  }
  if (listed_by.length > 0) {
    effects.push(`New runs of ${countOf(listed_by.length, 'automation')} get the new value.`);
  }
  if (notify.length > 0) effects.push(`Notifications to ${nameTargets(notify)} use the new value immediately.`);
  return effects;
}

/** Effects of deleting a secret. */
export function describeDeletion({ used_by, listed_by, notify }: Secret): string[] {
  const effects = ['All versions are deleted and cannot be restored.'];
  if (used_by.length > 0) {
    const names = nameAll(used_by.map(({ factory, webhook }) => `${factory}/${webhook}`));
    effects.push(`${names} ${used_by.length === 1 ? 'keeps' : 'keep'} using the current value.`);
    effects.push('The next apply of these webhooks fails until a secret with this name exists again.');
  }
  if (listed_by.length > 0) {
    const names = nameAll(listed_by.map(({ factory, automation }) => `${factory}/${automation}`));
    effects.push(`New runs of ${names} fail until a secret with this name exists again.`);
  }
  if (notify.length > 0) {
    effects.push(`Notifications to ${nameTargets(notify)} stop until a secret with this name exists again.`);
  }
  return effects;
}

/** Targets of `notify`, such as `payments/github`. */
function nameTargets(notify: Secret['notify']): string {
  return nameAll(notify.map(({ factory, type }) => `${factory}/${type}`));
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
