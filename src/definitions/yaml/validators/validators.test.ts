// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a reference to a variable is what is tested
import { describe, expect, it } from 'vitest';
import { compileValidator } from '../../../../scripts/compile-validators.ts';
import type { Json } from '../../../domain/json.ts';
import { checkSchema } from '../check-schema.ts';
import type { SchemaName } from '../schemas.ts';
import { createValidator, type FindValidator } from './create-validator.ts';

async function importCompiled(name: SchemaName): Promise<{ findValidator: FindValidator }> {
  return import(`data:text/javascript,${encodeURIComponent(compileValidator(name))}`);
}

const DOCUMENTS: [name: SchemaName, value: Json][] = [
  ['webhook', {}],
  ['webhook', { secretName: 'S', authmode: 'token', enabled: 'yes', description: 7 }],
  ['webhook', { secretName: 'S', authMode: 'signature', signatureScheme: 'githup' }],
  ['automation', { triggers: [{ provider: 'webhook', event: 'sent' }], agnet: 1 }],
  ['factory', { schemaVersion: 'v2', name: 'f', lint: { 'yaml/syntax': 'off' } }],
  ['sample', { starts: 'triage' }],
  ['config', { ingress: { port: '${PORT}' }, factories: [{ name: 'A', source: { type: 'live', url: 'x' } }] }],
  ['config', { storage: { type: 'postgres' }, admin: { oidc: {} } }],
  [
    'config',
    { factories: [{ name: 'a', source: { type: 'live' }, runs: { executor: { type: 'command', command: [''] } } }] },
  ],
];

describe('the validators that are compiled at build', () => {
  it.each(DOCUMENTS)('report the same as those that are compiled at run time: %s %j', async (name, value) => {
    const describeAll = (findValidator: FindValidator) =>
      checkSchema(findValidator(), value, { root: 'The file' }).map((describe) => describe());
    const found = describeAll(createValidator(name));
    expect(found).not.toEqual([]);
    expect(describeAll((await importCompiled(name)).findValidator)).toEqual(found);
  });
});
