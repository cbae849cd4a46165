import type { SealedSecret } from '../../domain/ports/secret-store.ts';
import type { SecretSummary } from '../../domain/resources/secret.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { createSummary, cutList } from './cut-list.ts';
import { createStep, type ObjectRef, orderSteps, type Story, type StoryStep } from './story.ts';
import { refAutomation, type StoryRequest } from './story-parts.ts';
import { listVersionSteps } from './version-steps.ts';

/** Webhooks and automations that a story of a secret shows. */
const MAX_USES = 10;

/** The story of a secret: who stored each version, and which version each webhook checks. */
export async function composeSecretStory(request: StoryRequest, name: string): Promise<Story | null> {
  const subject = { kind: 'secret' as const, factory: null, id: name, name };
  const [secret, versions, [newest]] = await Promise.all([
    request.secrets.find(name),
    listVersionSteps(request, subject, name, null),
    request.versions.versions(name, 1),
  ]);
  if (secret === null) return newest === undefined ? null : composeDeletedSecretStory(newest, versions);
  const { version, updatedAt } = secret;
  const by = newest?.createdBy == null ? '' : ` by ${newest.createdBy}`;
  const verb = version > 1 ? 'rotated' : 'created';
  return {
    subject,
    answer: `${name} was last ${verb} at ${formatInstant(updatedAt)}${by}: version ${version}.${sayOutdated(secret)}`,
    steps: orderSteps([...versions, ...listUses(request, subject, secret)]),
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
  const names = outdated.slice(0, MAX_USES).join(', ');
  const more = outdated.length > MAX_USES ? ` and ${outdated.length - MAX_USES} more` : '';
  return ` Until their next apply, these webhooks check an older version: ${names}${more}.`;
}

/** Webhooks that check an older version come first. */
function listUses(
  request: StoryRequest,
  subject: ObjectRef,
  { version, usedBy, listedBy }: SecretSummary,
): StoryStep[] {
  const ranked = [...usedBy].sort((a, b) => Number(a.version === version) - Number(b.version === version));
  const checks = cutList(request, ranked, MAX_USES);
  const automations = cutList(request, listedBy, MAX_USES);
  const webhookSteps = checks.shown.map((use) =>
    createStep({
      at: null,
      outcome: use.version < version ? 'warning' : 'note',
      text: `Webhook ${use.webhook} of ${use.factory} checks version ${use.version}.`,
      command: `dockbell why webhook:${use.webhook} --factory ${use.factory}`,
    }),
  );
  const automationSteps = automations.shown.map((use) =>
    createStep({
      at: null,
      text: `Runs of ${use.automation} of ${use.factory} get the newest version.`,
      links: [refAutomation(use.factory, use.automation)],
    }),
  );
  const omitted = checks.omitted + automations.omitted;
  const more = createSummary(request, subject, { at: null, text: `It has ${countOf(omitted, 'more use')}.` });
  return [...webhookSteps, ...automationSteps, ...(omitted === 0 ? [] : [more])];
}
