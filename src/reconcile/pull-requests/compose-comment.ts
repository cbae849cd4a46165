import { collectSources } from '../../definitions/report/collect-sources.ts';
import { formatPretty } from '../../definitions/report/format-pretty.ts';
import type { Backtest } from '../../domain/applies/backtest.ts';
import type { PlanPreview } from '../../domain/applies/plan-preview.ts';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import type { SourceTree } from '../../domain/definitions/source-tree.ts';
import { codeMarkdown } from '../../domain/words/posted-markdown.ts';
import { renderInvalidMarkdown, renderPlanMarkdown } from '../plan-report/plan-markdown.ts';
import { listPlannedItems, summarisePlan } from '../plan-report/plan-summary.ts';
import { presentPlanPreview } from '../plan-report/present-plan.ts';

/** What the last lines of a comment say. */
interface CommentFooter {
  commit: string;
  branch: string;
  notes: readonly string[];
}

/**
 * The comment about a valid definition, as `dockbell plan` prints it, and its summary. Everybody who can read the repository
 * can read it: it has no URLs of webhooks, and no values of payloads.
 */
export function composePlan(
  factory: string,
  preview: PlanPreview & { valid: true },
  footer: CommentFooter,
): { comment: string; summary: string } {
  const shown = { ...preview, backtest: omitValues(preview.backtest) };
  const plan = presentPlanPreview(factory, shown, { urls: null, appliedCommit: null });
  return {
    comment: `${renderPlanMarkdown(plan)}\n${formatFooter(footer)}`,
    summary: summarisePlan(listPlannedItems(plan)),
  };
}

/** The comment about an invalid definition: its findings. */
export function composeInvalid(diagnostics: readonly Diagnostic[], tree: SourceTree, footer: CommentFooter): string {
  const text = formatPretty(diagnostics, { sources: collectSources(tree, diagnostics), color: false });
  return `${renderInvalidMarkdown(text)}\n${formatFooter(footer)}`;
}

function omitValues(backtest: Backtest): Backtest {
  const omit = <Example extends { message: string }>(examples: readonly Example[]) =>
    examples.map((example) => ({ ...example, message: '' }));
  return {
    ...backtest,
    automations: backtest.automations.map((one) => ({ ...one, gained: omit(one.gained), lost: omit(one.lost) })),
  };
}

function formatFooter({ commit, branch, notes }: CommentFooter): string {
  const checked = `Checked ${codeMarkdown(commit.slice(0, 12))}, merged into ${codeMarkdown(branch)}.`;
  return `${[...notes, checked].join('\n\n')}\n`;
}
