import { describe, expect, it } from 'vitest';
import { RequestFailed } from '../../../client/read-answer.ts';
import { describeSignInError } from './describe-sign-in-error.ts';

const fail = (status: number) => new RequestFailed({ type: 't', title: 'T', detail: 'd', status, code: 'c' });

describe('describeSignInError', () => {
  it.each([
    [{ username: 'maya', password: 'wrong' }, 'Wrong user name or password.'],
    [{ login_token: 'used' }, /^This login link was already used or has expired\./],
    [{ api_token: 'dbk_x' }, /^This API token is not valid\./],
  ])('names the rejected credentials: %j', (credentials, words) => {
    expect(describeSignInError(fail(401), credentials).message).toMatch(words);
  });

  it('returns other errors unchanged', () => {
    const [busy, broken] = [fail(429), new Error('broken')];
    expect(describeSignInError(busy, { api_token: 'x' })).toBe(busy);
    expect(describeSignInError(broken, { api_token: 'x' })).toBe(broken);
  });
});
