import { isJsonObject } from '../../core/json.ts';
import { isRuleId, type LintSettings, RULE_SEVERITIES, RULES, type RuleSeverity } from '../../core/rules.ts';
import { suggest } from '../../core/suggest.ts';
import { quote } from '../../yaml/key-path.ts';
import { parseYaml, type YamlText } from '../../yaml/parse-yaml.ts';
import { checkDefinitionSchema } from '../check/check-definition-schema.ts';
import type { Finding, Findings } from '../findings.ts';

/** What of `factory.yaml` is needed further on. */
export interface ReadFactory {
  /** The settings that are right, also where others are not, so that one mistake does not bring back every warning. */
  lint: LintSettings;
}

/** Reads the text of `factory.yaml`. What is wrong is in `findings`. */
export function readFactory(text: string, findings: Findings): ReadFactory {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    findings.addAll(parsed.findings);
    return { lint: {} };
  }
  checkDefinitionSchema('factory', parsed.yaml, findings);
  return { lint: readLint(parsed.yaml, findings) };
}

function readLint(yaml: YamlText, findings: Findings): LintSettings {
  const declared = isJsonObject(yaml.value) && isJsonObject(yaml.value.lint) ? yaml.value.lint : {};
  const wrong = Object.keys(declared).filter((rule) => !isRuleId(rule) || !RULES[rule].isLint);
  findings.addAll(wrong.map((rule) => () => describeWrongRule(rule, yaml)));
  const settings = Object.entries(declared).filter(
    ([rule, severity]) => isRuleId(rule) && RULES[rule].isLint && isRuleSeverity(severity),
  );
  return Object.fromEntries(settings);
}

function isRuleSeverity(value: unknown): value is RuleSeverity {
  return RULE_SEVERITIES.some((severity) => severity === value);
}

function describeWrongRule(rule: string, yaml: YamlText): Finding {
  const path = ['lint', rule];
  const { key: at } = yaml.locate(path);
  if (!isRuleId(rule)) {
    const message = `There is no rule ${quote(rule)}.`;
    return { rule: 'factory/unknown-rule', at, path, message, hint: hintForUnknownRule(rule) };
  }
  const message = `The rule ${rule} cannot be changed: what breaks it has no meaning.`;
  const hint = 'Remove this line, and correct what the rule reports. docs/reference/diagnostics.md marks the others.';
  return { rule: 'factory/not-a-lint-rule', at, path, message, hint };
}

function hintForUnknownRule(rule: string): string {
  const meant = suggest(rule, Object.keys(RULES));
  if (meant !== null) return `Did you mean ${quote(meant)}?`;
  return 'Each finding shows the id of its rule in brackets; docs/reference/diagnostics.md lists them.';
}
