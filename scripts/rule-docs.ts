import {
  dropLinks,
  listRulePieces,
  type RulePiece,
  readRuleGuides,
  renderRuleMarkdown,
} from '../src/definitions/report/rule-guide.ts';
import { RULES, type RuleId } from '../src/domain/rules.ts';

export type { RulePiece };

export const RULE_IDS = Object.keys(RULES) as RuleId[];

/** The rules in docs/reference/diagnostics.md: a table of all, and a section for each. */
export function renderRules(): string {
  const guides = readRuleGuides();
  const sections = RULE_IDS.map((rule) => `## ${rule}\n\n${renderRuleMarkdown(rule, guides[rule])}\n`);
  return [renderTable(), ...sections].join('\n');
}

function renderTable(): string {
  const rows = RULE_IDS.map((rule) => {
    const { severity, isLint, description } = RULES[rule];
    return `| [\`${rule}\`](#${rule.replace('/', '')}) | ${severity} | ${isLint ? 'yes' : ''} | ${description.replaceAll('|', '\\|')} |\n`;
  });
  return `| rule | default | may be changed | when |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

/** The sections as data, for the dashboard: without links, because their targets are not in the dashboard. */
export function listRulePages(): { [rule: string]: RulePiece[] } {
  const guides = readRuleGuides();
  const entries = RULE_IDS.map((rule) => {
    const pieces = listRulePieces(rule, guides[rule]);
    return [rule, pieces.map((piece) => (piece.kind === 'prose' ? { ...piece, text: dropLinks(piece.text) } : piece))];
  });
  return Object.fromEntries(entries);
}
