import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeDashboard, lookAt } from '../../helpers/dashboard.ts';
import { CLIENT_ID, CLIENT_SECRET, startOidcProvider, type TestProvider } from '../../helpers/oidc-provider.ts';
import { startDaemonHere, type TestDaemon } from '../../helpers/test-daemon.ts';

describeDashboard('signing in with the OpenID provider', ({ openPage, signIn }) => {
  let provider: TestProvider;
  let daemon: TestDaemon;
  beforeAll(async () => {
    // Not the site of the daemon, so that the browser treats cookies as cross-site.
    provider = await startOidcProvider('localhost');
    const oidc = {
      issuer: provider.issuer,
      clientId: CLIENT_ID,
      label: 'Example SSO',
      groups: [{ name: 'developers', role: 'operator', factories: ['payments'] }],
    };
    const factories = ['payments', 'billing'].map((name) => ({ name, source: { type: 'live' } }));
    daemon = await startDaemonHere({
      config: { admin: { port: 0, oidc }, factories },
      env: { DOCKBELL_ADMIN_OIDC_CLIENT_SECRET: CLIENT_SECRET },
    });
  });
  afterAll(async () => {
    await daemon?.end('SIGTERM');
    await provider?.close();
  });

  it('takes one click, returns to the requested page, and survives a reload', { tags: 'full' }, async () => {
    provider.script.claims = { groups: ['developers'], preferred_username: 'alice' };
    const page = await openPage();
    await page.goto(`${daemon.adminUrl}/factories/payments/runs`);
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).waitFor();
    await lookAt(page, 'sign-in-provider');
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).click();
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    await expect.poll(() => page.url()).toBe(`${daemon.adminUrl}/factories/payments/runs`);
    await page.reload();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByText('alice').waitFor();
    const cookies = await page.context().cookies(daemon.adminUrl);
    expect(cookies).toMatchObject([{ name: 'dockbell', httpOnly: true, sameSite: 'Strict' }]);
  });

  it('explains a missing role, and allows another attempt', { tags: 'full' }, async () => {
    provider.script.claims = { groups: ['strangers'] };
    const page = await openPage();
    await page.goto(`${daemon.adminUrl}/factories/payments/runs`);
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).click();
    await page.getByRole('alert').getByText('Your groups have no access to this Dockbell').waitFor();
    await lookAt(page, 'sign-in-provider-refused');
    provider.script.claims = { groups: ['developers'] };
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).click();
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  });

  it('fails while the provider is down; other ways to sign in work', { tags: 'full' }, async () => {
    const page = await openPage();
    await page.goto(daemon.adminUrl);
    provider.script.isBroken = true;
    await page.getByRole('link', { name: 'Sign in with Example SSO' }).click();
    await page.getByRole('alert').getByText('The identity provider is not available').waitFor();
    provider.script.isBroken = false;
    await page.getByRole('tab', { name: 'API token' }).click();
    const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    await page.getByRole('textbox', { name: 'API token' }).fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
  });

  it('is recorded in the audit log', { tags: 'full' }, async () => {
    const page = await signIn(daemon);
    const { body } = await daemon.api('/audit');
    expect(body.data.map(({ changes }: { changes: object | null }) => changes)).toContainEqual({
      sign_in: 'oidc',
      user: 'subject-1',
      reason: 'no_role',
    });
    expect(daemon.output()).not.toContain(CLIENT_SECRET);
    await page.close();
  });
});
