import { describe, expect, it } from 'vitest';
import { OIDC_REFUSALS } from '../../../api/openid/sign-in-oidc.ts';
import { describeRefusal } from './describe-refusal.ts';

describe('describeRefusal', () => {
  it.each(OIDC_REFUSALS)('describes %s', (reason) => {
    expect(describeRefusal(`?error=${reason}`)).not.toBeNull();
  });

  it.each(['', '?error=', '?error=Call+0800+EVIL', '?error=toString', '?error=__proto__'])(
    'returns null for %j',
    (search) => {
      expect(describeRefusal(search)).toBeNull();
    },
  );
});
