import type { Diagnostic, Severity } from './definitions/diagnostic.ts';

/** Severity of a rule in a factory, as `lint` in `factory.yaml` sets it; `off` for no diagnostic. */
export const RULE_SEVERITIES = ['off', 'warning', 'error'] as const satisfies readonly (Severity | 'off')[];
export type RuleSeverity = (typeof RULE_SEVERITIES)[number];

interface Rule {
  /** Default, if `factory.yaml` does not set another severity. */
  severity: RuleSeverity;
  /** Can `lint` in `factory.yaml` change the severity? Not if a definition that violates the rule has no meaning. */
  isLint: boolean;
  /** One sentence for the reference and for reports that list rules. */
  description: string;
}

/**
 * Every rule about definitions, by its stable ID. Its section in `docs/reference/diagnostics.md` and the output of
 * `dockbell explain` are made from this table and `docs/rules/guides.yaml`. An ID is never reused.
 */
export const RULES = {
  'factory/not-found': error('The tree contains no `factory.yaml`, no `webhooks/` and no `automations/`.'),
  'tree/not-a-file': error('A symbolic link or a submodule is used in place of a definition file.'),
  'tree/wrong-case': error('A name differs from `factory.yaml`, `webhooks/` or `automations/` only in case.'),
  'tree/name-collision': error('Two names in the tree differ only in case, or in how letters are composed.'),
  'tree/similar-folder': lint(
    'warning',
    'The name of a folder is almost `webhooks` or `automations`, and that folder does not exist.',
  ),
  'tree/odd-name': error('A name in the tree is not UTF-8, contains a control character, or is reserved by git.'),
  'tree/too-large': error('The tree has too many entries, or its files are too large in total.'),
  'tree/omitted-file': lint('warning', 'Runs do not get a file in `agents/`, `runners/` or `skills/`.'),
  'file/too-large': error('A definition file is larger than 256 KiB.'),
  'file/too-slow': error(
    'Reading a definition file takes more than two seconds of processor time, or reading all files more than 30 seconds.',
  ),
  'file/not-utf8': error('A definition file is not valid UTF-8.'),
  'file/merge-conflict': error('A definition file contains an unresolved merge conflict.'),
  'file/lfs-pointer': error('A definition file is stored with Git LFS, so the repository contains only a pointer.'),
  'file/wrong-extension': error('The extension of a definition file is `.yml` or in upper case. It must be `.yaml`.'),
  'file/exposed-secret': lint('warning', 'A definition file contains text that looks like a credential.'),
  'file/too-many-findings': error('A file has more problems than are listed. For a sample, this is a warning.'),
  'yaml/tab': error('The indentation of a line contains a tab. YAML requires spaces.'),
  'yaml/syntax': error('The text is not valid YAML.'),
  'yaml/version': error('The text declares another version of YAML than 1.2.'),
  'yaml/multiple-documents': error('A file contains more than one YAML document.'),
  'yaml/too-deep': error('Values are nested more than 64 levels deep.'),
  'yaml/duplicate-key': error('A key is written twice in one map.'),
  'yaml/custom-tag': error('A value has a tag that is not part of the YAML 1.2 core schema.'),
  'yaml/unknown-anchor': error('An alias refers to an anchor that is not defined before it.'),
  'yaml/alias-cycle': error('An alias or a merge key refers to a value that contains it.'),
  'yaml/alias-limit': error('Aliases expand more than 100 times.'),
  'yaml/bad-merge': error('A merge key (`<<`) does not refer to a map or a list of maps.'),
  'yaml/not-json': error('A number is infinite or not a number. JSON has no such values.'),
  'yaml/changed-number': lint('warning', 'YAML reads a value as a number with another text, such as `1.10` as 1.1.'),
  'front-matter/missing': error('An automation does not start with front matter between `---` lines.'),
  'front-matter/not-closed': error('The front matter has no closing `---` line.'),
  'factory/wrong-type': error('A value in `factory.yaml` has the wrong type.'),
  'factory/missing-key': error('A required key is missing in `factory.yaml`.'),
  'factory/invalid-value': error('A value in `factory.yaml` is not allowed.'),
  'factory/unknown-rule': error('A key under `lint` is not the ID of a rule.'),
  'factory/not-a-lint-rule': error('A key under `lint` is the ID of a rule whose severity cannot be changed.'),
  'factory/unreadable-repository': lint(
    'warning',
    'An entry of `repositories` in `factory.yaml` has neither owner and name nor the form `owner/name`.',
  ),
  'webhook/invalid-name': error('The file name of a webhook is not a valid name.'),
  'webhook/name-collision': error('Two names of webhooks differ only in case.'),
  'webhook/nested-file': error('A webhook file is in a folder below `webhooks/`.'),
  'webhook/ignored-file': lint('warning', 'A file in `webhooks/` is neither a definition nor a note. It is ignored.'),
  'webhook/too-many': error('The factory declares more webhooks than the limit allows.'),
  'webhook/unknown-key': error('A webhook has an unknown key.'),
  'webhook/wrong-type': error('A value of a webhook has the wrong type.'),
  'webhook/missing-key': error('A required key of a webhook is missing.'),
  'webhook/invalid-value': error('A value of a webhook is not allowed or has the wrong format.'),
  'webhook/unknown-scheme': error('`signatureScheme` is not a known scheme.'),
  'webhook/missing-scheme': error('`authMode: signature` is set without `signatureScheme`.'),
  'webhook/unused-scheme': error('`signatureScheme` is set, but `authMode` is not `signature`.'),
  'webhook/unused-verify-token': error(
    '`verifyTokenSecretName` is set, but no sender of the webhook sends a verify token.',
  ),
  'webhook/unused-provider-key': error(
    '`names`, `botUsername` or `ignoreActors` is set, but the webhook serves no provider that uses the key.',
  ),
  'webhook/missing-signature': error('`signatureScheme: custom` is set without a `signature` block.'),
  'webhook/unused-signature': error('`signature` is set, but the `signatureScheme` has no options.'),
  'webhook/invalid-signature': error('The keys of a `signature` block contradict each other.'),
  'webhook/weak-signature': lint('warning', 'A `signature` block describes a scheme with avoidable weaknesses.'),
  'webhook/credential-header': error('A header that would be stored carries a credential or a signature.'),
  'webhook/unsigned-provider': lint(
    'warning',
    'A webhook is named like a provider that signs its deliveries, but does not check signatures.',
  ),
  'webhook/two-delivery-ids': error('`deliveryIdHeader` and `deliveryIdPath` are both set.'),
  'webhook/unused-form-field': error('`formField` is set, but `bodyFormat` is not `form`.'),
  'webhook/no-delivery-id': lint('off', 'Deliveries of a webhook can be distinguished only by their bodies.'),
  'webhook/unheard': lint('off', 'An enabled webhook has no matching trigger in an enabled automation.'),
  'webhook/same-provider': lint('warning', 'Two enabled webhooks serve the triggers of one provider.'),
  'webhook/empty-secret': error('The secret of a webhook is empty.'),
  'webhook/unsafe-secret': error('The secret of a `url_token` webhook is not URL-safe.'),
  'webhook/unsendable-secret': error(
    'The secret of a `token` webhook contains characters that are not allowed in a header.',
  ),
  'webhook/unusable-secret': error('The format of the secret does not fit the signature scheme of its webhook.'),
  'webhook/weak-secret': lint('warning', 'The secret of a webhook is shorter than 16 characters.'),
  'automation/invalid-name': error('The name of an automation, which its folder or its flat file has, is not valid.'),
  'automation/name-collision': error('Two names of automations differ only in case.'),
  'automation/duplicate-form': error('A folder and a flat file in `automations/` declare the same automation.'),
  'automation/nested-file': error('An `automation.md` is deeper than `automations/<name>/`.'),
  'automation/wrong-file-name': error(
    'The file of an automation is neither `automation.md` in its folder nor `automations/<name>.md`.',
  ),
  'automation/no-file': lint('warning', 'A folder in `automations/` contains no `automation.md`. It is ignored.'),
  'automation/ignored-file': lint('warning', 'A file directly in `automations/` is not a definition. It is ignored.'),
  'automation/empty-prompt': error('The prompt after the front matter is empty.'),
  'automation/unknown-key': error('The front matter has an unknown key.'),
  'automation/wrong-type': error('A value in the front matter has the wrong type.'),
  'automation/missing-key': error('A required key is missing in the front matter.'),
  'automation/invalid-value': error('A value in the front matter is not allowed or has the wrong format.'),
  'automation/misspelt-provider': error(
    'The provider of a trigger differs from a known one by one letter, two swapped letters, or case.',
  ),
  'automation/unknown-provider': lint('warning', 'This version does not know the provider of a trigger.'),
  'automation/unknown-event': lint('warning', 'The provider of a trigger has no such event.'),
  'automation/event-not-served': lint('warning', 'No webhook receives the event of a trigger.'),
  'automation/key-not-served': lint('warning', 'A key of a trigger filter is not in the payload of the event.'),
  'automation/misplaced-filter-key': lint(
    'warning',
    'A key of a trigger filter is next to `filter` instead of below it.',
  ),
  'automation/empty-filter': lint('warning', 'A key of a trigger filter has an empty list, which imposes nothing.'),
  'automation/unknown-filter-value': lint(
    'warning',
    'A key of a trigger filter lists a value that the provider does not send.',
  ),
  'automation/invalid-schedule': error('The expression, the time zone or the name of a schedule is not valid.'),
  'automation/uneven-step': lint(
    'warning',
    'A step in the expression of a schedule is so large that the schedule does not fire at this interval.',
  ),
  'automation/not-served': lint('warning', 'No enabled webhook serves the provider of a trigger.'),
  'automation/name-not-mapped': lint(
    'warning',
    'A trigger filter lists a name, but the webhook that serves the trigger does not map it to an ID.',
  ),
  'automation/repository-not-listed': lint(
    'warning',
    'A trigger filter lists a repository that `factory.yaml` does not list.',
  ),
  'automation/no-webhooks': error('A webhook trigger lists no webhook.'),
  'automation/malformed-uid': error('An entry of `webhook_ids` is not a webhook UID.'),
  'automation/name-as-uid': error('An entry of `webhook_ids` is the name of a webhook instead of its UID.'),
  'automation/unknown-webhook': error('An entry of `webhooks` is not a webhook of this factory.'),
  'automation/reserved-secret': error(
    'An entry of `secrets` is a reserved variable, which a run cannot get from a secret.',
  ),
  'automation/unreachable': lint('warning', 'No enabled webhook can start the automation.'),
  'automation/starts-on-ping': lint(
    'warning',
    'A webhook trigger without a filter starts when the provider sends a ping to test the webhook.',
  ),
  'automation/repeated-trigger': lint('warning', 'An automation has two identical triggers.'),
  'automation/unused-cancel-running': lint(
    'warning',
    '`cancelRunning` has no effect, because the mode of the concurrency is not `latest`.',
  ),
  'automation/obeys-payload': lint(
    'warning',
    'A prompt makes the agent follow instructions in the payload (prompt injection).',
  ),
  'automation/unknown-uid': lint(
    'warning',
    'An entry of `webhook_ids` is not the UID of a webhook of this factory. Reported at apply.',
  ),
  'automation/missing-run-secret': lint(
    'warning',
    'An entry of `secrets` is not the name of a team secret that runs of the factory may use. Reported at apply.',
  ),
  'automation/unknown-agent': lint('warning', '`agent` names no file or folder in `agents/`.'),
  'automation/unknown-runner': lint('warning', '`runner` names no file or folder in `runners/`.'),
  'automation/same-trigger': lint(
    'warning',
    'Two automations have a trigger with the same webhook and the same filter.',
  ),
  'secret/missing': error(
    'The team secret of a webhook does not exist, or its scope excludes the factory. Reported at apply.',
  ),
  'filter/not-an-object': error('A payload filter is not a map.'),
  'filter/operator-at-root': error('A payload filter has an operator at its root.'),
  'filter/mixed-operators': error('A map in a payload filter contains both operators and payload keys.'),
  'filter/looks-like-operator': error(
    'A key in a payload filter is almost an operator, such as `notIn`. It tests a field with this name.',
  ),
  'filter/not-a-list': error('A condition in a payload filter is a single value instead of a list.'),
  'filter/empty-list': error('An operator in a payload filter has an empty list.'),
  'filter/not-scalar': error('A list in a payload filter contains a list or a map.'),
  'filter/bad-header': error('The filter of headers has a name or a condition that no header can have.'),
  'filter/credential-header': error('The filter tests a header that carries a credential or a signature.'),
  'filter/bad-exists': error('The value of `exists` is not `true` or `false`.'),
  'filter/contradiction': error('No payload can match the operators of a field.'),
  'filter/too-deep': error('A payload filter is nested more than 10 keys deep.'),
  'filter/too-many-leaves': error('A payload filter tests more than 64 fields.'),
  'filter/too-many-values': error('An operator in a payload filter lists more than 32 values.'),
  'filter/more-problems': error('A payload filter has more problems than are listed.'),
  'filter/path-as-key': lint('warning', 'A key in a payload filter looks like a path into the payload.'),
  'filter/wildcard': lint('warning', 'A value in a payload filter looks like a wildcard or a regular expression.'),
  'filter/mixed-types': lint(
    'warning',
    'A list in a payload filter contains similar values of two types, such as `1` and `"2"`.',
  ),
  'filter/unseen-key': lint(
    'warning',
    'A payload filter tests a key that no stored delivery contained. Reported by a daemon.',
  ),
  'sample/invalid-json': lint('warning', 'A sample is not valid JSON.'),
  'sample/not-utf8': lint('warning', 'A sample is not valid UTF-8.'),
  'sample/too-large': lint('warning', 'A sample is larger than 256 KiB.'),
  'sample/unknown-key': lint('warning', 'A sample has an unknown key.'),
  'sample/wrong-type': lint('warning', 'A value of a sample has the wrong type.'),
  'sample/missing-key': lint('warning', 'A required key of a sample is missing.'),
  'sample/invalid-value': lint('warning', 'A value of a sample has the wrong format.'),
  'sample/credential-header': lint('warning', 'A sample contains a header with a credential or a signature.'),
  'sample/unknown-automation': lint('warning', 'An entry of `starts` is not an automation of this factory.'),
  'sample/unknown-webhook': lint(
    'warning',
    'A folder of samples belongs to no webhook, and to no automation that a webhook starts.',
  ),
  'sample/nested-file': lint(
    'warning',
    'A sample is deeper than `webhooks/<name>.samples/` or `automations/<name>.samples/`.',
  ),
  'sample/ignored-file': lint(
    'warning',
    'A file in a folder of samples is neither a sample nor a note. It is ignored.',
  ),
  'sample/too-many': lint('warning', 'A webhook or an automation has more samples than are read.'),
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;

/** `lint` of a `factory.yaml`: the rules whose severity it changes. Contains only lint rules. */
export type LintSettings = Readonly<{ [rule in RuleId]?: RuleSeverity }>;

export function isRuleId(text: string): text is RuleId {
  return Object.hasOwn(RULES, text);
}

/** Severity of a rule in a factory with these settings. */
export function severityOf(rule: RuleId, lint: LintSettings): RuleSeverity {
  return lint[rule] ?? RULES[rule].severity;
}

/** Diagnostics of default severity with the severities that a factory sets; those that are off are removed. */
export function applyLint(diagnostics: readonly Diagnostic[], lint: LintSettings): Diagnostic[] {
  return diagnostics.flatMap((diagnostic) => {
    const severity = lint[diagnostic.rule as RuleId] ?? diagnostic.severity;
    return severity === 'off' ? [] : [{ ...diagnostic, severity }];
  });
}

/** Path of the section about a rule on the documentation site. Anchors are those that GitHub derives from titles. */
export function ruleSection(rule: RuleId): string {
  return `reference/diagnostics#${rule.replace('/', '')}`;
}

function error(description: string): Rule {
  return { severity: 'error', isLint: false, description };
}

function lint(severity: RuleSeverity, description: string): Rule {
  return { severity, isLint: true, description };
}
