import type { JsonSchema } from '../json.ts';
import { SCOPE_SCHEMA, type SecretScope } from '../secrets/secret-scope.ts';
import { defineFields, type RecordOf } from './fields.ts';
import { count, instant, json, text } from './value-types.ts';

/** A list of objects with exactly these keys. */
function listOfObjects<Value>(properties: { [key in keyof Value]: JsonSchema }) {
  const items = { type: 'object', required: Object.keys(properties), additionalProperties: false, properties };
  return json<Value[]>({ type: 'array', items });
}

/** The fields of a team secret that lists show: never its value. */
export const SECRET_FIELDS = defineFields({
  name: { type: text },
  version: { type: count, description: 'The newest version.' },
  createdAt: { type: instant },
  updatedAt: { type: instant },
  scope: {
    type: json<SecretScope>(SCOPE_SCHEMA),
    description: 'Factories that may use the secret, for webhooks and for runs.',
  },
  usedBy: {
    type: listOfObjects<{ factory: string; webhook: string; version: number }>({
      factory: text.schema,
      webhook: text.schema,
      version: count.schema,
    }),
    description: 'Webhooks that name the secret, with the version that their last apply pinned.',
  },
  listedBy: {
    type: listOfObjects<{ factory: string; automation: string }>({ factory: text.schema, automation: text.schema }),
    description: 'Automations that list the secret for their runs, which use the newest version.',
  },
  notify: {
    type: listOfObjects<{ factory: string; type: string }>({ factory: text.schema, type: text.schema }),
    description: 'Targets of `notify` in `dockbell.yaml` that receive reports with the newest version.',
  },
});

/** A team secret without its value. */
export interface SecretSummary extends RecordOf<typeof SECRET_FIELDS> {}
