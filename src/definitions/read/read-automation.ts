import type { AutomationDefinition } from '../../domain/definitions/definition.ts';
import type { TreeEntry } from '../../domain/definitions/source-tree.ts';
import type { Trigger } from '../../domain/definitions/trigger.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { AUTOMATION_FIELDS, EXECUTION_OVERRIDES } from '../../domain/resources/automation.ts';
import { readDeclared } from '../../domain/resources/fields.ts';
import { isReservedVariable } from '../../domain/runs/reserved-variables.ts';
import { checkConcurrency } from '../check/check-concurrency.ts';
import { checkDefinitionSchema } from '../check/check-definition-schema.ts';
import { checkFilter } from '../check/check-filter.ts';
import { checkPromptInjection } from '../check/check-prompt-injection.ts';
import { checkProviderTriggers } from '../check/check-provider-triggers.ts';
import type { FileFindings, ProblemCollector } from '../file-diagnostics.ts';
import { parseWrittenFilter } from '../filter/parse-filter.ts';
import type { FilterPattern } from '../filter/pattern.ts';
import { parseYaml, type YamlText } from '../yaml/parse-yaml.ts';
import { type FrontMatter, splitFrontMatter } from '../yaml/split-front-matter.ts';
import { collectLinks, listWebhookFilters, type Patterns } from './collect-links.ts';
import { collectPlaces } from './collect-places.ts';
import type { AutomationResult } from './file-result.ts';
import { readDefinitionText } from './read-definition-text.ts';

/** Reads `automations/<name>/automation.md` or `automations/<name>.md`. */
export function readAutomationFile(name: string, entry: TreeEntry, findings: FileFindings): AutomationResult {
  const text = readDefinitionText(entry, findings);
  const read = text === null ? UNREADABLE : readAutomation(name, text, findings);
  const { path, digest } = entry;
  return { kind: 'automation', path, digest, findings: findings.toFindings(), ...read };
}

type ReadAutomation = Pick<AutomationResult, 'definition' | 'links'>;

const UNREADABLE: ReadAutomation = { definition: null, links: null };

function readAutomation(name: string, text: string, diagnostics: ProblemCollector): ReadAutomation {
  const parts = splitFrontMatter(text);
  if (!parts.ok) {
    const { rule, at, message, hint } = parts;
    diagnostics.add({ rule, at, path: [], message, hint });
    return UNREADABLE;
  }
  checkPrompt(parts, diagnostics);
  checkPromptInjection(text, parts.body, diagnostics);
  const parsed = parseYaml(parts.yaml, parts.linesBefore);
  if (!parsed.ok) {
    diagnostics.addAll(parsed.problems);
    return UNREADABLE;
  }
  diagnostics.addAll(parsed.doubts);
  checkDefinitionSchema('automation', parsed.yaml, diagnostics);
  checkProviderTriggers(parsed.yaml, diagnostics);
  const patterns = parseFilters(parsed.yaml, diagnostics);
  checkConcurrency(parsed.yaml, diagnostics);
  checkReservedSecrets(parsed.yaml, diagnostics);
  const definition = diagnostics.hasErrors() ? null : toAutomation(name, parsed.yaml, parts.body, diagnostics.file);
  return { definition, links: collectLinks(parsed.yaml, definition, patterns) };
}

function checkPrompt(parts: FrontMatter & { ok: true }, diagnostics: ProblemCollector): void {
  if (parts.body.trim() !== '') return;
  const message = 'The prompt is empty: nothing follows the front matter.';
  const hint = 'Write the task of the run below the closing "---".';
  diagnostics.add({ rule: 'automation/empty-prompt', at: parts.bodyAt, path: [], message, hint });
}

function parseFilters(yaml: YamlText, diagnostics: ProblemCollector): Patterns {
  const patterns = new Map<JsonObject, FilterPattern>();
  for (const { filter, path } of listWebhookFilters(yaml.value)) {
    // The schema has reported parts that are not maps.
    const { headers, payload } = filter;
    const parsed = parseWrittenFilter({
      headers: isJsonObject(headers) ? headers : undefined,
      payload: isJsonObject(payload) ? payload : undefined,
    });
    if (parsed.ok) {
      patterns.set(filter, parsed.pattern);
      checkFilter({ pattern: parsed.pattern, filter, path }, yaml, diagnostics);
      continue;
    }
    for (const problem of parsed.problems) {
      const place = [...path, problem.part, ...problem.path];
      const { rule, message, hint } = problem;
      diagnostics.add({ rule, at: yaml.locate(place).value, path: place, message, hint });
    }
  }
  return patterns;
}

function checkReservedSecrets(yaml: YamlText, diagnostics: ProblemCollector): void {
  const secrets = isJsonObject(yaml.value) && Array.isArray(yaml.value.secrets) ? yaml.value.secrets : [];
  secrets.forEach((name, index) => {
    if (typeof name !== 'string' || !isReservedVariable(name)) return;
    diagnostics.add({
      rule: 'automation/reserved-secret',
      at: yaml.locate(['secrets', index]).value,
      path: ['secrets', index],
      message: `${name} is reserved, so a run cannot get it from a secret: the daemon sets this variable, or it makes programs load code.`,
      hint: 'Store the value under another name, and list that name.',
    });
  });
}

function toAutomation(name: string, yaml: YamlText, prompt: string, file: string): AutomationDefinition {
  const declared = yaml.value as JsonObject;
  const set = EXECUTION_OVERRIDES.filter((key) => declared[key] !== undefined);
  return {
    name,
    file,
    ...readDeclared(AUTOMATION_FIELDS, declared),
    triggers: (declared.triggers as JsonObject[]).map((trigger, index) => toTrigger(trigger, index, yaml)),
    prompt,
    overrides: Object.fromEntries(set.map((key) => [key, declared[key]!])),
    places: collectPlaces(yaml),
  };
}

function toTrigger(trigger: JsonObject, index: number, yaml: YamlText): Trigger {
  if (trigger.provider !== 'webhook') return { provider: trigger.provider as string, declared: trigger };
  const filter = trigger.filter as JsonObject;
  const ids = filter.webhook_ids;
  const listKey = ids === undefined ? 'webhooks' : 'webhook_ids';
  return {
    provider: 'webhook',
    event: 'received',
    webhookIds: ((isJsonObject(ids) ? ids.in : ids) ?? []) as string[],
    webhooks: (filter.webhooks ?? []) as string[],
    ...(filter.headers === undefined ? {} : { headers: filter.headers as JsonObject }),
    payload: (filter.payload as JsonObject | undefined) ?? null,
    at: yaml.locate(['triggers', index, 'filter', listKey]).key,
  };
}
