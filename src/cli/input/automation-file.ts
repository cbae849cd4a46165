import type { Automation, AutomationTrigger } from '../../client/api-types.ts';
import type { paths } from '../../client/openapi.d.ts';
import { type AutomationContent, writeDeclaredAutomation } from '../../definitions/write/write-automation.ts';
import { parseYaml } from '../../definitions/yaml/parse-yaml.ts';
import { splitFrontMatter } from '../../definitions/yaml/split-front-matter.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { nameForApi, pickPolicy, type RunPolicyKey } from '../../domain/words/automations.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../exit-codes.ts';
import { readInput } from './read-input.ts';

/** An automation in a request. The daemon validates the values, so they are not checked here. */
export type AutomationBody =
  paths['/api/v1/factories/{factory}/automations/{name}']['put']['requestBody']['content']['application/json'];

/** Reads an `automation.md`: the keys of its front matter, and the prompt. `-` is standard input. */
export async function readAutomationFile(context: CliContext, path: string): Promise<AutomationBody> {
  const parts = splitFrontMatter(decode(await readInput(context, path), path));
  if (!parts.ok) throw reject(path, parts.at.line, parts.message, parts.hint);
  const parsed = parseYaml(parts.yaml, parts.linesBefore);
  if (!parsed.ok) {
    const finding = parsed.problems[0]!();
    throw reject(path, finding.at.line, finding.message, finding.hint);
  }
  const { value } = parsed.yaml;
  if (isJsonObject(value)) return { ...nameForApi(value), prompt: parts.body } as AutomationBody;
  throw reject(path, 2, 'The front matter is not a map of keys and values.', 'Start it with "triggers:".');
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CliError(`${describePlace(path)} is not UTF-8 text.`, { code: 'definition_invalid', cause });
  }
}

function reject(path: string, line: number, message: string, hint: string): CliError {
  return new CliError(`${describePlace(path)}:${line}: ${message}`, { hint, code: 'definition_invalid' });
}

function describePlace(path: string): string {
  return path === '-' ? 'standard input' : path;
}

/** The request that leaves an automation unchanged. */
export function declareAutomation(automation: Automation): AutomationBody {
  const { description, enabled, agent, prompt, overrides } = automation;
  const triggers = automation.triggers.map(declareTrigger);
  return {
    ...overrides,
    ...nameForApi(pickPolicy(automation)),
    description,
    enabled,
    agent,
    triggers,
    prompt,
  } as AutomationBody;
}

/** The text of `automation.md` for an automation. */
export function writeAutomationFile(automation: Automation): string {
  const { description, enabled, agent, prompt, overrides } = automation;
  const triggers = automation.triggers.map(declareTrigger);
  return writeDeclaredAutomation({
    description,
    enabled,
    agent,
    triggers,
    prompt,
    overrides: overrides as JsonObject,
    ...(pickPolicy(automation) as Pick<AutomationContent, RunPolicyKey>),
  });
}

/** The trigger as a definition declares it. Empty keys are omitted. */
function declareTrigger(trigger: AutomationTrigger): JsonObject {
  if ('service' in trigger) {
    const { listens_to: _, handled_elsewhere: __, service: ___, ticks: ____, ...declared } = trigger;
    return declared as JsonObject;
  }
  const { webhook_ids, webhooks, headers, payload } = trigger.filter;
  const filter = {
    ...(webhook_ids.length === 0 ? {} : { webhook_ids }),
    ...(webhooks.length === 0 ? {} : { webhooks }),
    ...(headers === null ? {} : { headers: headers as JsonObject }),
    ...(payload === null ? {} : { payload: payload as JsonObject }),
  };
  return { provider: trigger.provider, event: trigger.event, filter };
}
