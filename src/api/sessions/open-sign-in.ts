import type { Config } from '../../config/config.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import { type Clock, systemClock } from '../../domain/time/clock.ts';
import type { ApiModules } from '../api-modules.ts';
import { FailedAttempts } from '../auth/failed-attempts.ts';
import { PasswordAttempts } from '../auth/password-attempts.ts';
import { createPasswords } from '../auth/passwords.ts';
import type { OpenIdSignIn } from '../openid/sign-in-oidc.ts';

const MINUTE_MS = 60_000;

interface SignInParts {
  config: Pick<Config, 'limits' | 'admin'>;
  /** Of the OpenID provider; `null` without one. */
  clientSecret: SecretValue | null;
  clock: Clock;
}

/** How people sign in. */
export async function openSignIn(
  { config, clientSecret, clock }: SignInParts,
  adminUrl: () => string,
): Promise<ApiModules['signIn']> {
  const limits = {
    name: 'failed-authentications',
    get limit() {
      return config.limits.failedAuthPerMinute;
    },
    windowMs: MINUTE_MS,
  };
  return {
    passwords: createPasswords(),
    passwordAttempts: new PasswordAttempts(clock),
    failedAttempts: new FailedAttempts(limits, clock),
    openId: await openProvider(config.admin.oidc, clientSecret, adminUrl),
  };
}

/** Where browsers sign in. Loads the OpenID client only if the configuration names a provider. */
async function openProvider(
  oidc: Config['admin']['oidc'],
  secret: SecretValue | null,
  adminUrl: () => string,
): Promise<OpenIdSignIn | null> {
  if (oidc === null) return null;
  const { createOpenIdProvider } = await import('../openid/openid-provider.ts');
  const parts = { redirectUri: () => `${adminUrl()}/auth/oidc/callback`, clock: systemClock };
  const provider = createOpenIdProvider({ ...oidc, clientSecret: secret?.reveal() ?? null }, parts);
  return { provider, rules: oidc, label: oidc.label };
}
