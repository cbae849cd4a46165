import { ALERT_RULE_NAMES, type AlertRule, type RuleSettings } from '../../domain/messages/alert-rules.ts';
import { workOnEach } from '../../domain/work-on-each.ts';
import { EXAMINERS } from './rules/examiners.ts';
import { type Examiner, type Finding, MAX_FINDINGS, type RuleSources } from './rules/finding.ts';

/** What was found, and for what. Alerts of the rule outside of `factory` are not affected. */
export interface Examination {
  rule: AlertRule;
  /** `undefined`: the findings are all that the rule has. */
  factory?: string;
  findings: Finding[];
}

/** What one evaluation looks at. */
interface ExaminationOrder {
  settings: RuleSettings;
  /** Factories of the configuration. Nothing of any other factory is found. */
  factories: readonly string[];
  /** Factories whose runs changed, and those with an alert about runs. */
  changed: ReadonlySet<string>;
  /** Called for a read that failed. The alerts of its rule stay as they are. */
  onFailure(rule: AlertRule, error: unknown): void;
}

/** Examines each rule. One that is off finds nothing, so its alerts end. */
export async function examineRules(sources: RuleSources, order: ExaminationOrder): Promise<Examination[]> {
  const examinations: Examination[] = [];
  const examine = async (one: Scope) => examinations.push(await examineScope(sources, one, order));
  const scopes = ALERT_RULE_NAMES.flatMap((rule) => listScopes(rule, order));
  await workOnEach(scopes, examine, (error, { rule }) => order.onFailure(rule, error));
  return examinations;
}

/** What is read for a rule at a time: one that fails leaves the alerts of the others right. */
type Scope = Pick<Examination, 'rule' | 'factory'>;

function listScopes(rule: AlertRule, { settings, factories, changed }: ExaminationOrder): Scope[] {
  const examiner = EXAMINERS[rule];
  if (settings[rule] === false || examiner.scope === 'all') return [{ rule }];
  return [...(examiner.onChange ? changed : new Set([...factories, ...changed]))].map((factory) => ({ rule, factory }));
}

async function examineScope(
  sources: RuleSources,
  { rule, factory }: Scope,
  { settings, factories }: ExaminationOrder,
): Promise<Examination> {
  const setting = settings[rule];
  if (setting === false) return { rule, findings: [] };
  const examiner = EXAMINERS[rule] as Examiner<number | true>;
  if (examiner.scope === 'all') {
    const found = await examiner.find(sources, setting);
    const configured = found.filter((one) => one.factory === null || factories.includes(one.factory));
    return { rule, findings: configured.sort(compareFindings).slice(0, MAX_FINDINGS) };
  }
  const findings = factories.includes(factory!) ? await examiner.find(sources, setting, factory!) : [];
  return { rule, factory: factory!, findings };
}

/** A fixed order, so that the findings beyond the limit are the same ones at each evaluation. */
function compareFindings(one: Finding, other: Finding): number {
  return compareTexts(one.factory, other.factory) || compareTexts(one.object, other.object);
}

function compareTexts(one: string | null, other: string | null): number {
  return (one ?? '').localeCompare(other ?? '', 'en');
}
