// Why an object is in its state: `dockbell why`. In: a reference. Out: a `Story` (`story.ts`): steps in order, an answer, next
// commands. `find-subject.ts` finds the object. Each kind has a file, for example `delivery-story.ts`, which shares steps with
// others (`receipt-steps.ts`, `run-steps.ts`). A story only reads; texts come from `domain/words/`.

import type { FactoryView } from '../../domain/applies/reconciliation.ts';
import type { DeliveryId, ReconciliationId, RunId, WebhookUid } from '../../domain/ids.ts';
import { composeAutomationStory, composeDeletedAutomationStory } from './automation-story.ts';
import {
  composeCommitStory,
  composeReconciliationStory,
  composeUnreconciledStory,
  MAX_PASSES,
} from './commit-story.ts';
import { limitRead } from './cut-list.ts';
import { composeDeliveryStory } from './delivery-story.ts';
import { type Finding, findSubject, type Subject } from './find-subject.ts';
import { composeRunStory } from './run-story.ts';
import { composeSecretStory } from './secret-story.ts';
import { orderSteps, type Story } from './story.ts';
import type { Asker, StoryParts, StoryRequest } from './story-parts.ts';
import { composeWebhookStory } from './webhook-story.ts';

/** The story of what a reference stands for. */
export type StoryAnswer = { found: 'story'; story: Story } | Exclude<Finding, { found: 'one' }>;

/** Finds what a reference stands for, and says why it is in its state. */
export async function composeStory(
  parts: StoryParts,
  asker: Asker,
  { ref, all }: { ref: string; all: boolean },
): Promise<StoryAnswer> {
  const request = await createRequest(parts, asker, all);
  const finding = await findSubject(request.request, ref);
  if (finding.found === 'several') return finding;
  const story =
    finding.found === 'none'
      ? await composeUnknownCommitStory(request, ref)
      : await composeSubjectStory(request, finding.subject);
  if (story !== null) return { found: 'story', story };
  return finding.found === 'none' ? finding : { found: 'none', near: [] };
}

interface Request {
  request: StoryRequest;
  views: ReadonlyMap<string, FactoryView>;
}

async function createRequest(parts: StoryParts, asker: Asker, all: boolean): Promise<Request> {
  const known = await parts.inventory.factories();
  const reached = known.filter(({ name }) => isReached(asker, name));
  const configured = reached.filter(({ name }) => parts.isConfigured(name));
  const views = new Map([...configured, ...reached].map((view) => [view.name, view]));
  const namesFactory = known.filter(({ name }) => parts.isConfigured(name)).length !== 1;
  return { request: { ...parts, asker, all, factories: [...views.keys()], namesFactory }, views };
}

function isReached({ factories, factory }: Asker, name: string): boolean {
  return (factories === null || factories.includes(name)) && (factory === null || factory === name);
}

/** `null` if retention has removed the object since it was found. */
async function composeSubjectStory({ request, views }: Request, subject: Subject): Promise<Story | null> {
  switch (subject.kind) {
    case 'delivery':
      return composeIfFound(request, await request.deliveries.get(subject.id as DeliveryId), composeDeliveryStory);
    case 'run':
      return composeIfFound(request, await request.runs.get(subject.id as RunId), composeRunStory);
    case 'webhook':
      return composeIfFound(request, await request.inventory.webhook(subject.id as WebhookUid), composeWebhookStory);
    case 'automation': {
      const { factory, name, isDeleted } = subject;
      if (isDeleted) return composeDeletedAutomationStory(request, factory, name);
      return composeIfFound(request, await request.inventory.automation(factory, name), composeAutomationStory);
    }
    case 'secret':
      return composeSecretStory(request, subject.name);
    case 'reconciliation': {
      const found = await request.reconciliations.get(subject.id as ReconciliationId);
      return found === null ? null : composeReconciliationStory(request, found, views.get(found.factory)!);
    }
    case 'commit': {
      const { factory, revision } = subject;
      const limit = limitRead(request, MAX_PASSES);
      const started = await request.history.ofRevision({ prefix: revision, factories: [factory], limit });
      const reconciliations = started.filter((one) => one.revision === revision);
      const found = { factory: views.get(factory)!, reconciliations };
      return reconciliations.length === 0 ? null : composeCommitStory(request, revision, found);
    }
  }
}

async function composeIfFound<Found>(
  request: StoryRequest,
  found: Found | null,
  compose: (request: StoryRequest, found: Found) => Promise<Story>,
): Promise<Story | null> {
  return found === null ? null : compose(request, found);
}

const WHOLE_COMMIT = /^(commit:)?([0-9a-f]{40}|[0-9a-f]{64})$/;

/** A whole commit that was never reconciled: live as a part of another commit, or not fetched. */
async function composeUnknownCommitStory({ request, views }: Request, ref: string): Promise<Story | null> {
  const revision = WHOLE_COMMIT.exec(ref)?.[2];
  if (revision === undefined) return null;
  const searched = [...views.values()].filter(({ name }) => request.isConfigured(name));
  for (const view of searched) {
    const { name, appliedRevision } = view;
    if (appliedRevision === null) continue;
    const ancestry = await request.reconcile.contains(name, appliedRevision, revision);
    if (ancestry === 'yes') return composeUnreconciledStory(request, revision, view, true);
  }
  const stories = await Promise.all(searched.map((view) => composeUnreconciledStory(request, revision, view, false)));
  const [first, ...others] = stories;
  return first === undefined ? null : others.length === 0 ? first : joinStories(stories);
}

/** The answers of several factories about one commit. */
function joinStories(stories: readonly Story[]): Story {
  const { subject } = stories[0]!;
  return {
    subject: { ...subject, factory: null },
    answer: stories.map(({ subject: { factory }, answer }) => `${factory}: ${answer}`).join(' '),
    steps: orderSteps(stories.flatMap(({ steps }) => steps)),
    next: stories.flatMap(({ next }) => next),
  };
}
