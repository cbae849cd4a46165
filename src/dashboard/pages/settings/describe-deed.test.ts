import { expect, it } from 'vitest';
import { createFakeAdminServices } from '../../../../test/helpers/admin-services.ts';
import { createAdminServer } from '../../../api/create-admin-server.ts';
import { DESCRIBED_ROUTES, describeDeed, describeSubject } from './describe-deed.ts';

it('has words for every route that changes something, and for no other', async () => {
  const app = createAdminServer(createFakeAdminServices());
  await app.ready();
  const changing = app.accessTable
    .filter(
      ({ method, url }) => !['GET', 'HEAD'].includes(method) && !/\/(plan|test|backtests|claim|heartbeat)$/.test(url),
    )
    .map(({ method, url }) => `${method} ${url}`);
  expect([...DESCRIBED_ROUTES].sort()).toEqual(changing.sort());
  await app.close();
});

it('calls every way to sign in the same', () => {
  const changes = { sign_in: 'oidc', user: 'alice' };
  expect(describeDeed({ method: 'GET', route: '/auth/oidc/callback', changes })).toBe('Sign in');
});

it('shows what it has no words for as it is', () => {
  expect(describeDeed({ method: 'POST', route: '/api/v1/later', changes: null })).toBe('POST /api/v1/later');
});

it.each([
  ['/api/v1/users/:id', 'users/usr_1', { role: 'owner' }, 'alice'],
  ['/api/v1/users/:id', 'users/usr_gone', null, 'usr_gone'],
  ['/api/v1/users/:id/sessions', 'users/usr_1/sessions', null, 'alice'],
  ['/api/v1/users', 'users/usr_gone', { name: 'carol' }, 'carol'],
  ['/api/v1/users', 'users', null, null],
  ['/api/v1/secrets/:name', 'secrets/A%2FB', null, 'A/B'],
  [
    '/api/v1/factories/:factory/webhooks/:uid/rotate',
    'factories/payments/webhooks/wh_1/rotate',
    null,
    'payments / wh_1',
  ],
  ['/api/v1/factories/:factory/webhooks', 'factories/payments/webhooks/wh_1', { name: 'ci' }, 'payments / ci'],
  ['/api/v1/session', 'session', { sign_in: 'password', user: 'alice' }, 'alice'],
  ['/api/v1/session', 'session', { sign_in: 'login_link' }, null],
])('names what %s with %s is about', (route, object, changes, subject) => {
  expect(describeSubject({ route, object, changes }, new Map([['usr_1', 'alice']]))).toBe(subject);
});
