import type { Diagnostic } from '../definitions/diagnostic.ts';
import type { Trigger } from '../definitions/trigger.ts';
import type { WebhookUid } from '../ids.ts';
import type { Json } from '../json.ts';
import { defineFields, type RecordOf } from './fields.ts';
import { RUN_POLICY_FIELDS } from './run-policy-fields.ts';
import { flag, instant, integer, json, text, textOrNull } from './value-types.ts';

/** Front matter keys that are passed to the run unchanged. */
export const EXECUTION_OVERRIDES = [
  'model',
  'harness',
  'runner',
  'environmentId',
  'secrets',
  'mcpServers',
  'workerHost',
] as const;

/** The fields of an automation that its runs refer to: a change of one of them makes a new version. */
export const AUTOMATION_VERSION_FIELDS = defineFields({
  agent: {
    type: textOrNull,
    description: '`null` is the foreman.',
    declared: {
      default: null,
      schema: {
        title: 'Agent',
        description: 'Agent that does the work. Default: the foreman.',
        pattern: '\\S',
        patternErrorMessage: 'a text that is not empty',
        examples: ['triage'],
      },
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
  /** The body of its file. */
  prompt: { type: text, editable: 'create and change', planned: true, tagged: true },
  /** Those of `EXECUTION_OVERRIDES` that the file sets. */
  overrides: { type: json<{ [key: string]: Json }>({ type: 'object' }), tagged: true },
  ...RUN_POLICY_FIELDS,
});

/** The fields of an automation that change without a new version. */
export const AUTOMATION_ROW_FIELDS = defineFields({
  /** Name of its folder or its flat file in `automations/`. */
  name: { type: text, tagged: true, audited: true },
  factory: { type: text },
  description: {
    type: textOrNull,
    declared: {
      default: null,
      schema: {
        title: 'Description',
        description: 'Description for users, shown in lists.',
        examples: ['Looks into fatal errors'],
      },
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
  enabled: {
    type: flag,
    declared: {
      default: true,
      schema: { title: 'Enabled', description: 'Whether deliveries start the automation.', examples: [true, false] },
    },
    editable: 'create and change',
    planned: true,
    tagged: true,
    audited: true,
  },
  triggers: { type: json<Trigger[]>({ type: 'array' }), planned: true, tagged: true },
  /** Per webhook trigger, in the order of `triggers`: the UIDs it listens to; empty for foreign triggers. */
  listensTo: { type: json<WebhookUid[][]>({ type: 'array' }), api: null, planned: true, tagged: true },
  /** Number of the stored version that new runs refer to. Assigned by the storage. */
  version: { type: integer, api: null },
  file: { type: text, api: null },
  revision: { type: textOrNull, description: 'Commit of the last apply that changed this automation.' },
  updatedAt: { type: instant },
  /** Findings of the last apply about this file, such as UIDs that no webhook has. */
  warnings: { type: json<Diagnostic[]>({ type: 'array' }) },
});

/** The fields of an automation. */
export const AUTOMATION_FIELDS = { ...AUTOMATION_ROW_FIELDS, ...AUTOMATION_VERSION_FIELDS };

/** An automation as the last apply left it. */
export interface AppliedAutomation extends RecordOf<typeof AUTOMATION_FIELDS> {}

/** An automation as its file declares it, defaults filled in. */
export type DeclaredAutomation = Pick<
  AppliedAutomation,
  | 'name'
  | 'file'
  | 'description'
  | 'enabled'
  | 'agent'
  | 'triggers'
  | 'prompt'
  | 'overrides'
  | keyof typeof RUN_POLICY_FIELDS
>;
