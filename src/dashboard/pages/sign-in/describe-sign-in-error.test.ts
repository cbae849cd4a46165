import { describe, expect, it } from 'vitest';
import { RequestFailed } from '../../api/problem.ts';
import { describeSignInError } from './describe-sign-in-error.ts';

const fail = (status: number) => new RequestFailed({ type: 't', title: 'T', detail: 'd', status, code: 'c' });

describe('an error of the sign-in page', () => {
  it.each([
    [{ username: 'maya', password: 'wrong' }, 'The user name or the password is wrong.'],
    [{ login_token: 'used' }, /^This login link was already used or has expired\./],
    [{ api_token: 'dbk_x' }, /^This API token is not valid\./],
  ])('speaks of the credentials that were tried: %j', (credentials, words) => {
    expect(describeSignInError(fail(401), credentials).message).toMatch(words);
  });

  it('is shown as it is when the credentials are not at fault', () => {
    const [busy, broken] = [fail(429), new Error('broken')];
    expect(describeSignInError(busy, { api_token: 'x' })).toBe(busy);
    expect(describeSignInError(broken, { api_token: 'x' })).toBe(broken);
  });
});
