// One chunk with all pages, loaded when the first is opened. It works without internet access.
import pages from 'virtual:rule-pages';
import type { RulePiece } from '../../../../scripts/rule-docs.ts';

/** The documentation of a rule; one sentence for a rule without documentation. */
export function readRulePage(rule: string): RulePiece[] {
  return pages[rule] ?? [{ kind: 'prose', text: 'This rule has no documentation.' }];
}
