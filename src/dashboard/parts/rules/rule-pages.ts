// One chunk with all pages, loaded when the first is opened: they are small, and readers may have no other network.
import pages from 'virtual:rule-pages';
import type { RulePiece } from '../../../../scripts/rule-docs.ts';

/** The page of a rule; one sentence for a rule without a page. */
export function readRulePage(rule: string): RulePiece[] {
  return pages[rule] ?? [{ kind: 'prose', text: 'This rule has no page.' }];
}
