import type { SealedSecret } from '../core/ports/secret-store.ts';
import type { SecretSummary } from '../core/resources/secret.ts';
import { formatInstant } from '../core/time/clock.ts';
import { createStep, orderSteps, type Story, type StoryStep } from './story.ts';
import { refAutomation, type StoryRequest } from './story-parts.ts';
import { listVersionSteps } from './version-steps.ts';

/** Webhooks and automations that a story of a secret shows. */
const MAX_USES = 10;

/** The story of a secret: who stored each version, and which version each webhook checks. */
export async function composeSecretStory(request: StoryRequest, name: string): Promise<Story | null> {
  const [secret, versions, [newest]] = await Promise.all([
    request.secrets.find(name),
    listVersionSteps(request, name, null),
    request.versions.versions(name, 1),
  ]);
  if (secret === null) return newest === undefined ? null : composeDeletedSecretStory(newest, versions);
  const { version, updatedAt } = secret;
  const by = newest?.createdBy == null ? '' : ` by ${newest.createdBy}`;
  const verb = version > 1 ? 'rotated' : 'created';
  return {
    subject: { kind: 'secret', factory: null, id: name, name },
    answer: `${name} was last ${verb} at ${formatInstant(updatedAt)}${by}: version ${version}.${sayOutdated(secret)}`,
    steps: orderSteps([...versions, ...listUses(secret)]),
    next: [
      { purpose: 'List every change of it', command: `dockbell audit list --object secrets/${name}` },
      { purpose: 'Store a new value', command: `dockbell secret update ${name}` },
    ],
  };
}

/** A name whose value was deleted, while its versions are still kept for diagnosis. */
function composeDeletedSecretStory({ name, replacedAt, replacedBy }: SealedSecret, versions: StoryStep[]): Story {
  const when = replacedAt === null ? '' : ` at ${formatInstant(replacedAt)}`;
  return {
    subject: { kind: 'secret', factory: null, id: name, name },
    answer: `${name} was deleted${when}${replacedBy === null ? '' : ` by ${replacedBy}`}.`,
    steps: orderSteps(versions),
    next: [{ purpose: 'Create it again', command: `dockbell secret create ${name}` }],
  };
}

function sayOutdated({ usedBy, version }: SecretSummary): string {
  const outdated = usedBy.filter((use) => use.version < version).map(({ webhook }) => webhook);
  if (outdated.length === 0) return '';
  const names = `${outdated.slice(0, MAX_USES).join(', ')}${outdated.length > MAX_USES ? ' and others' : ''}`;
  return ` Until their next apply, these webhooks check an older version: ${names}.`;
}

function listUses({ version, usedBy, listedBy }: SecretSummary): StoryStep[] {
  const webhooks = usedBy.slice(0, MAX_USES).map((use) =>
    createStep({
      at: null,
      outcome: use.version < version ? 'warning' : 'note',
      text: `Webhook ${use.webhook} of ${use.factory} checks version ${use.version}.`,
      command: `dockbell why webhook:${use.webhook} --factory ${use.factory}`,
    }),
  );
  const automations = listedBy.slice(0, MAX_USES).map((use) =>
    createStep({
      at: null,
      text: `Runs of ${use.automation} of ${use.factory} get the newest version.`,
      links: [refAutomation(use.factory, use.automation)],
    }),
  );
  const omitted = Math.max(0, usedBy.length - MAX_USES) + Math.max(0, listedBy.length - MAX_USES);
  const more = createStep({
    at: null,
    text: `${omitted} more uses are not shown.`,
    command: 'dockbell secret list --json',
  });
  return [...webhooks, ...automations, ...(omitted === 0 ? [] : [more])];
}
