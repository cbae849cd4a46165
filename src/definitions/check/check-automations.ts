import { isDeepStrictEqual } from 'node:util';
import type { Diagnostic } from '../../domain/definitions/diagnostic.ts';
import { OrderedLookup } from '../../domain/definitions/ordered-lookup.ts';
import { isWebhookTrigger } from '../../domain/definitions/trigger.ts';
import type { LintSettings } from '../../domain/rules.ts';
import { FileDiagnostics, type ListingLimit } from '../file-diagnostics.ts';
import type { AutomationResult } from '../read/file-result.ts';
import { pickServingKeys } from '../triggers/serving-webhooks.ts';
import { checkMissingWebhooks } from './check-missing-webhooks.ts';
import { type CheckedAutomation, createReferenceCheck } from './check-references.ts';
import { checkSameTriggers, type ProblemsByFile } from './check-same-triggers.ts';
import { collectUsedWebhooks } from './check-unused-webhooks.ts';
import type { References } from './references.ts';

/** What the rules about automations depend on, in addition to the files of the automations. */
interface Surroundings {
  /** As in `SourceTree`. */
  prefix: string;
  lint: LintSettings;
  references: References;
}

/** The automations of a tree with the results of all rules about them. */
export interface AutomationsCheck {
  automations: readonly CheckedAutomation[];
  /** Of rules that compare automations with each other. */
  triggerProblems: ProblemsByFile;
  /** As `collectUsedWebhooks`. */
  usedWebhooks: ReadonlySet<string> | null;
  surroundings: Surroundings;
}

/**
 * Applies the rules across files to the automations of a tree. Checks only automations that can have other problems than in
 * the earlier tree.
 *
 * @param earlier `null` if there is none
 */
export function checkAutomations(
  results: readonly AutomationResult[],
  surroundings: Surroundings,
  earlier: AutomationsCheck | null,
  limit: ListingLimit,
): AutomationsCheck {
  const { prefix, lint, references } = surroundings;
  const changed = earlier && findChangedWebhooks(earlier.surroundings, surroundings);
  const findKept = earlier === null || changed === null ? () => undefined : createFinder(earlier, changed, references);
  const check = createReferenceCheck(references);
  const checkAlone = (result: AutomationResult) => {
    const diagnostics = new FileDiagnostics(prefix + result.path, lint, limit.ofNextFile);
    diagnostics.addFindings(result.findings);
    return check(result, diagnostics);
  };
  const automations = results.map((result, index) => {
    const checked = findKept(result, index) ?? checkAlone(result);
    limit.note(checked.diagnostics?.size ?? 0);
    return checked;
  });
  if (earlier !== null && changed !== null && haveSameFiles(automations, earlier.automations)) {
    return { ...earlier, automations, surroundings };
  }
  const triggerProblems = mergeProblems(checkSameTriggers(automations, references), checkMissingWebhooks(automations));
  const usedWebhooks = collectUsedWebhooks(automations, references);
  return { automations, triggerProblems, usedWebhooks, surroundings };
}

function mergeProblems(one: ProblemsByFile, other: ProblemsByFile): ProblemsByFile {
  if (other.size === 0) return one;
  const merged = new Map(one);
  for (const [result, problems] of other) merged.set(result, [...(merged.get(result) ?? []), ...problems]);
  return merged;
}

/** All diagnostics, in the order of the automations. */
export function listAutomationDiagnostics({
  automations,
  triggerProblems,
  surroundings: { prefix, lint },
}: AutomationsCheck): Diagnostic[] {
  const listed: Diagnostic[] = [];
  for (const { result, diagnostics } of automations) {
    const problems = triggerProblems.size === 0 ? undefined : triggerProblems.get(result);
    if (diagnostics === null && problems === undefined) continue;
    const found = diagnostics ?? new FileDiagnostics(prefix + result.path, lint);
    listed.push(...(problems === undefined ? found : found.with(problems)).toDiagnostics());
  }
  return listed;
}

/** Names of the webhooks that were enabled or disabled. `null` if more has changed that can concern every automation. */
function findChangedWebhooks(before: Surroundings, after: Surroundings): ReadonlySet<string> | null {
  const [old, now] = [before.references, after.references];
  const isSame =
    before.prefix === after.prefix &&
    isDeepStrictEqual(before.lint, after.lint) &&
    isDeepStrictEqual(old.declared, now.declared) &&
    isDeepStrictEqual(old.agentNames, now.agentNames) &&
    isDeepStrictEqual(old.knownUids, now.knownUids) &&
    isDeepStrictEqual(old.repositories, now.repositories) &&
    isDeepStrictEqual(listServingKeys(old), listServingKeys(now));
  if (!isSame) return null;
  const isDisabled = ({ webhooks }: References, name: string) => webhooks.get(name)?.enabled === false;
  return new Set([...now.declared].filter((name) => isDisabled(old, name) !== isDisabled(now, name)));
}

function listServingKeys({ webhooks }: References) {
  return [...webhooks.values()].map(pickServingKeys);
}

/** Finds automations with the same file as before, whose references mean the same as before. */
function createFinder(
  { automations }: AutomationsCheck,
  changed: ReadonlySet<string>,
  references: References,
): (result: AutomationResult, index: number) => CheckedAutomation | undefined {
  const byFile = new OrderedLookup(
    automations.map(({ result }) => result),
    automations,
  );
  return (result, index) => {
    const kept = byFile.get(result, index);
    if (kept === undefined || kept.hasWrongReferences) return undefined;
    return changed.size > 0 && usesAny(kept, changed, references) ? undefined : kept;
  };
}

function usesAny({ definition }: CheckedAutomation, changed: ReadonlySet<string>, { namesByUid }: References): boolean {
  if (definition === null) return false;
  return definition.triggers.some(
    (trigger) =>
      // Any webhook can serve the provider of another trigger.
      !isWebhookTrigger(trigger) ||
      trigger.webhooks.some((name) => changed.has(name)) ||
      trigger.webhookIds.some((uid) => changed.has(namesByUid.get(uid) ?? '')),
  );
}

function haveSameFiles(automations: readonly CheckedAutomation[], others: readonly CheckedAutomation[]): boolean {
  return (
    automations.length === others.length && automations.every(({ result }, index) => result === others[index]!.result)
  );
}
