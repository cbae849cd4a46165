import { expect, it } from 'vitest';
import { describeSubject } from './describe-subject.ts';

it.each([
  ['/api/v1/users/:id', 'users/usr_1', { role: 'owner' }, 'alice'],
  ['/api/v1/users/:id', 'users/usr_deleted', null, 'usr_deleted'],
  ['/api/v1/users/:id/sessions', 'users/usr_1/sessions', null, 'alice'],
  ['/api/v1/users', 'users/usr_deleted', { name: 'carol' }, 'carol'],
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
])('describes the object of %s with %s', (route, object, changes, subject) => {
  expect(describeSubject({ route, object, changes }, new Map([['usr_1', 'alice']]))).toBe(subject);
});
