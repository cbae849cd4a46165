import type { Diagnostic, Severity } from './diagnostic.ts';

/** What a rule comes to in a factory: a finding of that severity, or none. As `lint` in `factory.yaml` says it. */
export const RULE_SEVERITIES = ['off', 'warning', 'error'] as const satisfies readonly (Severity | 'off')[];
export type RuleSeverity = (typeof RULE_SEVERITIES)[number];

interface Rule {
  /** What it comes to where `factory.yaml` says nothing about it. */
  severity: RuleSeverity;
  /** May `lint` in `factory.yaml` change that? Not where a definition that breaks the rule has no meaning. */
  isLint: boolean;
  /** One sentence for the reference and for reports that list rules. */
  description: string;
}

/**
 * Every rule about definitions, by its stable id; the pages below `docs/rules/` and the list in
 * `docs/reference/diagnostics.md` are made from it and from `docs/rules/guides.yaml`. An id is never used for something else.
 */
export const RULES = {
  'factory/not-found': error('The tree holds no `factory.yaml`, no `webhooks/` and no `automations/`.'),
  'tree/not-a-file': error('A symbolic link or a submodule stands where a definition file belongs.'),
  'tree/wrong-case': error('A name differs from `factory.yaml`, `webhooks/` or `automations/` only in case.'),
  'tree/name-collision': error('Two names in a tree differ only in case, or in how letters are composed.'),
  'tree/odd-name': error('A name in the tree is not UTF-8, holds a control character or is reserved by git.'),
  'tree/too-large': error('The tree holds more entries, or larger files together, than one is read with.'),
  'file/too-large': error('A definition file is larger than 256 KiB.'),
  'file/too-slow': error(
    'Reading a definition file takes longer than two seconds, or all files longer than 30 seconds.',
  ),
  'file/not-utf8': error('A definition file is not valid UTF-8.'),
  'file/wrong-extension': error('A definition file is called `.yml` or spelt in capitals instead of `.yaml`.'),
  'file/exposed-secret': lint('warning', 'A definition file holds what looks like a credential.'),
  'file/too-many-findings': error('A file has more findings than are listed; a warning where it is a sample.'),
  'yaml/tab': error('A tab stands where YAML wants spaces: in the indentation of a line.'),
  'yaml/syntax': error('The text is not valid YAML.'),
  'yaml/version': error('The text asks for another version of YAML than 1.2.'),
  'yaml/multiple-documents': error('A file holds more than one YAML document.'),
  'yaml/too-deep': error('Values are nested more than 64 levels deep.'),
  'yaml/duplicate-key': error('A key is written twice in one map.'),
  'yaml/custom-tag': error('A value carries a tag that is not part of the YAML 1.2 core schema.'),
  'yaml/unknown-anchor': error('An alias names an anchor that is not set before it.'),
  'yaml/alias-cycle': error('An alias or a merge key refers to a value that contains it.'),
  'yaml/alias-limit': error('Aliases expand more than 100 times.'),
  'yaml/bad-merge': error('A merge key (`<<`) names something other than a map or a list of maps.'),
  'yaml/not-json': error('A number is infinite or not a number, which JSON cannot hold.'),
  'front-matter/missing': error('An automation does not begin with front matter between `---` lines.'),
  'front-matter/not-closed': error('The front matter has no closing `---` line.'),
  'factory/wrong-type': error('A value of `factory.yaml` has the wrong type.'),
  'factory/missing-key': error('`factory.yaml` lacks a required key.'),
  'factory/invalid-value': error('A value of `factory.yaml` is not allowed.'),
  'factory/unknown-rule': error('A key under `lint` is not the id of a rule.'),
  'factory/not-a-lint-rule': error('A key under `lint` names a rule that is always an error.'),
  'webhook/invalid-name': error('The file name of a webhook is not a valid name.'),
  'webhook/name-collision': error('Two names of webhooks differ only in case.'),
  'webhook/nested-file': error('A webhook lies in a folder below `webhooks/`.'),
  'webhook/ignored-file': lint('warning', 'A file in `webhooks/` is neither a definition nor a note, and is ignored.'),
  'webhook/too-many': error('The factory declares more webhooks than it may.'),
  'webhook/unknown-key': error('A webhook has a key that does not exist.'),
  'webhook/wrong-type': error('A value of a webhook has the wrong type.'),
  'webhook/missing-key': error('A webhook lacks a required key.'),
  'webhook/invalid-value': error('A value of a webhook is not allowed or has the wrong form.'),
  'webhook/unknown-scheme': error('`signatureScheme` names no known scheme.'),
  'webhook/missing-scheme': error('`authMode: signature` has no `signatureScheme`.'),
  'webhook/unused-scheme': error('`signatureScheme` is set although `authMode` is not `signature`.'),
  'webhook/unused-verify-token': error('`verifyTokenSecretName` is set, but no sender of the webhook presents one.'),
  'webhook/missing-signature': error('`signatureScheme: custom` has no `signature` block.'),
  'webhook/unused-signature': error('`signature` is set, but `signatureScheme` leaves nothing in it to choose.'),
  'webhook/invalid-signature': error('The keys of a `signature` block contradict each other.'),
  'webhook/weak-signature': lint('warning', 'A `signature` block describes a scheme that protects less than it could.'),
  'webhook/credential-header': error('`deliveryIdHeader` names a header that carries a credential or a signature.'),
  'webhook/unsigned-provider': lint(
    'warning',
    'A webhook has the name of a provider that signs its deliveries, but takes a token.',
  ),
  'webhook/no-delivery-id': lint('off', 'Nothing but the body tells the deliveries of a webhook apart.'),
  'webhook/unheard': lint('off', 'No enabled automation listens to an enabled webhook.'),
  'webhook/empty-secret': error('The secret of a webhook is empty.'),
  'webhook/unsafe-secret': error('The secret of a `url_token` webhook is not URL-safe.'),
  'webhook/unsendable-secret': error('The secret of a `token` webhook holds what no header can carry.'),
  'webhook/unusable-secret': error('The secret does not fit the signature scheme of its webhook.'),
  'webhook/weak-secret': lint('warning', 'The secret of a webhook is shorter than 16 characters.'),
  'automation/invalid-name': error('The folder name of an automation is not a valid name.'),
  'automation/name-collision': error('Two names of automations differ only in case.'),
  'automation/not-in-folder': error('An automation lies directly in `automations/` instead of in a folder of its own.'),
  'automation/nested-file': error('An `automation.md` lies deeper than `automations/<name>/`.'),
  'automation/wrong-file-name': error('The file of an automation is not called `automation.md`.'),
  'automation/no-file': lint('warning', 'A folder in `automations/` holds no `automation.md`, and is ignored.'),
  'automation/ignored-file': lint('warning', 'A file directly in `automations/` is not a definition, and is ignored.'),
  'automation/empty-prompt': error('Nothing but white space follows the front matter.'),
  'automation/unknown-key': error('The front matter has a key that does not exist.'),
  'automation/wrong-type': error('A value of the front matter has the wrong type.'),
  'automation/missing-key': error('The front matter lacks a required key.'),
  'automation/invalid-value': error('A value of the front matter is not allowed or has the wrong form.'),
  'automation/unknown-provider': error('A trigger names a provider that does not exist.'),
  'automation/no-webhooks': error('A webhook trigger names no webhook to listen to.'),
  'automation/malformed-uid': error('An entry of `webhook_ids` is not a webhook UID.'),
  'automation/name-as-uid': error('An entry of `webhook_ids` is the name of a webhook instead of its UID.'),
  'automation/unknown-webhook': error('An entry of `webhooks` names no webhook of this factory.'),
  'automation/reserved-secret': error('An entry of `secrets` is a variable that a run must not get from a secret.'),
  'automation/unreachable': lint('warning', 'No enabled webhook can start the automation.'),
  'automation/repeated-trigger': lint('warning', 'Two triggers of one automation are the same.'),
  'automation/obeys-payload': lint(
    'warning',
    'A prompt tells the agent to follow instructions that stand in the payload.',
  ),
  'automation/unknown-uid': lint(
    'warning',
    'An entry of `webhook_ids` is the UID of no webhook of the factory. Told at apply.',
  ),
  'automation/missing-run-secret': lint('warning', 'An entry of `secrets` names no team secret. Told at apply.'),
  'automation/same-trigger': lint('warning', 'Two automations listen to one webhook with the same filter.'),
  'secret/missing': error('A webhook names a team secret that does not exist. Told at apply.'),
  'filter/not-an-object': error('A payload filter is something other than a map.'),
  'filter/operator-at-root': error('An operator stands at the root of a payload filter.'),
  'filter/mixed-operators': error('One map of a payload filter holds both operators and keys of the payload.'),
  'filter/not-a-list': error('A condition of a payload filter is a single value instead of a list.'),
  'filter/empty-list': error('An operator of a payload filter lists no value.'),
  'filter/not-scalar': error('A list of a payload filter holds a list or a map.'),
  'filter/bad-exists': error('`exists` is something other than `true` or `false`.'),
  'filter/contradiction': error('No payload can meet the operators of a field.'),
  'filter/too-deep': error('A payload filter is nested more than 10 keys deep.'),
  'filter/too-many-leaves': error('A payload filter tests more than 64 fields.'),
  'filter/too-many-values': error('An operator of a payload filter lists more than 32 values.'),
  'filter/more-problems': error('A payload filter has more problems than are listed.'),
  'filter/path-as-key': lint('warning', 'A key of a payload filter looks like a path into the payload.'),
  'filter/wildcard': lint('warning', 'A value of a payload filter looks like a wildcard or a regular expression.'),
  'filter/mixed-types': lint(
    'warning',
    'A list of a payload filter holds `1` and `"2"`: values of one meaning in two types.',
  ),
  'filter/unseen-key': lint('warning', 'A payload filter tests a key that no stored delivery had. Told by a daemon.'),
  'sample/invalid-json': lint('warning', 'A sample is not valid JSON.'),
  'sample/not-utf8': lint('warning', 'A sample is not valid UTF-8.'),
  'sample/too-large': lint('warning', 'A sample is larger than 256 KiB.'),
  'sample/unknown-key': lint('warning', 'A sample has a key that does not exist.'),
  'sample/wrong-type': lint('warning', 'A value of a sample has the wrong type.'),
  'sample/missing-key': lint('warning', 'A sample lacks a required key.'),
  'sample/invalid-value': lint('warning', 'A value of a sample has the wrong form.'),
  'sample/credential-header': lint('warning', 'A sample holds a header that carries a credential or a signature.'),
  'sample/unknown-automation': lint('warning', 'An entry of `starts` names no automation of this factory.'),
  'sample/unknown-webhook': lint('warning', 'A folder of samples belongs to no webhook of this factory.'),
  'sample/nested-file': lint('warning', 'A sample lies deeper than `webhooks/<name>.samples/`.'),
  'sample/ignored-file': lint(
    'warning',
    'A file in a folder of samples is neither a sample nor a note, and is ignored.',
  ),
  'sample/too-many': lint('warning', 'A webhook has more samples than are read.'),
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;

/** `lint` of a `factory.yaml`: rules whose severity it changes. Only lint rules are in it. */
export type LintSettings = Readonly<{ [rule in RuleId]?: RuleSeverity }>;

export function isRuleId(text: string): text is RuleId {
  return Object.hasOwn(RULES, text);
}

/** What a rule comes to in a factory with these settings. */
export function severityOf(rule: RuleId, lint: LintSettings): RuleSeverity {
  return lint[rule] ?? RULES[rule].severity;
}

/** Findings made at their default severity, as a factory wants them: those that it switched off are left out. */
export function applyLint(diagnostics: readonly Diagnostic[], lint: LintSettings): Diagnostic[] {
  return diagnostics.flatMap((diagnostic) => {
    const severity = lint[diagnostic.rule as RuleId] ?? diagnostic.severity;
    return severity === 'off' ? [] : [{ ...diagnostic, severity }];
  });
}

/** The page about a rule, as a path of the repository and of the package. */
export function rulePagePath(rule: RuleId): string {
  return `docs/rules/${rule}.md`;
}

function error(description: string): Rule {
  return { severity: 'error', isLint: false, description };
}

function lint(severity: RuleSeverity, description: string): Rule {
  return { severity, isLint: true, description };
}
