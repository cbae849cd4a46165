import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { parse } from 'yaml';
import { RULES, type RuleId } from '../../domain/rules.ts';
import { packageFile } from '../../platform/files/package-files.ts';

/** Path → text of files, or a sentence if files cannot show it. */
export type Shown = string | { readonly [path: string]: string };

/** The text about one rule in `docs/rules/guides.yaml`. */
export interface RuleGuide {
  why: string;
  wrong: Shown;
  right: Shown;
}

/** A part of the text about a rule. Prose contains code in backquotes and links in Markdown. */
export type RulePiece =
  | { kind: 'heading'; text: string }
  | { kind: 'prose'; text: string }
  | { kind: 'code'; text: string /** Path of the file that the example shows. */; file: string };

/** All guides by the ID of their rule. */
export function readRuleGuides(): { readonly [rule in RuleId]: RuleGuide } {
  return parse(readFileSync(packageFile('docs/rules/guides.yaml'), 'utf8'));
}

/** What is wrong, why, an example of it, an example of the remedy, and how to change the severity of a lint rule. */
export function listRulePieces(rule: RuleId, { why, wrong, right }: RuleGuide): RulePiece[] {
  return [
    { kind: 'prose', text: RULES[rule].description },
    { kind: 'prose', text: why },
    { kind: 'heading', text: 'Wrong' },
    ...listShown(wrong),
    { kind: 'heading', text: 'Right' },
    ...listShown(right),
    ...(RULES[rule].isLint ? listSetting(rule) : []),
  ];
}

function listShown(shown: Shown): RulePiece[] {
  if (typeof shown === 'string') return [{ kind: 'prose', text: shown }];
  return Object.entries(shown).map(([file, text]) => ({ kind: 'code', file, text: text.trimEnd() }));
}

function listSetting(rule: RuleId): RulePiece[] {
  const [first, second] = RULES[rule].severity === 'off' ? ['warning', 'error'] : ['off', 'error'];
  const text = `schemaVersion: v1alpha1\nname: payments\nlint:\n  ${rule}: ${first} # or ${second}`;
  return [
    { kind: 'heading', text: 'Change the severity' },
    { kind: 'code', file: 'factory.yaml', text },
  ];
}

/** One sentence about the default severity of a rule, and whether a factory can change it. */
export function describeSeverity(rule: RuleId): string {
  const { severity, isLint } = RULES[rule];
  return isLint
    ? `Severity: ${severity}, unless \`lint\` in \`factory.yaml\` changes it.`
    : `Severity: ${severity}. It cannot be changed, because such a definition is never applied.`;
}

/** The section about a rule without its title, in Markdown. Its links are relative to `docs/reference/`. */
export function renderRuleMarkdown(rule: RuleId, guide: RuleGuide): string {
  const [description, ...pieces] = listRulePieces(rule, guide).map(renderPiece);
  return [description, describeSeverity(rule), ...pieces].join('\n\n');
}

/** Shown samples may be something other than JSON. */
const LANGUAGES: { [extension: string]: string } = { '.md': 'markdown', '.json': 'jsonc' };

function renderPiece(piece: RulePiece): string {
  if (piece.kind === 'prose') return piece.text.trim();
  if (piece.kind === 'heading') return `**${piece.text}**`;
  return `\`\`\`${LANGUAGES[extname(piece.file)] ?? 'yaml'} ${piece.file}\n${piece.text}\n\`\`\``;
}

/** Prose on one line and without links, for readers who cannot follow them. */
export function dropLinks(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .replaceAll('\n', ' ');
}
