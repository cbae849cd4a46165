import { describe, expect, it } from 'vitest';
import { OIDC_REFUSALS } from '../../../api/openid/sign-in-oidc.ts';
import { describeRefusal } from './describe-refusal.ts';

describe('a refusal on the sign-in page', () => {
  it.each(OIDC_REFUSALS)('has words for %s', (reason) => {
    expect(describeRefusal(`?error=${reason}`)).not.toBeNull();
  });

  it.each(['', '?error=', '?error=Call+0800+EVIL', '?error=toString', '?error=__proto__'])(
    'has none for %j',
    (search) => {
      expect(describeRefusal(search)).toBeNull();
    },
  );
});
