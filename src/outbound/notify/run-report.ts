import type { CommitState, RunReport } from '../../domain/messages/notice.ts';
import type { RunInput } from '../../domain/resources/run.ts';
import { type Rendered, renderTemplate } from '../../domain/runs/workspace.ts';
import type { RunPost } from './notify-target.ts';

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const REPOSITORY = /^[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)+$/;
const NUMBER = /^[1-9]\d{0,9}$/;

/** What is posted about a run, or why nothing is. `report` is `null` if nobody expects a post. */
type ComposedRunReport = { ok: true; report: RunReport } | { ok: false; problem: string; report: RunReport | null };

/** Runs that another run replaced have nothing to say. */
const REPLACED: ReadonlySet<string | null> = new Set(['superseded', 'skipped', 'over_budget']);

/**
 * The report about a run that has ended, for one target. Repository, commit and number come from the payload, so each is
 * checked: a sender must not choose another path of the API.
 */
export function composeRunReport({ run, payload }: RunInput, target: RunPost | 'callback'): ComposedRunReport {
  const { state, error, output } = run;
  if (state === 'queued' || state === 'running' || run.finishedAt === null) return skip('the run has not ended', null);
  if (REPLACED.has(error)) return skip('the run was replaced', null);
  const states: Record<typeof state, CommitState> = { succeeded: 'success', failed: 'failure', cancelled: 'error' };
  const report: RunReport = {
    kind: 'run',
    state: states[state],
    run: { ...run, traceContext: null },
    place: null,
    finishedAt: run.finishedAt,
  };
  if (target === 'callback') return { ok: true, report };
  if (target.post === 'comment' && (output == null || (output.summary === null && output.links.length === 0))) {
    return skip('the run wrote neither a summary nor a link', report);
  }
  return locate(report, target, parsePayload(payload));
}

function locate(report: RunReport, target: RunPost, payload: Parameters<typeof renderTemplate>[1]): ComposedRunReport {
  const repository = read('repository', target.repository, REPOSITORY, payload);
  if (!repository.ok) return skip(repository.problem, report);
  const isStatus = target.post === 'status';
  const subject = isStatus
    ? read('commit', target.commit, COMMIT, payload)
    : read('number', target.number, NUMBER, payload);
  if (!subject.ok) return skip(subject.problem, report);
  const place = {
    repository: repository.text,
    commit: isStatus ? subject.text : null,
    number: isStatus ? null : subject.text,
  };
  return { ok: true, report: { ...report, place } };
}

function read(
  key: string,
  template: string | null,
  form: RegExp,
  payload: Parameters<typeof renderTemplate>[1],
): Rendered {
  const rendered = renderTemplate(template ?? '', payload);
  if (!rendered.ok) return { ok: false, problem: `${key}: ${rendered.problem}` };
  if (form.test(rendered.text) && !rendered.text.includes('..')) return rendered;
  return { ok: false, problem: `${key}: ${JSON.stringify(rendered.text)} is not a ${key}` };
}

function parsePayload(bytes: Uint8Array) {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
}

function skip(problem: string, report: RunReport | null): ComposedRunReport {
  return { ok: false, problem, report };
}
