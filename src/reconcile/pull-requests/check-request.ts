import { describeRejectedTree } from '../../definitions/check/unread-tree.ts';
import type { PlanPreview } from '../../domain/applies/plan-preview.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { hasErrors } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import type { CommitState } from '../../domain/messages/notice.ts';
import { describeSlowness } from '../inspection/definitions-thread.ts';
import type { PreviewOrder } from '../preview-plan.ts';
import type { RequestHead, RequestTreesResult } from '../source/request-heads.ts';
import { summariseFindings } from '../summarise-findings.ts';
import { composeInvalid, composePlan } from './compose-comment.ts';
import { mergeTrees } from './merge-trees.ts';

/** One pull request to check. */
export interface CheckOrder {
  factory: string;
  head: RequestHead;
  /** Folder of the factory in the repository: `''` or `sub/dir/`. */
  prefix: string;
  /** Numbers of the open requests. */
  open: readonly number[];
  branch: string;
  /** Does the head belong to another repository? Anybody may have written it. */
  isFork: boolean;
  hasBacktest: boolean;
}

/** What was found. `untouched`: the request changes nothing that the factory reads. `unread`: nothing is known yet. */
export type RequestCheck = { outcome: 'untouched' } | { outcome: 'unread'; message: string } | CheckedRequest;

interface CheckedRequest {
  outcome: 'checked';
  state: Exclude<CommitState, 'pending'>;
  /** One line for the commit status. */
  description: string;
  /** Markdown in which nothing of the request has an effect. */
  comment: string;
  /** Team secrets that do not exist and that the apply would wait for. */
  missingSecrets: string[];
}

interface CheckParts {
  read(head: RequestHead, prefix: string, open: ReadonlySet<number>): Promise<RequestTreesResult>;
  preview(order: PreviewOrder): Promise<PlanPreview>;
  /** The request changes the factory; its check takes some seconds more. */
  onTouched(): void;
}

/**
 * Reads what a merge would make of the definition, validates it, and plans. Writes nothing. Secrets are checked for existence
 * only, and a head of a fork gets no backtest: its filters could ask for the contents of payloads.
 */
export async function checkRequest(parts: CheckParts, order: CheckOrder): Promise<RequestCheck> {
  const { head, prefix, factory } = order;
  const read = await parts.read(head, prefix, new Set(order.open));
  if (!read.ok) {
    if (!isOfRequest(read)) return { outcome: 'unread', message: read.message };
    const reason = read.reason === 'TreeOdd' ? 'TreeOdd' : 'TreeTooLarge';
    const finding = describeRejectedTree(reason, read.message);
    return conclude(order, { prefix, entries: [] }, { valid: false, diagnostics: [finding] }, []);
  }
  const { isTouched, tree, conflicts } = mergeTrees(read);
  if (!isTouched) return { outcome: 'untouched' };
  parts.onTouched();
  const hasBacktest = order.hasBacktest && !order.isFork;
  const preview = await parts.preview({ factory, tree, mayCheckSecrets: false, hasBacktest });
  return conclude(order, tree, preview, listNotes(order, conflicts, read.base === null));
}

/** The outcome of a check whose thread was ended because a file was too slow to read. Throws any other error. */
export function describeSlowCheck(error: unknown, order: CheckOrder): CheckedRequest {
  const { diagnostics } = describeSlowness(error);
  return conclude(order, { prefix: order.prefix, entries: [] }, { valid: false, diagnostics }, []);
}

/** Is it the tree of the request that cannot be used, so that only another commit helps? */
function isOfRequest(
  failure: RequestTreesResult & { ok: false },
): failure is RequestTreesResult & { ok: false; reason: 'TreeOdd' | 'TreeTooLarge' | 'FetchTooLarge' } {
  return ['TreeOdd', 'TreeTooLarge', 'FetchTooLarge'].includes(failure.reason);
}

function conclude(order: CheckOrder, tree: SourceTree, preview: PlanPreview, notes: readonly string[]): CheckedRequest {
  const footer = { commit: order.head.commit, branch: order.branch, notes };
  if (!preview.valid) {
    const { diagnostics } = preview;
    return {
      outcome: 'checked',
      state: 'failure',
      description: summariseFindings(diagnostics),
      comment: composeInvalid(diagnostics, tree, footer),
      missingSecrets: [],
    };
  }
  const { comment, summary } = composePlan(order.factory, preview, footer);
  const missingSecrets = preview.missingSecrets.filter(({ webhooks }) => webhooks.length > 0).map(({ name }) => name);
  const isRejected = hasErrors(preview.diagnostics.filter(({ rule }) => rule !== 'secret/missing'));
  return {
    outcome: 'checked',
    state: isRejected ? 'failure' : 'success',
    description: isRejected
      ? summariseFindings(preview.diagnostics)
      : `${summary}${describeMissing(missingSecrets)}${describeWarnings(preview.diagnostics)}`,
    comment,
    missingSecrets,
  };
}

function describeMissing([first, ...more]: readonly string[]): string {
  if (first === undefined) return '';
  return `; waits for the secret ${first}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

function describeWarnings(diagnostics: readonly Diagnostic[]): string {
  const count = diagnostics.filter(({ rule }) => rule !== 'secret/missing').length;
  if (count === 0) return '';
  return count === 1 ? '; a warning' : `; ${count} warnings`;
}

/** Paths are texts of the request, so the notes only count them. */
function listNotes({ branch, isFork, hasBacktest }: CheckOrder, conflicts: string[], isBaseUnknown: boolean): string[] {
  const notes: string[] = [];
  if (isBaseUnknown) {
    notes.push(
      `The last 1,000 commits do not show where the branch left ${branch}. This is the plan of the branch as it is.`,
    );
  }
  if (conflicts.length > 0) {
    const files = conflicts.length === 1 ? '1 file' : `${conflicts.length} files`;
    notes.push(`Both this branch and ${branch} changed ${files}. The plan uses the version of this branch.`);
  }
  if (isFork && hasBacktest) notes.push('No backtest: the commit is from a fork.');
  return notes;
}
