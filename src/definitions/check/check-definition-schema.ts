import type { RuleId } from '../../domain/rules.ts';
import type { FileProblem, ProblemCollector } from '../file-diagnostics.ts';
import { checkSchema, type SchemaProblem, type SchemaSubject } from '../yaml/check-schema.ts';
import type { KeyPath } from '../yaml/key-path.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';
import type { SchemaKind } from '../yaml/schemas.ts';
import { findValidator as findAutomationValidator } from '../yaml/validators/automation.ts';
import type { FindValidator } from '../yaml/validators/create-validator.ts';
import { findValidator as findFactoryValidator } from '../yaml/validators/factory.ts';
import { findValidator as findSampleValidator } from '../yaml/validators/sample.ts';
import { findValidator as findWebhookValidator } from '../yaml/validators/webhook.ts';

/** Compares a definition file with the JSON Schema of its kind and adds a finding for each difference. */
export function checkDefinitionSchema(kind: SchemaKind, yaml: YamlText, diagnostics: ProblemCollector): void {
  const problems = checkSchema(VALIDATORS[kind](), yaml.value, SUBJECTS[kind]);
  diagnostics.addAll(problems.map((describe) => () => toProblem(kind, describe(), yaml)));
}

const VALIDATORS: { [kind in SchemaKind]: FindValidator } = {
  webhook: findWebhookValidator,
  automation: findAutomationValidator,
  factory: findFactoryValidator,
  sample: findSampleValidator,
};

const SUBJECTS: { [kind in SchemaKind]: SchemaSubject } = {
  webhook: { root: 'The file', explainUnknownKey: (key, path) => explainName('webhook', 'file', key, path.length) },
  automation: {
    root: 'The front matter',
    explainUnknownKey: (key, path) =>
      explainName('automation', 'folder or file', key, path.length) ?? explainFilterKey(key, path),
  },
  factory: { root: 'The file' },
  sample: { root: 'The file', explainUnknownKey: (key, path) => explainName('sample', 'file', key, path.length) },
};

function explainName(kind: string, place: string, key: string, depth: number): string | null {
  return key === 'name' && depth === 0 ? `Remove it: the name of the ${kind} is the name of its ${place}.` : null;
}

/** A key of the filter that is next to the filter: `payload` next to `filter`. */
function explainFilterKey(key: string, path: KeyPath): string | null {
  const isInTrigger = path.length === 2 && path[0] === 'triggers';
  return isInTrigger && FILTER_KEYS.has(key) ? sayMoveBelowFilter(key) : null;
}

const FILTER_KEYS: ReadonlySet<string> = new Set(['webhooks', 'webhook_ids', 'headers', 'payload']);

export function sayMoveBelowFilter(key: string): string {
  return `Move it below "filter": filter: {${key}: …}.`;
}

function toProblem(
  kind: SchemaKind,
  { rule, code, path, on, message, hint }: SchemaProblem,
  yaml: YamlText,
): FileProblem {
  // Every key of factory.yaml is accepted, because other tools have theirs there: no rule is called factory/unknown-key.
  return { rule: (rule ?? `${kind}/${code}`) as RuleId, at: yaml.locate(path)[on], path, message, hint };
}
