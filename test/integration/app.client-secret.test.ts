import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readClientSecret } from '../../src/api/openid/read-client-secret.ts';
import type { OidcConfig } from '../../src/config/config.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const OIDC: OidcConfig = {
  issuer: 'https://login.example.com',
  clientId: 'dockbell',
  clientSecret: null,
  clientSecretFile: null,
  label: 'x',
  scopes: ['openid'],
  groupsClaim: 'groups',
  groups: [],
  defaultRole: null,
  allowedDomains: [],
};

function write(text: string): OidcConfig {
  const clientSecretFile = join(createTempDir('client-secret'), 'secret');
  writeFileSync(clientSecretFile, text);
  return { ...OIDC, clientSecretFile };
}

it('is none without a provider and for a public client', async () => {
  expect(await readClientSecret(null)).toBeNull();
  expect(await readClientSecret(OIDC)).toBeNull();
});

it('comes from the configuration', async () => {
  expect((await readClientSecret({ ...OIDC, clientSecret: 'a secret' }))?.reveal()).toBe('a secret');
});

it.each(['a secret', 'a secret\n', 'a secret\r\n'])('comes from a file: %j', async (text) => {
  expect((await readClientSecret(write(text)))?.reveal()).toBe('a secret');
});

it.each(['', '\n', 'canary\nmore', `canary${'x'.repeat(1000)}`])('must be one line: %j', async (text) => {
  const failure = readClientSecret(write(text));
  await expect(failure).rejects.toMatchObject({ code: 'config_invalid' });
  await expect(failure).rejects.not.toThrow('canary');
});

it('must be there', async () => {
  const failure = readClientSecret({ ...OIDC, clientSecretFile: '/no/such/file' });
  await expect(failure).rejects.toThrow(/\/no\/such\/file \(admin.oidc.clientSecretFile\) cannot be read/);
});
