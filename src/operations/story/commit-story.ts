import type { PlanEntry, PlanSection } from '../../domain/applies/plan.ts';
import {
  type Commit,
  type FactoryView,
  HISTORY_REWRITTEN,
  type Reconciliation,
} from '../../domain/applies/reconciliation.ts';
import type { Run } from '../../domain/resources/run.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { describeStatusReason } from '../../domain/words/status-reasons.ts';
import { nameRevisionFirst, shortenRevision } from './change-steps.ts';
import { createSummary, cutList, MAX_ENTRIES } from './cut-list.ts';
import { describeRunState, rankRuns, readRuns } from './run-steps.ts';
import { createStep, type NextCommand, type ObjectRef, orderSteps, type Story, type StoryStep } from './story.ts';
import { factoryOption, refAutomation, refRun, refWebhook, type StoryRequest } from './story-parts.ts';

/** Entries of each kind that a story shows. */
export const MAX_PASSES = 10;
const MAX_CHANGES = 10;
const MAX_FINDINGS = 5;
const MAX_RUNS = 10;

/** A revision of a factory with its reconciliations, newest first, at least one. */
interface ReconciledRevision {
  factory: FactoryView;
  reconciliations: readonly Reconciliation[];
}

/** The story of a commit: what it changed, whether it is live, why not, and which runs it started. */
export async function composeCommitStory(
  request: StoryRequest,
  revision: string,
  found: ReconciledRevision,
): Promise<Story> {
  const { name } = found.factory;
  return compose(request, { kind: 'commit', factory: name, id: revision, name: shortenRevision(revision) }, found);
}

/** The story of one reconciliation. */
export async function composeReconciliationStory(
  request: StoryRequest,
  reconciliation: Reconciliation,
  factory: FactoryView,
): Promise<Story> {
  const { id } = reconciliation;
  const subject = { kind: 'reconciliation' as const, factory: factory.name, id, name: id };
  return compose(request, subject, { factory, reconciliations: [reconciliation] });
}

async function compose(
  request: StoryRequest,
  subject: ObjectRef,
  { factory, reconciliations }: ReconciledRevision,
): Promise<Story> {
  const [last] = reconciliations;
  const { revision } = last!;
  const started = revision === null ? NO_RUNS : await listStarted(request, factory.name, revision);
  const applied = reconciliations.find(({ result }) => result === 'applied');
  return {
    subject,
    answer: `${describeLife(factory, last!, applied)}${applied === undefined ? '' : ` ${sayRuns(started)}`}`,
    steps: orderSteps([
      ...describeCommit(last!),
      ...listPassSteps(request, subject, reconciliations),
      ...describeNow(factory, last!),
      ...(await listRunSteps(request, subject, started)),
    ]),
    next: listNext(request, factory, last!, started),
  };
}

/**
 * The story of a commit that was never reconciled. A later push overtook it if the live commit contains it; otherwise the
 * state of the factory explains why it is not live.
 */
export async function composeUnreconciledStory(
  request: StoryRequest,
  revision: string,
  factory: FactoryView,
  isContained: boolean,
): Promise<Story> {
  const { name, appliedRevision, appliedCommit, appliedAt } = factory;
  const live =
    appliedRevision === null ? 'No commit' : `${nameRevisionFirst(appliedRevision)}${sayAuthor(appliedCommit)}`;
  const answer = isContained
    ? `${nameRevisionFirst(revision)} is live, because the live commit contains it. ${live} is live.`
    : `${nameRevisionFirst(revision)} was never applied. ${live} is live. ${describeAttempt(factory)}`;
  const option = factoryOption(request, name);
  return {
    subject: { kind: 'commit', factory: name, id: revision, name: shortenRevision(revision) },
    answer,
    steps: [
      ...(appliedAt === null || appliedRevision === null
        ? []
        : [
            createStep({
              at: appliedAt,
              outcome: 'ok',
              text: `${live} was applied.`,
              commit: { revision: appliedRevision, commit: appliedCommit },
            }),
          ]),
      createStep({ at: null, outcome: isContained ? 'ok' : 'warning', text: answer }),
    ],
    next: [
      { purpose: 'Show the state of the factory', command: `dockbell status${option}` },
      { purpose: 'Fetch and apply now', command: `dockbell reconcile --wait${option}` },
    ],
  };
}

/** Why the last attempt applied nothing, if it did not. */
function describeAttempt({ conditions, attemptedAt }: FactoryView): string {
  const outcome = conditions.find(({ type }) => type === 'Reconciled');
  if (outcome === undefined || attemptedAt === null) return 'Nothing was fetched yet.';
  if (outcome.status === 'True') return 'The production branch did not contain it at the last fetch.';
  return `The last attempt failed at ${formatInstant(attemptedAt)}. ${describeStatusReason(outcome.reason)} ${outcome.message}`;
}

/** Whether the revision is live, and why not. */
function describeLife(factory: FactoryView, last: Reconciliation, applied: Reconciliation | undefined): string {
  const { revision } = last;
  if (revision === null) return `Nothing was read. ${describeFailure(last)}`;
  const what = `${nameRevisionFirst(revision)}${sayAuthor(last.commit)}`;
  if (revision === factory.appliedRevision) {
    return `${what} is live since ${formatInstant(factory.appliedAt ?? last.finishedAt)}.`;
  }
  const live =
    factory.appliedRevision === null
      ? 'No commit'
      : `${nameRevisionFirst(factory.appliedRevision)}${sayAuthor(factory.appliedCommit)}`;
  if (applied !== undefined)
    return `${what} was live from ${formatInstant(applied.finishedAt)}. ${live} has replaced it.`;
  return `${what} is not live. ${live} stays live. ${describeFailure(last)}`;
}

/** Reasons that need a new commit, or a change of a secret. */
const WAITING_FOR_OTHERS = ['ValidationFailed', 'CommitUntrusted', 'SecretUnsuitable'];

function describeFailure({ reason, message, diagnostics }: Reconciliation): string {
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  const finding = first === undefined ? message : `${first.file}:${first.line}:${first.column} ${first.message}`;
  const waits = WAITING_FOR_OTHERS.includes(reason) ? '' : ' Dockbell retries automatically.';
  return `${describeStatusReason(reason)} ${endSentence(finding)}${waits}`;
}

function endSentence(text: string): string {
  return text.replace(/\.?$/, '.');
}

function sayAuthor(commit: Commit | null): string {
  return commit === null ? '' : ` by ${commit.author} ("${commit.subject}")`;
}

function describeCommit({ revision, commit }: Reconciliation): StoryStep[] {
  if (revision === null || commit === null) return [];
  const text = `${commit.author} committed "${commit.subject}".`;
  return [createStep({ at: commit.committedAt, by: commit.author, text, commit: { revision, commit } })];
}

function listPassSteps(
  request: StoryRequest,
  subject: ObjectRef,
  reconciliations: readonly Reconciliation[],
): StoryStep[] {
  const { shown, omitted } = cutList(request, reconciliations, MAX_PASSES);
  const steps = shown.flatMap((one) => describePass(request, subject, one));
  if (omitted === 0) return steps;
  const at = shown.at(-1)!.finishedAt - 1;
  return [...steps, createSummary(request, subject, { at, text: 'It was reconciled before.' })];
}

/** The result of a pass, its findings, and what it changed. */
function describePass(request: StoryRequest, subject: ObjectRef, pass: Reconciliation): StoryStep[] {
  const { id, factory, result, reason, finishedAt, diagnostics, plan, attemptedAt } = pass;
  const isGood = result === 'applied' || result === 'unchanged';
  const links = [{ kind: 'reconciliation' as const, factory, id, name: id }];
  const changed = countEntries(plan.webhooks) + countEntries(plan.automations);
  const retried = attemptedAt === finishedAt ? '' : ` It was attempted again until ${formatInstant(attemptedAt)}.`;
  const text = isGood
    ? `${describeStatusReason(reason)} It changed ${changed === 0 ? 'nothing' : countOf(changed, 'object')}.`
    : `${describeFailure(pass)}${retried}`;
  const details = `dockbell reconciliation show ${id}${factoryOption(request, factory)}`;
  const findings = cutList(request, rankFindings(diagnostics), MAX_FINDINGS);
  const more = countOf(findings.omitted, 'more finding');
  return [
    createStep({ at: finishedAt, outcome: isGood ? 'ok' : 'failed', text, links, command: details }),
    ...describeRewrite(pass),
    ...findings.shown.map(({ severity, file, line, column, message, hint }) =>
      createStep({
        at: finishedAt,
        outcome: severity === 'error' ? 'failed' : 'warning',
        text: `${file === '' ? '' : `${file}:${line}:${column} `}${endSentence(message)}${hint === '' ? '' : ` ${hint}`}`,
      }),
    ),
    ...(findings.omitted === 0
      ? []
      : [createSummary(request, subject, { at: finishedAt, text: `The pass has ${more}.` })]),
    ...(result === 'applied' ? describeChanges(request, subject, pass) : []),
  ];
}

/** Errors first: they decide. */
function rankFindings(diagnostics: Reconciliation['diagnostics']): Reconciliation['diagnostics'] {
  const rate = ({ severity }: (typeof diagnostics)[number]) => Number(severity !== 'error');
  return [...diagnostics].sort((a, b) => rate(a) - rate(b));
}

/** A force-push, which the message of the pass reports. */
function describeRewrite({ message, finishedAt }: Reconciliation): StoryStep[] {
  const at = message.indexOf(HISTORY_REWRITTEN);
  if (at === -1) return [];
  const text = endSentence(message.slice(at));
  return [createStep({ at: finishedAt, outcome: 'warning', text: `${text[0]!.toUpperCase()}${text.slice(1)}` })];
}

const CHANGE_VERBS = [
  ['delete', 'deleted'],
  ['update', 'changed'],
  ['create', 'created'],
] as const;

function countEntries({ create, update, delete: deleted }: PlanSection): number {
  return create.length + update.length + deleted.length;
}

/** Deletions come first: what they removed starts nothing. */
function describeChanges(
  request: StoryRequest,
  subject: ObjectRef,
  { factory, finishedAt, plan }: Reconciliation,
): StoryStep[] {
  const describe = (what: string, verb: string, entry: PlanEntry, ref: ObjectRef | null) =>
    createStep({
      at: finishedAt,
      text: `It ${verb} the ${what} ${entry.name}.`,
      changes: verb === 'changed' ? entry.changes : [],
      links: ref === null ? [] : [ref],
    });
  const kinds = [
    {
      what: 'webhook',
      section: plan.webhooks,
      refTo: ({ uid, name }: PlanEntry) => (uid === null ? null : refWebhook({ factory, uid, name })),
    },
    { what: 'automation', section: plan.automations, refTo: ({ name }: PlanEntry) => refAutomation(factory, name) },
  ];
  const steps = CHANGE_VERBS.flatMap(([key, verb]) =>
    kinds.flatMap(({ what, section, refTo }) => section[key].map((entry) => describe(what, verb, entry, refTo(entry)))),
  );
  const { shown, omitted } = cutList(request, steps, MAX_CHANGES);
  if (omitted === 0) return shown;
  const text = `It changed ${countOf(omitted, 'more object')}.`;
  return [...shown, createSummary(request, subject, { at: finishedAt, text })];
}

/** What is live instead. */
function describeNow(
  { appliedRevision, appliedCommit, appliedAt, name }: FactoryView,
  { revision }: Reconciliation,
): StoryStep[] {
  if (appliedRevision === null || appliedRevision === revision) return [];
  return [
    createStep({
      at: appliedAt,
      outcome: 'now',
      text: `${nameRevisionFirst(appliedRevision)}${sayAuthor(appliedCommit)} is live.`,
      commit: { revision: appliedRevision, commit: appliedCommit },
      links: [{ kind: 'commit', factory: name, id: appliedRevision, name: shortenRevision(appliedRevision) }],
    }),
  ];
}

interface Started {
  runs: readonly Run[];
  more: boolean;
}

const NO_RUNS: Started = { runs: [], more: false };

async function listStarted({ runs }: StoryRequest, factory: string, revision: string): Promise<Started> {
  const page = await runs.list({ factory, revision, limit: MAX_ENTRIES, cursor: null });
  return { runs: page.data, more: page.nextCursor !== null };
}

function sayRuns({ runs, more }: Started): string {
  if (runs.length === 0)
    return more ? 'None of the most recent runs started while it was live.' : 'No run started while it was live.';
  const failed = runs.filter(({ state }) => state === 'failed').length;
  const count = more ? `More than ${countOf(runs.length, 'run')}` : countOf(runs.length, 'run');
  return `${count} started while it was live${failed === 0 ? '' : `, ${failed} of them failed`}.`;
}

async function listRunSteps(request: StoryRequest, subject: ObjectRef, { runs, more }: Started): Promise<StoryStep[]> {
  const { shown, omitted } = cutList(request, rankRuns(runs), MAX_RUNS);
  const steps = (await readRuns(request, shown)).map((history) => {
    const { id, createdAt, state, factory } = history.run;
    const outcome = state === 'failed' ? 'failed' : state === 'succeeded' ? 'ok' : 'note';
    const links = [refRun(factory, id)];
    return createStep({
      at: createdAt,
      outcome,
      text: describeRunState(history),
      links,
      command: `dockbell why ${id}`,
    });
  });
  if (omitted === 0 && !more) return steps;
  const text = `${more ? 'More than ' : ''}${countOf(omitted, 'more run')} started while it was live.`;
  return [...steps, createSummary(request, subject, { at: null, text })];
}

function listRunsOf(request: StoryRequest, factory: string, revision: string): string {
  return `dockbell run list --revision ${revision.slice(0, 12)}${factoryOption(request, factory)}`;
}

function listNext(
  request: StoryRequest,
  { name, appliedRevision }: FactoryView,
  { revision, result, id }: Reconciliation,
  { runs }: Started,
): NextCommand[] {
  const option = factoryOption(request, name);
  const show = { purpose: 'Show every finding and change', command: `dockbell reconciliation show ${id}${option}` };
  if (result === 'failed' && revision !== appliedRevision) {
    return [{ purpose: 'Retry it now', command: `dockbell reconcile --wait${option}` }, show];
  }
  if (runs.length === 0 || revision === null) return [show];
  return [{ purpose: 'List the runs that it started', command: listRunsOf(request, name, revision) }, show];
}
