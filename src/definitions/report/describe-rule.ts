import { readFileSync } from 'node:fs';
import { RULES, type RuleId, type RuleSeverity, rulePagePath } from '../../core/rules.ts';
import { packageFile } from '../../files/package-files.ts';

/** A rule for reports that list rules. */
export interface DescribedRule {
  /** Where `factory.yaml` says nothing about it. */
  severity: RuleSeverity;
  /** One sentence. */
  description: string;
  /** Why there is such a rule: the first paragraph of its page, without its links. */
  why: string;
  /** Path of its page in the repository and in the package. */
  page: string;
  /** The page itself, in Markdown. */
  text: string;
}

/** Describes a rule that a diagnostic carries. */
export function describeRule(rule: RuleId): DescribedRule {
  const { severity, description } = RULES[rule];
  const page = rulePagePath(rule);
  const text = readFileSync(packageFile(page), 'utf8').replace(/^<!--.*-->\n\n/m, '');
  return { severity, description, why: readWhy(text), page, text };
}

/** What stands below the table of a page. */
function readWhy(text: string): string {
  const paragraph = /\|\n\n(?!#)(.+)\n/.exec(text)?.[1] ?? '';
  return paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
