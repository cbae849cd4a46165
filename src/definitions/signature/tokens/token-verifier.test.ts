import { describe, expect, it } from 'vitest';
import { resultOf, toSignedRequest } from '../../../../test/helpers/signed-request.ts';
import type { TokenScheme } from '../scheme.ts';
import { findScheme } from '../schemes/schemes.ts';
import { compileTokenVerifier } from './token-verifier.ts';

const SECRET = 'user:pässword';

function check(name: string, headers: Record<string, string>, body: unknown = {}, secret = SECRET): string {
  const compiled = compileTokenVerifier(findScheme(name) as TokenScheme, secret);
  if (!compiled.ok) throw new Error(compiled.message);
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return resultOf(compiled.verify(toSignedRequest({ headers, body: bytes, nowMs: 0 })));
}

const received = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const basic = (text: string) => `Basic ${Buffer.from(text, 'utf8').toString('base64')}`;

describe('clientState of Microsoft Graph', () => {
  const value = (...states: unknown[]) => ({ value: states.map((clientState) => ({ clientState })) });

  it('must be the secret in every notification', () => {
    expect(check('microsoft_graph', {}, value(SECRET, SECRET))).toBe('accepted');
    expect(check('microsoft_graph', {}, value(SECRET, 'other'))).toBe('bad_credential');
    expect(check('microsoft_graph', {}, value('other', SECRET))).toBe('bad_credential');
  });

  it.each([
    null,
    1,
    'x',
    [],
    {},
    { value: null },
    { value: {} },
    { value: [] },
    { value: ['x'] },
    { value: [null] },
    'no JSON',
    value(1),
    value(null),
    value([SECRET]),
    value({ a: SECRET }),
    value(''),
    value(SECRET, undefined),
    '{"value":[{"__proto__":{"clientState":"x"}}]}',
  ])('is missing in %j', (body) => expect(check('microsoft_graph', {}, body)).toBe('missing_credential'));
});

describe('basic authentication', () => {
  it('is user and password in UTF-8, after a name in any letter case', () => {
    for (const authorization of [
      basic(SECRET),
      basic(SECRET).replace('Basic', 'bAsIc '),
      basic(SECRET).replace('B', 'b'),
    ]) {
      expect(check('azure_devops', { authorization })).toBe('accepted');
    }
    expect(check('azure_devops', { authorization: basic('user:other') })).toBe('bad_credential');
    expect(check('azure_devops', { authorization: basic(':') })).toBe('bad_credential');
  });

  it('is only strict base64', () => {
    const good = basic(SECRET);
    for (const authorization of [
      `${good}!`,
      good.replace(/=+$/, ''),
      'Basic',
      'Basic  ',
      'Bearer x',
      SECRET,
      `${good} x`,
    ]) {
      expect(check('azure_devops', { authorization }), authorization).toBe('malformed_credential');
    }
    expect(check('azure_devops', {})).toBe('missing_credential');
  });
});

describe('a scheme with several locations', () => {
  it('accepts the secret in any of them', () => {
    expect(check('alertmanager', { authorization: basic(SECRET) })).toBe('accepted');
    expect(check('alertmanager', { authorization: `Bearer ${received(SECRET)}` })).toBe('accepted');
    expect(check('alertmanager', { authorization: received(SECRET) })).toBe('malformed_credential');
    expect(check('grafana_token', { authorization: 'Token abc' }, {}, 'Token abc')).toBe('accepted');
    expect(check('grafana_token', { authorization: 'Token abd' }, {}, 'Token abc')).toBe('bad_credential');
  });
});

describe('a token in a dedicated header', () => {
  it('is the whole value', () => {
    expect(check('gitlab', { 'X-Gitlab-Token': received(SECRET) })).toBe('accepted');
    for (const value of [`Bearer ${SECRET}`, `${received(SECRET)}, ${received(SECRET)}`, SECRET.slice(1)]) {
      expect(check('gitlab', { 'X-Gitlab-Token': value }), value).toBe('bad_credential');
    }
  });
});
