import type { TreeEntry } from '../../domain/definitions/source-tree.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import { isRuleId, type LintSettings, RULE_SEVERITIES, RULES, type RuleSeverity } from '../../domain/rules.ts';
import { suggest } from '../../domain/suggest.ts';
import { checkDefinitionSchema } from '../check/check-definition-schema.ts';
import type { FileFindings, FileProblem, ProblemCollector } from '../file-diagnostics.ts';
import { type KeyPath, quote } from '../yaml/key-path.ts';
import { parseYaml, type YamlText } from '../yaml/parse-yaml.ts';
import type { FactoryResult } from './file-result.ts';
import { readDefinitionText } from './read-definition-text.ts';

/** Reads `factory.yaml`. Invalid settings are omitted, so that one mistake does not bring back all warnings. */
export function readFactoryFile(entry: TreeEntry, findings: FileFindings): FactoryResult {
  const text = readDefinitionText(entry, findings);
  const read = text === null ? UNREADABLE : readFactory(text, findings);
  const { path, digest } = entry;
  return { kind: 'factory', path, digest, findings: findings.toFindings(), ...read };
}

type ReadFactory = Pick<FactoryResult, 'lint' | 'repositories'>;

const UNREADABLE: ReadFactory = { lint: {}, repositories: null };

function readFactory(text: string, diagnostics: ProblemCollector): ReadFactory {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    diagnostics.addAll(parsed.problems);
    return UNREADABLE;
  }
  checkDefinitionSchema('factory', parsed.yaml, diagnostics);
  return { lint: readLint(parsed.yaml, diagnostics), repositories: readRepositories(parsed.yaml, diagnostics) };
}

/** `owner/name`; the owner of a repository of GitLab can have subgroups. */
const REPOSITORY = /^[^\s/]+(?:\/[^\s/]+)+$/;

/** Omits entries of another form, so triggers of providers do not match their repositories. */
function readRepositories(yaml: YamlText, diagnostics: ProblemCollector): string[] | null {
  const declared = isJsonObject(yaml.value) ? (yaml.value.repositories ?? null) : null;
  if (declared === null) return null;
  if (!Array.isArray(declared)) {
    diagnostics.add(describeUnreadable(declared, ['repositories'], yaml));
    return [];
  }
  const names = declared.map(readRepository);
  const unreadable = [...names.keys()].filter((index) => names[index] === null);
  diagnostics.addAll(
    unreadable.map((index) => () => describeUnreadable(declared[index]!, ['repositories', index], yaml)),
  );
  return names.filter((name) => name !== null);
}

function readRepository(entry: Json): string | null {
  const { owner, name } = isJsonObject(entry) ? entry : {};
  const full = typeof owner === 'string' && typeof name === 'string' ? `${owner.trim()}/${name.trim()}` : entry;
  return typeof full === 'string' && REPOSITORY.test(full.trim()) ? full.trim() : null;
}

function describeUnreadable(value: Json, path: KeyPath, yaml: YamlText): FileProblem {
  const isList = path.length === 1;
  const message = isList
    ? `"repositories" is not a list, but ${quote(value)}. Triggers of providers without "repos" start nothing.`
    : `${quote(value)} is not a repository. Triggers of providers without "repos" do not match it.`;
  const hint = 'List each repository with its owner and its name, for example "- {owner: acme, name: payments}".';
  return { rule: 'factory/unreadable-repository', at: yaml.locate(path).value, path, message, hint };
}

function readLint(yaml: YamlText, diagnostics: ProblemCollector): LintSettings {
  const declared = isJsonObject(yaml.value) && isJsonObject(yaml.value.lint) ? yaml.value.lint : {};
  const wrong = Object.keys(declared).filter((rule) => !isRuleId(rule) || !RULES[rule].isLint);
  diagnostics.addAll(wrong.map((rule) => () => describeWrongRule(rule, yaml)));
  const settings = Object.entries(declared).filter(
    ([rule, severity]) => isRuleId(rule) && RULES[rule].isLint && isRuleSeverity(severity),
  );
  return Object.fromEntries(settings);
}

function isRuleSeverity(value: unknown): value is RuleSeverity {
  return RULE_SEVERITIES.some((severity) => severity === value);
}

function describeWrongRule(rule: string, yaml: YamlText): FileProblem {
  const path = ['lint', rule];
  const { key: at } = yaml.locate(path);
  if (!isRuleId(rule)) {
    const message = `The rule ${quote(rule)} does not exist.`;
    return { rule: 'factory/unknown-rule', at, path, message, hint: hintForUnknownRule(rule) };
  }
  const message = `The severity of ${rule} cannot be changed: a definition that violates the rule cannot be applied.`;
  const hint =
    "Remove this line, and fix what the rule reports. 'dockbell explain' lists the rules that can be changed.";
  return { rule: 'factory/not-a-lint-rule', at, path, message, hint };
}

function hintForUnknownRule(rule: string): string {
  const meant = suggest(rule, Object.keys(RULES));
  if (meant !== null) return `Did you mean ${quote(meant)}?`;
  return "Each diagnostic shows the ID of its rule in brackets. 'dockbell explain' lists all rules.";
}
