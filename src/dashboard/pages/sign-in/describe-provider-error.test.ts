import { describe, expect, it } from 'vitest';
import { OIDC_REJECTIONS } from '../../../api/openid/sign-in-oidc.ts';
import { describeProviderError } from './describe-provider-error.ts';

describe('describeProviderError', () => {
  it.each(OIDC_REJECTIONS)('describes %s', (reason) => {
    expect(describeProviderError(`?error=${reason}`)).not.toBeNull();
  });

  it.each(['', '?error=', '?error=Call+0800+EVIL', '?error=toString', '?error=__proto__'])(
    'returns null for %j',
    (search) => {
      expect(describeProviderError(search)).toBeNull();
    },
  );
});
