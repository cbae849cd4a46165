import {
  describeSeverity,
  dropLinks,
  listRulePieces,
  type RulePiece,
  readRuleGuides,
  type Shown,
} from '../../definitions/report/rule-guide.ts';
import { isRuleId, RULES, type RuleId } from '../../domain/rules.ts';
import { suggest } from '../../domain/suggest.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import type { Colors } from '../output/colors.ts';
import type { Column } from '../output/table.ts';

interface ExplainOptions {
  json?: boolean;
}

/** `dockbell explain`: what a rule about definitions means, and how to fix a finding. */
export function declareExplain(command: CliCommand, bind: Bind): void {
  command
    .argument('[rule]', 'the ID of the rule, as findings show it; without it, all rules are listed')
    .withJson('the explanation or the list as JSON')
    .offline()
    .explain({
      negative: 'the rule is unknown',
      examples: [
        ['dockbell explain', 'all rules, their default severity, and whether a factory can change it'],
        ['dockbell explain webhook/unknown-key', 'the reason for one rule, a wrong example and a right one'],
      ],
    })
    .action(bind(explainRule));
}

async function explainRule(session: CommandSession, options: ExplainOptions, name?: string): Promise<number> {
  if (name === undefined) listRules(session, options);
  else printRule(session, options, requireRule(name));
  return EXIT_CODES.done;
}

const RULE_IDS = Object.keys(RULES) as RuleId[];

const COLUMNS: Column<RuleId>[] = [
  { head: 'RULE', text: (rule) => rule, narrow: 'whole' },
  { head: 'DEFAULT', text: (rule) => RULES[rule].severity },
  { head: 'CAN CHANGE', text: (rule) => (RULES[rule].isLint ? 'yes' : 'no'), drop: 1 },
  { head: 'WHEN', text: (rule) => RULES[rule].description, narrow: 'below' },
];

function listRules({ output }: CommandSession, { json }: ExplainOptions): void {
  if (json) output.json({ data: RULE_IDS.map(presentRule), next_cursor: null });
  else output.table(COLUMNS, RULE_IDS);
}

function printRule({ output }: CommandSession, { json }: ExplainOptions, rule: RuleId): void {
  const guide = readRuleGuides()[rule];
  if (json) {
    const { why, wrong, right } = guide;
    output.json({ ...presentRule(rule), why: dropLinks(why), wrong: presentShown(wrong), right: presentShown(right) });
    return;
  }
  const [description, ...pieces] = listRulePieces(rule, guide).map((piece) => renderPiece(piece, output.colors));
  const parts = [`${output.colors.bold(rule)}\n${description}`, describeSeverity(rule), ...pieces];
  output.line(parts.join('\n\n'));
}

function presentRule(rule: RuleId): object {
  const { severity, isLint, description } = RULES[rule];
  return { rule, severity, lint: isLint, description };
}

/** `file` is `null` for a sentence in place of an example. */
function presentShown(shown: Shown): object[] {
  if (typeof shown === 'string') return [{ file: null, text: dropLinks(shown) }];
  return Object.entries(shown).map(([file, text]) => ({ file, text }));
}

function renderPiece(piece: RulePiece, colors: Colors): string {
  if (piece.kind === 'prose') return dropLinks(piece.text);
  if (piece.kind === 'heading') return colors.bold(`${piece.text}:`);
  return `  ${colors.dim(piece.file)}\n${piece.text.replaceAll(/^(?=.)/gm, '    ')}`;
}

/** Throws `CliError` `not_found` with the nearest IDs. The part after the slash is a part of several IDs. */
function requireRule(name: string): RuleId {
  if (isRuleId(name)) return name;
  const nearest = suggest(name, RULE_IDS);
  const similar = nearest === null ? RULE_IDS.filter((rule) => rule.split('/').includes(name)) : [nearest];
  const question = similar.length === 0 ? '' : `Did you mean ${similar.join(', ')}? `;
  throw new CliError(`'${escapeText(name)}' is not a rule.`, {
    code: 'not_found',
    hint: `${question}'dockbell explain' lists the rules.`,
  });
}
